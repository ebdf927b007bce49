/**
 * Reads protocol buffers. Own code: untrusted messages need limits of depth and count, and presence of fields.
 * Source: protobuf.dev, "Encoding".
 */
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';

/** Elements of XML and the messages in them; real files are less deep. */
export const maxMessageDepth = 600;
/** Fields of one file, with those of messages that were read. */
export const maxMessageFields = 10_000_000;

const varint = 0;
const fixed64 = 1;
const lengthDelimited = 2;
const fixed32 = 5;
const texts = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const damagedBundle = () => new UnreadablePackage(say('bundle-damaged'));

/** Fields in the order of the file: integers by their low 32 bits, unsigned; everything else as bytes. */
export interface ProtobufMessage {
  has(field: number): boolean;
  /** The field of a `oneof` that is set; the last one counts. Null without one. */
  which(...fields: readonly number[]): number | null;
  /** An integer, an enum, a boolean or the bits of a float; 0 without one. */
  number(field: number): number;
  numbers(field: number): number[];
  text(field: number): string;
  texts(field: number): string[];
  message(field: number): ProtobufMessage | null;
  messages(field: number): ProtobufMessage[];
  /** Bytes of a message; empty without one. */
  bytes(field: number): Buffer;
}

/** @throws UnreadablePackage when a message is truncated, or exceeds a limit; when a field of it is read, also for another wire type */
export function readProtobuf(bytes: Buffer): ProtobufMessage {
  return readMessage(bytes, { fields: maxMessageFields }, 0);
}

interface Budget {
  fields: number;
}

function readMessage(bytes: Buffer, budget: Budget, depth: number): ProtobufMessage {
  if (depth > maxMessageDepth) throw damagedBundle();
  const { numbers: ids, values } = readFields(bytes, budget);
  const last = (field: number) => ids.lastIndexOf(field);
  const all = (field: number) => values.filter((_, at) => ids[at] === field);
  const child = (value: number | Buffer) => readMessage(asBytes(value), budget, depth + 1);
  return {
    has: (field) => ids.includes(field),
    which: (...fields) => ids.findLast((id) => fields.includes(id)) ?? null,
    number: (field) => asNumber(values[last(field)] ?? 0),
    numbers: (field) =>
      all(field).flatMap((value) => (typeof value === 'number' ? value : readVarints(value))),
    text: (field) => textOf(asBytes(values[last(field)] ?? noBytes)),
    texts: (field) => all(field).map((value) => textOf(asBytes(value))),
    message: (field) => {
      const value = values[last(field)];
      return value === undefined ? null : child(value);
    },
    messages: (field) => all(field).map(child),
    bytes: (field) => asBytes(values[last(field)] ?? noBytes),
  };
}

const noBytes = Buffer.alloc(0);

function readFields(bytes: Buffer, budget: Budget) {
  const numbers: number[] = [];
  const values: (number | Buffer)[] = [];
  const reader = { bytes, position: 0 };
  while (reader.position < bytes.length) {
    if (--budget.fields < 0) throw damagedBundle();
    const tag = readVarint(reader);
    numbers.push(tag >>> 3);
    values.push(readValue(reader, tag & 7));
  }
  return { numbers, values };
}

interface Reader {
  bytes: Buffer;
  position: number;
}

function readValue(reader: Reader, wireType: number): number | Buffer {
  if (wireType === varint) return readVarint(reader);
  if (wireType === lengthDelimited) return take(reader, readVarint(reader));
  if (wireType === fixed32) return take(reader, 4).readUInt32LE(0);
  if (wireType === fixed64) return take(reader, 8);
  throw damagedBundle();
}

function take(reader: Reader, length: number): Buffer {
  const start = reader.position;
  if (length > reader.bytes.length - start) throw damagedBundle();
  reader.position = start + length;
  return reader.bytes.subarray(start, start + length);
}

/** Negative 32-bit integers have ten bytes. */
function readVarint(reader: Reader): number {
  let value = 0;
  for (let shift = 0; shift < 70; shift += 7) {
    const byte = reader.bytes[reader.position++];
    if (byte === undefined) throw damagedBundle();
    if (shift < 32) value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value >>> 0;
  }
  throw damagedBundle();
}

function readVarints(bytes: Buffer): number[] {
  const reader = { bytes, position: 0 };
  const numbers: number[] = [];
  while (reader.position < bytes.length) numbers.push(readVarint(reader));
  return numbers;
}

function asNumber(value: number | Buffer): number {
  if (typeof value !== 'number') throw damagedBundle();
  return value;
}

function asBytes(value: number | Buffer): Buffer {
  if (typeof value === 'number') throw damagedBundle();
  return value;
}

function textOf(bytes: Buffer): string {
  try {
    return texts.decode(bytes);
  } catch (cause) {
    throw new UnreadablePackage(say('bundle-damaged'), { cause });
  }
}
