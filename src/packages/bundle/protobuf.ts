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

/** The fields that are known of a message: anything else could change what the message means. */
export interface MessageType {
  name: string;
  /** The numbers of its fields as bits. */
  known: number;
  /** The known fields that repeat. */
  repeated: number;
}

const bitsOf = (fields: readonly number[]) => fields.reduce((bits, field) => bits | (1 << field), 0);

/** @param once the numbers, below 32, of fields that occur at most once */
export const messageType = (
  name: string,
  once: readonly number[],
  repeated: readonly number[] = [],
): MessageType => ({ name, known: bitsOf([...once, ...repeated]), repeated: bitsOf(repeated) });

/** Fields in the order of the file: integers by their low 32 bits, unsigned; everything else as bytes. */
export interface ProtobufMessage {
  has(field: number): boolean;
  /** The field of a `oneof` that is set; null without one. */
  which(...fields: readonly number[]): number | null;
  /** An integer, an enum, a boolean or the bits of a float; 0 without one. */
  number(field: number): number;
  numbers(field: number): number[];
  text(field: number): string;
  texts(field: number): string[];
  message(field: number, type: MessageType): ProtobufMessage | null;
  messages(field: number, type: MessageType): ProtobufMessage[];
  /** Bytes of a message; empty without one. */
  bytes(field: number): Buffer;
}

/**
 * @param onUnknown called for each field that is not known; without it, such a field is refused
 * @throws UnreadablePackage when a message is truncated, has a field twice that occurs once, or exceeds a limit; when a field of
 * it is read, also for another wire type
 */
export function readProtobuf(
  bytes: Buffer,
  type: MessageType,
  onUnknown: UnknownField = refuseUnknown,
): ProtobufMessage {
  return readMessage(bytes, type, { fields: maxMessageFields, onUnknown }, 0);
}

type UnknownField = (message: string, field: number) => void;

const refuseUnknown: UnknownField = (message, number) => {
  throw new UnreadablePackage(say('bundle-field-unknown', { message, number: String(number) }));
};

interface Context {
  fields: number;
  onUnknown: UnknownField;
}

function readMessage(bytes: Buffer, type: MessageType, context: Context, depth: number): ProtobufMessage {
  if (depth > maxMessageDepth) throw damagedBundle();
  const { numbers: ids, values } = readFields(bytes, type, context);
  const firstOf = (field: number) => values[ids.indexOf(field)];
  const all = (field: number) => values.filter((_, at) => ids[at] === field);
  const child = (value: number | Buffer, childType: MessageType) =>
    readMessage(asBytes(value), childType, context, depth + 1);
  return {
    has: (field) => ids.includes(field),
    which: (...fields) => {
      const [found = null, another] = ids.filter((id) => fields.includes(id));
      if (another !== undefined) throw damagedBundle();
      return found;
    },
    number: (field) => asNumber(firstOf(field) ?? 0),
    numbers: (field) =>
      all(field).flatMap((value) => (typeof value === 'number' ? value : readVarints(value))),
    text: (field) => textOf(asBytes(firstOf(field) ?? noBytes)),
    texts: (field) => all(field).map((value) => textOf(asBytes(value))),
    message: (field, childType) => {
      const value = firstOf(field);
      return value === undefined ? null : child(value, childType);
    },
    messages: (field, childType) => all(field).map((value) => child(value, childType)),
    bytes: (field) => asBytes(firstOf(field) ?? noBytes),
  };
}

const noBytes = Buffer.alloc(0);

function readFields(bytes: Buffer, { name, known, repeated }: MessageType, context: Context) {
  const numbers: number[] = [];
  const values: (number | Buffer)[] = [];
  const reader = { bytes, position: 0 };
  let seen = 0;
  while (reader.position < bytes.length) {
    if (--context.fields < 0) throw damagedBundle();
    const tag = readVarint(reader);
    const field = tag >>> 3;
    const bit = field < 32 ? 1 << field : 0;
    if ((known & bit) === 0) context.onUnknown(name, field);
    if ((seen & bit & ~repeated) !== 0) throw damagedBundle();
    seen |= bit & known;
    numbers.push(field);
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
