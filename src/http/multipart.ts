/**
 * Reads a multipart form strictly: input that a lenient parser would silently drop or truncate is refused with a reason (RFC
 * 7578; RFC 2046, section 5.1). Files are streams with backpressure, fields are strings of limited length. `@fastify/busboy`
 * splits the parts; on its own, it drops and truncates silently.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { AppError, invalid, tooLarge } from '../core/errors.ts';
import { httpTexts } from './http-texts.ts';
import { charsetFieldName, charsetOf, defaultCharset, fieldDecoder } from './routes/decode-text.ts';

export interface MultipartLimits {
  maxBodyBytes: number;
  maxFieldBytes: number;
  maxParts: number;
  /** Allows a body without parts, including an empty one. */
  mayBeEmpty?: boolean;
}

export interface MultipartReader {
  /** Which fields are read. Other fields may contain anything. All by default. */
  isField?(name: string): boolean;
  /** `truncated`: the value was longer than `maxFieldBytes` and was cut. A rejection ends the parsing. */
  field(name: string, value: string, truncated: boolean): void | Promise<void>;
  /** Must read the stream to its end, or reject. The next part follows only then. */
  file(name: string, fileName: string, stream: Readable): Promise<void>;
  /** Called with the number of body bytes received so far. An error ends the parsing. */
  bytes?(count: number): void;
  /** Determines which parts are files. */
  isFile(name: string, contentType: string, fileName: string | undefined): boolean;
}

/** Events of the connection occur outside of the request, where the language for refusals is unknown. */
const inRequest = AsyncLocalStorage.bind;

const maxHeaderBytes = 16 * 1024;
const maxPartNameLength = 1024;

/** Resolves when every part has been read. Rejects with the first error, including those of the callbacks. */
export async function readMultipart(
  request: IncomingMessage,
  limits: MultipartLimits,
  reader: MultipartReader,
): Promise<void> {
  const parser = openParser(request, limits, reader);
  const part = followHeaders(parser);
  const decodeField = createFieldDecoder();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const pending: Promise<void>[] = [];
  const openFiles = new Set<Readable>();
  let parts = 0;

  const attempt = inRequest((work: () => void) => {
    try {
      work();
    } catch (error) {
      reject(error);
    }
  });
  parser.on('field', (given, binary, _nameTruncated, truncated, encoding) =>
    attempt(() => {
      parts++;
      const name = checkPart(part, given);
      const isRead = name === charsetFieldName || (reader.isField?.(name) ?? true);
      if (!isRead) return;
      const bytes = Buffer.from(binary, 'latin1');
      const value = decodeField(name, bytes, { truncated, encoding, charset: part.charset });
      if (name === charsetFieldName) return;
      const done = reader.field(name, value, truncated);
      if (!done) return;
      done.catch(reject);
      pending.push(done);
    }),
  );
  parser.on('file', (given, stream, fileName, encoding) =>
    attempt(() => {
      parts++;
      openFiles.add(stream);
      stream.on('error', () => undefined);
      const name = checkPart(part, given);
      if (!isIdentity(encoding)) throw invalid(httpTexts.form.transferEncoding({ name, encoding }));
      const done = reader.file(name, fileName ?? '', stream);
      done.catch(reject);
      pending.push(done.finally(() => openFiles.delete(stream)));
    }),
  );
  const { multipart } = httpTexts;
  const refuse = inRequest((error: () => AppError) => reject(error()));
  parser.on('partsLimit', () => refuse(() => invalid(multipart.parts({ limit: limits.maxParts }))));
  parser.on('error', (error) => {
    if (limits.mayBeEmpty && parts === 0 && countOfParts(parser) === 0) resolve();
    else refuse(() => invalid(multipart.malformed, error));
  });
  parser.on('finish', () => {
    if (parts === 0 && limits.mayBeEmpty) resolve();
    else if (parts === 0) refuse(() => invalid(multipart.empty));
    else if (parts !== countOfParts(parser)) refuse(() => invalid(multipart.headers));
    else Promise.all(pending).then(() => resolve(), reject);
  });
  const stopFeeding = feed(request, parser, limits, reader, reject);
  try {
    await promise;
  } catch (error) {
    request.unpipe(parser);
    for (const stream of openFiles) stream.destroy(error instanceof Error ? error : undefined);
    await Promise.allSettled(pending);
    parser.destroy();
    throw error;
  } finally {
    stopFeeding();
  }
}

function openParser(
  request: IncomingMessage,
  limits: MultipartLimits,
  reader: MultipartReader,
): BusboyInstance {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;/i.test(type)) throw invalid(httpTexts.multipart.type);
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': type.trim() },
      // Fields are passed on as the bytes that were sent, and are decoded here.
      defCharset: 'latin1',
      isPartAFile: (name, contentType, fileName) => reader.isFile(name ?? '', contentType ?? '', fileName),
      fileHwm: 256 * 1024,
      highWaterMark: 256 * 1024,
      limits: {
        fieldSize: limits.maxFieldBytes,
        parts: limits.maxParts,
        headerSize: maxHeaderBytes,
        headerPairs: 32,
      },
    });
  } catch (error) {
    throw invalid(httpTexts.multipart.type, error);
  }
}

function checkPart(part: PartHeaders, name: string | undefined): string {
  if (!part.isWhole) throw invalid(httpTexts.multipart.headers);
  if (!name) throw invalid(httpTexts.multipart.nameMissing);
  if (name.length > maxPartNameLength) throw invalid(httpTexts.multipart.nameLong);
  return name;
}

/** Number of parts according to the parser's internal count: it silently skips parts with headers that it cannot parse. */
function countOfParts(parser: BusboyInstance): unknown {
  const multipart: unknown = Reflect.get(parser, '_parser');
  return typeof multipart === 'object' && multipart !== null ? Reflect.get(multipart, '_nparts') : undefined;
}

/**
 * Follows the headers of parts, and hides the stated charset from the parser, which decodes few charsets and replaces what it cannot
 * decode.
 *
 * Whitespace between a delimiter and the end of its line is legal (RFC 2046, section 5.1.1). The parser takes it for
 * the first header line, and then ignores all headers; removing it here adds no cost per byte. Behind a damaged line, or too many, it
 * ignores headers, too: a part without its charset would be read as another text.
 */
function followHeaders(parser: BusboyInstance): PartHeaders {
  const headers = ['_parser', 'parser', '_hparser'].reduce<object>((from, name) => {
    const inner: unknown = Reflect.get(from, name);
    if (typeof inner !== 'object' || inner === null) throw new Error(`the multipart parser has no ${name}`);
    return inner;
  }, parser) as {
    buffer: string;
    header: Record<string, string[]>;
    /** Some of it is missing in `buffer`. */
    maxed: boolean;
    npairs: number;
    _parseHeader(): void;
  };
  const part: PartHeaders = { charset: null, isWhole: true };
  const parseHeaders = headers._parseHeader;
  headers._parseHeader = () => {
    headers.buffer = headers.buffer.replace(/^[ \t]+(?=\r\n|$)/, '');
    const lines = headers.buffer.split('\r\n').filter((line) => /^[^ \t]/.test(line));
    parseHeaders.call(headers);
    part.isWhole = !headers.maxed && headers.npairs === lines.length;
    const [type] = headers.header['content-type'] ?? [];
    part.charset = charsetOf(type) ?? null;
    if (type !== undefined && part.charset !== null)
      headers.header['content-type'] = [type.replace(/;.*/s, '')];
  };
  return part;
}

/** The part with the headers that were read last. */
interface PartHeaders {
  charset: string | null;
  /** False if headers were cut or ignored. */
  isWhole: boolean;
}

interface SentField {
  truncated: boolean;
  encoding: string;
  charset: string | null;
}

/** Decodes fields in the charset of the part, otherwise in that of `_charset_`, otherwise as UTF-8. */
function createFieldDecoder(): (name: string, bytes: Buffer, sent: SentField) => string {
  let formCharset = defaultCharset;
  let hasText = false;
  return (name, sentBytes, { truncated, encoding, charset }) => {
    const bytes = transferDecoded(name, sentBytes, encoding);
    const text = fieldDecoder(charset ?? formCharset)(name, bytes, truncated);
    if (name === charsetFieldName && text !== '') {
      if (hasText && text.toLowerCase() !== formCharset) throw invalid(httpTexts.form.charsetLate);
      formCharset = text.toLowerCase();
    } else if (charset === null && !isAscii(bytes)) hasText = true;
    return text;
  };
}

/** Decodes the Content-Transfer-Encoding, which is obsolete in forms (RFC 7578, section 4.7) but still sent by mail libraries. */
function transferDecoded(name: string, bytes: Buffer, encoding: string): Buffer {
  if (isIdentity(encoding)) return bytes;
  const text = bytes.toString('latin1').replace(/\s/g, '');
  if (encoding.trim() === 'base64' && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) return Buffer.from(text, 'base64');
  throw invalid(httpTexts.form.transferEncoding({ name, encoding }));
}

const isIdentity = (encoding: string) => ['', '7bit', '8bit', 'binary'].includes(encoding.trim());
const isAscii = (bytes: Buffer) => bytes.every((byte) => byte < 0x80);

/** Pipes the body into the parser, and checks its size and its end. */
function feed(
  request: IncomingMessage,
  parser: BusboyInstance,
  limits: MultipartLimits,
  reader: MultipartReader,
  fail: (error: unknown) => void,
): () => void {
  let bodyBytes = 0;
  const tooLong = inRequest(() => tooLarge(httpTexts.multipart.bodyLong));
  const count = (chunk: Buffer) => {
    bodyBytes += chunk.length;
    if (bodyBytes > limits.maxBodyBytes) fail(tooLong());
    try {
      reader.bytes?.(chunk.length);
    } catch (error) {
      fail(error);
    }
  };
  // The body may have arrived completely, but was lost with the connection before it was read.
  const broken = inRequest(() => {
    if (!request.readableEnded) fail(invalid(httpTexts.body.cut));
  });
  // The transfer watch may end the body with an error, for example if it arrives too slowly.
  const failed = (error: unknown) => (error instanceof AppError ? fail(error) : broken());
  request.on('data', count);
  request.on('close', broken);
  request.on('error', failed);
  request.pipe(parser);
  // A disconnect during authorization is not reported later.
  if (request.destroyed) broken();
  return () => {
    request.off('data', count);
    request.off('close', broken);
    request.off('error', failed);
  };
}
