/**
 * Reads protocol buffers. Own code, because untrusted messages need limits on depth and count, presence of fields, and memory
 * that does not grow with the number of fields: a message stays in its bytes, and its fields are located whenever they are read.
 * Source: protobuf.dev, "Encoding".
 */
import { isUtf8 } from 'node:buffer';
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';

/** Elements of XML, and the messages in them. Real files are not nested as deeply. */
export const maxMessageDepth = 600;
/** Maximum number of fields in a file, including those of nested messages, counted each time they are read. */
export const maxMessageFields = 50_000_000;

const varint = 0;
const fixed64 = 1;
const lengthDelimited = 2;
const fixed32 = 5;
const noField = -1;

export const damagedBundle = () => new UnreadablePackage(say('bundle-damaged'));

/** The known fields of a message. Any other field could change the meaning of the message. */
export interface MessageType {
  name: string;
  /** Numbers of its fields, as bits. */
  known: number;
  /** Numbers of the known fields that repeat. */
  repeated: number;
}

/** Converts numbers of fields, below 32, to bits. */
export const bitsOf = (fields: readonly number[]) => fields.reduce((bits, field) => bits | (1 << field), 0);

/** @param once numbers of fields that occur at most once */
export const messageType = (
  name: string,
  once: readonly number[],
  repeated: readonly number[] = [],
): MessageType => ({ name, known: bitsOf([...once, ...repeated]), repeated: bitsOf(repeated) });

/** A part of a message. */
export interface BytesPart {
  bytes: Buffer;
  start: number;
  end: number;
}

/**
 * @param onUnknown called for each unknown field; without it, such a field is refused
 * @throws UnreadablePackage if a message is truncated, has a field twice that may occur only once, or exceeds a limit; when a
 * field is read, also for a different wire type
 */
export function readProtobuf(
  bytes: Buffer,
  type: MessageType,
  onUnknown: UnknownField = refuseUnknown,
): ProtobufMessage {
  const part = { bytes, start: 0, end: bytes.length };
  return new ProtobufMessage(part, type, { fieldsLeft: maxMessageFields, onUnknown }, 0);
}

type UnknownField = (message: string, field: number) => void;

const refuseUnknown: UnknownField = (message, number) => {
  throw new UnreadablePackage(say('bundle-field-unknown', { message, number: String(number) }));
};

interface Context {
  fieldsLeft: number;
  onUnknown: UnknownField;
}

/** Integers are their low 32 bits, unsigned. A class, because tables have millions of messages. */
export class ProtobufMessage implements BytesPart {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  private readonly context: Context;
  private readonly depth: number;
  /** Numbers of the fields that are present, as bits. */
  private present = 0;
  /** Position of the next field or value. */
  private at = 0;

  constructor({ bytes, start, end }: BytesPart, type: MessageType, context: Context, depth: number) {
    if (depth > maxMessageDepth) throw damagedBundle();
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.context = context;
    this.depth = depth;
    this.check(type);
  }

  private check({ name, known, repeated }: MessageType): void {
    this.at = this.start;
    while (this.at < this.end) {
      if (--this.context.fieldsLeft < 0) throw damagedBundle();
      const tag = this.readVarint();
      const field = tag >>> 3;
      const bit = field < 32 ? 1 << field : 0;
      if ((known & bit) === 0) this.context.onUnknown(name, field);
      if ((this.present & bit & ~repeated) !== 0) throw damagedBundle();
      this.present |= bit & known;
      this.skip(tag & 7);
    }
  }

  has(field: number): boolean {
    return (this.present & (1 << field)) !== 0;
  }

  /**
   * The field of a `oneof` that is set; null without one.
   * @param fields as bits
   */
  which(fields: number): number | null {
    const found = this.present & fields;
    if ((found & (found - 1)) !== 0) throw damagedBundle();
    return found === 0 ? null : 31 - Math.clz32(found);
  }

  /** Returns an integer, an enum, a boolean or the bits of a float; 0 if absent. */
  number(field: number): number {
    if (!this.has(field)) return 0;
    this.at = this.start;
    return this.readNumber(this.next(field));
  }

  /** Packed or not. Yields one at a time, because a message can have millions. */
  *numbers(field: number): Generator<number, void, undefined> {
    for (let at = this.start; ; ) {
      this.at = at;
      const wireType = this.next(field);
      if (wireType === noField) return;
      const isPacked = wireType === lengthDelimited;
      const end = isPacked ? this.readEnd(wireType) : this.at + 1;
      while (this.at < end) {
        const number = this.readNumber(isPacked ? varint : wireType);
        at = this.at;
        yield number;
        this.at = at;
      }
      if (isPacked && this.at > end) throw damagedBundle();
      at = this.at;
    }
  }

  text(field: number): string {
    return textOf(this.part(field));
  }

  texts(field: number): string[] {
    return [...this.parts(field)].map(textOf);
  }

  message(field: number, type: MessageType): ProtobufMessage | null {
    return this.has(field) ? this.read(this.part(field), type) : null;
  }

  *messages(field: number, type: MessageType): Generator<ProtobufMessage, void, undefined> {
    for (const part of this.parts(field)) yield this.read(part, type);
  }

  /** Reads a part of this message as a message. */
  read(part: BytesPart, type: MessageType): ProtobufMessage {
    return new ProtobufMessage(part, type, this.context, this.depth + 1);
  }

  /** Returns the bytes of a text or message; empty if absent. */
  part(field: number): BytesPart {
    if (!this.has(field)) return { bytes: this.bytes, start: this.end, end: this.end };
    this.at = this.start;
    const end = this.readEnd(this.next(field));
    return { bytes: this.bytes, start: this.at, end };
  }

  private *parts(field: number): Generator<BytesPart, void, undefined> {
    for (let at = this.start; ; ) {
      this.at = at;
      const wireType = this.next(field);
      if (wireType === noField) return;
      const end = this.readEnd(wireType);
      at = end;
      yield { bytes: this.bytes, start: this.at, end };
    }
  }

  /** Moves to the value of the next field with this number, and returns its wire type. */
  private next(field: number): number {
    while (this.at < this.end) {
      const tag = this.readVarint();
      if (tag >>> 3 === field) return tag & 7;
      this.skip(tag & 7);
    }
    return noField;
  }

  private skip(wireType: number): void {
    if (wireType === varint) this.readVarint();
    else if (wireType === lengthDelimited) this.at = this.readEnd(wireType);
    else if (wireType === fixed32) this.advance(4);
    else if (wireType === fixed64) this.advance(8);
    else throw damagedBundle();
  }

  private advance(length: number): number {
    if (length > this.end - this.at) throw damagedBundle();
    this.at += length;
    return this.at - length;
  }

  private readNumber(wireType: number): number {
    if (wireType === varint) return this.readVarint();
    if (wireType === fixed32) return this.bytes.readUInt32LE(this.advance(4));
    throw damagedBundle();
  }

  /** Moves to the start of a text or message, and returns its end. */
  private readEnd(wireType: number): number {
    if (wireType !== lengthDelimited) throw damagedBundle();
    const length = this.readVarint();
    if (length > this.end - this.at) throw damagedBundle();
    return this.at + length;
  }

  /** Negative 32-bit integers are encoded in ten bytes. */
  private readVarint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= this.end) throw damagedBundle();
      const byte = this.bytes[this.at++] ?? 0;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw damagedBundle();
  }
}

/** @throws UnreadablePackage if it is not UTF-8 */
export function textOf({ bytes, start, end }: BytesPart): string {
  const part = bytes.subarray(start, end);
  if (!isUtf8(part)) throw damagedBundle();
  return part.toString();
}
