/**
 * Entitlements as a property list, and in DER: `[APPLICATION 16] { INTEGER 1, [16] { SEQUENCE { UTF8String, value } … } }`, where older
 * tools write a SET of the pairs only. Based on `CoreEntitlements` as xnu uses it.
 */
import {
  type BerValue,
  berChildren,
  berIntegerHex,
  expectBer,
  MalformedBer,
  readBer,
} from '../../certificate/ber.ts';
import { UnreadablePackage } from '../../package-info.ts';
import { parsePropertyList } from '../../property-list/property-list.ts';
import {
  isDictionary,
  newDictionary,
  type PropertyListDictionary,
  type PropertyListValue,
} from '../../property-list/property-list-value.ts';

/** Both encodings have a header of 4 bytes of magic number and 4 of length in a signature, and may have it in a section. */
const magicNumbers = [0xfade7171, 0xfade7172];
const headerBytes = 8;
/** Real entitlements nest lists in one dictionary. */
export const maxEntitlementDepth = 16;

const tag = {
  boolean: 0x01,
  integer: 0x02,
  data: 0x04,
  text: 0x0c,
  list: 0x30,
  set: 0x31,
  outer: 0x70,
  dictionary: 0xb0,
};

/** @throws UnreadablePackage if the bytes are neither */
export function parseEntitlements(blob: Buffer, encoding: 'xml' | 'der'): PropertyListDictionary {
  const hasHeader = blob.length >= headerBytes && magicNumbers.includes(blob.readUInt32BE(0));
  const bytes = hasHeader ? blob.subarray(headerBytes) : blob;
  if (bytes.length === 0) return {};
  const list = encoding === 'xml' ? parsePropertyList(bytes, 'the entitlements') : parseDer(bytes);
  if (!isDictionary(list)) throw new UnreadablePackage('the entitlements are not a dictionary');
  return list;
}

function parseDer(bytes: Buffer): PropertyListValue {
  try {
    const value = readBer(bytes);
    const content = value.tag === tag.outer ? berChildren(value)[1] : value;
    if (!content) throw new MalformedBer('there is no dictionary');
    return readValue(content, 0);
  } catch (cause) {
    if (!(cause instanceof MalformedBer)) throw cause;
    throw new UnreadablePackage('the entitlements are malformed', { cause });
  }
}

function readValue(value: BerValue, depth: number): PropertyListValue {
  if (depth > maxEntitlementDepth) throw new MalformedBer('values are nested too deep');
  switch (value.tag) {
    case tag.boolean:
      return value.content[0] !== 0;
    case tag.integer:
      return Number.parseInt(berIntegerHex(value), 16);
    case tag.data:
      return value.content;
    case tag.text:
      return value.content.toString();
    case tag.list:
      return berChildren(value).map((child) => readValue(child, depth + 1));
    case tag.set:
    case tag.dictionary:
      return Object.assign(newDictionary(), Object.fromEntries(berChildren(value).map(readPair(depth + 1))));
    default:
      throw new MalformedBer('a value has an unknown type');
  }
}

const readPair =
  (depth: number) =>
  (pair: BerValue): [string, PropertyListValue] => {
    const [key, stated] = berChildren(expectBer(pair, tag.list));
    if (!stated) throw new MalformedBer('a value is missing');
    return [expectBer(key, tag.text).content.toString(), readValue(stated, depth)];
  };
