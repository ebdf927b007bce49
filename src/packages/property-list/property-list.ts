/**
 * Property lists in all three formats of app bundles: binary, XML and the old text format of `.strings` files. Own code, because
 * libraries expand shared references without limit and support only one or two of the formats.
 */

import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { parseBinaryPropertyList } from './binary-property-list.ts';
import { parseOpenStepPropertyList } from './openstep-property-list.ts';
import {
  type PropertyListLimits,
  type PropertyListValue,
  propertyListLimits,
} from './property-list-value.ts';
import { parseXmlPropertyList } from './xml-property-list.ts';

/**
 * Parses `buffer` in any format and encoding (UTF-8, or UTF-16 with or without a byte order mark). Dates are `Date`, data is
 * `Buffer`, integers beyond 2^53 are `bigint`, and dictionaries have no prototype. Throws UnreadablePackage with a message that
 * starts with `fileName` if it is malformed, too deep or too large.
 */
export function parsePropertyList(
  buffer: Buffer,
  fileName = 'the property list',
  limits: PropertyListLimits = propertyListLimits,
): PropertyListValue {
  if (buffer.length === 0) throw new UnreadablePackage(say('property-list-empty', { name: fileName }));
  if (buffer.length > limits.maxBytes) {
    throw new UnreadablePackage(say('property-list-too-large', { name: fileName, bytes: limits.maxBytes }));
  }
  try {
    if (buffer.subarray(0, 6).toString('latin1') === 'bplist') return parseBinaryPropertyList(buffer, limits);
    const text = decodeText(buffer);
    const isXml = text.trimStart().startsWith('<');
    return isXml ? parseXmlPropertyList(text, limits) : parseOpenStepPropertyList(text, limits);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadablePackage(say('property-list-unreadable', { name: fileName, reason }), {
      cause: error,
    });
  }
}

/** Returns the text without its byte order mark. Without a mark, a zero in the first two bytes indicates UTF-16. */
function decodeText(buffer: Buffer): string {
  return new TextDecoder(encodingOf(buffer)).decode(buffer);
}

function encodingOf(buffer: Buffer): string {
  const [first, second] = buffer;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0) return 'utf-16be';
  if (second === 0) return 'utf-16le';
  const declared = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)["']/i.exec(
    buffer.toString('latin1', 0, 200),
  );
  return declared?.[1] ?? 'utf-8';
}
