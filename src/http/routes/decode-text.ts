/**
 * Decodes text of requests without loss: bytes that are not valid in the stated charset are refused. A lenient decoder would
 * replace them, and different names could become equal.
 */
import { isUtf8 } from 'node:buffer';
import { invalid } from '../../core/errors.ts';
import { httpTexts } from '../http-texts.ts';

export const defaultCharset = 'utf-8';

/** The form field with the charset of the other fields (RFC 7578, section 4.6). */
export const charsetFieldName = '_charset_';

/** Throws `invalid` with the name of the field. `isCut`: the bytes may end within a character, which is then left out. */
export type DecodeField = (name: string, bytes: Buffer, isCut?: boolean) => string;

/** `charset` is a label of the Encoding Standard. */
export function fieldDecoder(charset: string): DecodeField {
  const decoder = decoderOf(charset);
  return (name, bytes, isCut = false) => {
    if (isBigEndian(charset, bytes)) return fieldDecoder('utf-16be')(name, bytes, isCut);
    if (!decoder) throw invalid(httpTexts.form.charset({ name, charset: charset.slice(0, 40) }));
    const text = decode(isCut ? new TextDecoder(decoder.encoding, { fatal: true }) : decoder, bytes, isCut);
    if (text === null)
      throw invalid(httpTexts.form.undecodable({ name, charset: decoder.encoding.toUpperCase() }));
    return text;
  };
}

/** The byte order mark decides (RFC 2781, section 4.3); without one, `utf-16` is little-endian in the Encoding Standard. */
const isBigEndian = (charset: string, bytes: Buffer) =>
  /^utf-16$/i.test(charset.trim()) && bytes[0] === 0xfe && bytes[1] === 0xff;

/** Decodes UTF-8, the encoding of JSON (RFC 8259, section 8.1). Throws `invalid`. */
export function decodeBody(bytes: Buffer): string {
  const text = decode(new TextDecoder(defaultCharset, { fatal: true }), bytes, false);
  if (text === null) throw invalid(httpTexts.body.undecodable);
  return text;
}

/** Returns null for an unknown charset. */
function decoderOf(charset: string): TextDecoder | null {
  try {
    // The Encoding Standard treats ASCII as windows-1252. Here it is decoded as UTF-8, which some clients send instead.
    const isAscii = /^(?:us-)?ascii$/i.test(charset.trim());
    return new TextDecoder(isAscii ? defaultCharset : charset, { fatal: true });
  } catch {
    return null;
  }
}

function decode(decoder: TextDecoder, bytes: Buffer, isCut: boolean): string | null {
  try {
    return decoder.decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
}

/**
 * Parses `application/x-www-form-urlencoded` (URL Standard, section 5.1). The charset is that in the field `_charset_`, otherwise
 * that of the Content-Type, otherwise UTF-8. A field that was sent several times becomes a list. Throws `invalid`.
 */
export function parseUrlencoded(body: Buffer, contentType?: string): Record<string, string | string[]> {
  const pairs = body
    .toString('latin1')
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return { name: percentDecoded(name), value: percentDecoded(value.join('=')) };
    });
  const stated = pairs
    .find(({ name }) => name.toString('latin1') === charsetFieldName)
    ?.value.toString('latin1');
  const decodeText = fieldDecoder(stated || charsetOf(contentType) || defaultCharset);
  const lists = Object.groupBy(pairs, ({ name }) => decodeText(name.toString(), name));
  const fields: Record<string, string | string[]> = Object.create(null);
  for (const [name, list = []] of Object.entries(lists)) {
    const values = list.map(({ value }) => decodeText(name, value));
    fields[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  return fields;
}

/** Returns the charset parameter of a Content-Type. */
export function charsetOf(contentType: string | undefined): string | undefined {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(contentType ?? '') ?? [];
  return quoted || plain;
}

/** Includes bytes above 127 that are not percent-encoded. */
function percentDecoded(text: string): Buffer {
  const bytes = text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}

/** Whether a query is valid UTF-8 after percent-decoding. */
export const isDecodableQuery = (query: string) => isUtf8(percentDecoded(query));
