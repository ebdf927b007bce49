/**
 * Splits what a directory sends into messages (RFC 4511, section 4), and accepts only those that have the structure of an answer
 * to a bind or a search. The library would loop forever on lengths that do not fit, and overflow the stack on many messages at once.
 */
import { Transform } from 'node:stream';

export const maxMessageBytes = 4 * 1024 * 1024;
/** The answer to one operation, with all its entries. */
export const maxAnswerBytes = 32 * 1024 * 1024;

/** A data value (X.690, section 8.1): its tag, and for constructed ones, its parts. */
interface Shape {
  tag: number;
  parts?: readonly Shape[];
  /** Any number of these. */
  each?: Shape;
  isOptional?: true;
  maxBytes?: number;
}

const text: Shape = { tag: 0x04 };
const optional = (shape: Shape): Shape => ({ ...shape, isOptional: true });
const result: readonly Shape[] = [
  { tag: 0x0a, maxBytes: 4 },
  text,
  text,
  optional({ tag: 0xa3, each: text }),
  optional({ tag: 0x87 }),
  optional({ tag: 0x8a }),
  optional({ tag: 0x8b }),
];
const attribute: Shape = { tag: 0x30, parts: [text, { tag: 0x31, each: text }] };
const operations: readonly Shape[] = [
  { tag: 0x61, parts: result },
  { tag: 0x64, parts: [text, { tag: 0x30, each: attribute }] },
  { tag: 0x65, parts: result },
  { tag: 0x73, each: text },
  { tag: 0x78, parts: result },
];
const control: Shape = {
  tag: 0x30,
  parts: [text, optional({ tag: 0x01, maxBytes: 1 }), optional(text)],
};
const envelopes: ReadonlyMap<number, Shape> = new Map(
  operations.map((operation) => [
    operation.tag,
    { tag: 0x30, parts: [{ tag: 0x02, maxBytes: 4 }, operation, optional({ tag: 0xa0, each: control })] },
  ]),
);

interface Header {
  tag: number;
  from: number;
  until: number;
}

/** Null if it is not complete yet. */
function readHeader(bytes: Buffer, at: number): Header | null {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) return null;
  if (first < 0x80) return { tag, from: at + 2, until: at + 2 + first };
  const count = first - 0x80;
  if (count === 0 || count > 4) throw new Error('the directory sends a length that is not supported');
  if (bytes.length < at + 2 + count) return null;
  const from = at + 2 + count;
  return { tag, from, until: from + bytes.readUIntBE(at + 2, count) };
}

/** Returns where the value ends. Throws if it does not have the shape. */
function check(bytes: Buffer, at: number, end: number, shape: Shape): number {
  const header = at < end ? readHeader(bytes.subarray(0, end), at) : null;
  if (!header || header.tag !== shape.tag || header.until > end) throw malformed();
  const { from, until } = header;
  if (shape.maxBytes !== undefined && (until === from || until - from > shape.maxBytes)) throw malformed();
  if (!shape.parts && !shape.each) return until;
  let next = from;
  for (const part of shape.parts ?? [])
    if (!part.isOptional || (next < until && bytes[next] === part.tag))
      next = check(bytes, next, until, part);
  while (shape.each && next < until) next = check(bytes, next, until, shape.each);
  if (next !== until) throw malformed();
  return until;
}

const malformed = () => new Error('the directory sends a malformed message');

/** Returns the first complete message; null without one. Throws if it is malformed or too large. */
export function firstMessage(bytes: Buffer): Buffer | null {
  const header = readHeader(bytes, 0);
  if (!header) {
    if (bytes.length > 0 && bytes[0] !== 0x30) throw malformed();
    return null;
  }
  if (header.tag !== 0x30) throw malformed();
  if (header.until > maxMessageBytes)
    throw new Error(`the directory sends a message of more than ${maxMessageBytes} bytes`);
  if (bytes.length < header.until) return null;
  const id = readHeader(bytes, header.from);
  const envelope = id && envelopes.get(bytes[id.until] ?? 0);
  if (!envelope) throw malformed();
  check(bytes, 0, header.until, envelope);
  return bytes.subarray(0, header.until);
}

export interface MessageFilter extends Transform {
  /** Begins to count the bytes of an operation. */
  begin(): void;
}

/** Emits one message at a time. */
export function createMessageFilter(): MessageFilter {
  let chunks: Buffer[] = [];
  let held = 0;
  /** How many bytes the first message needs; avoids copying them again with each chunk. */
  let needed = 0;
  let answered = 0;
  const take = (stream: Transform, chunk: Buffer) => {
    answered += chunk.length;
    if (answered > maxAnswerBytes)
      throw new Error(`the directory answers with more than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
    held += chunk.length;
    if (held < needed) return;
    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    for (let message = firstMessage(rest); message; message = firstMessage(rest)) {
      stream.push(message);
      rest = rest.subarray(message.length);
    }
    needed = readHeader(rest, 0)?.until ?? 0;
    chunks = rest.length === 0 ? [] : [rest];
    held = rest.length;
  };
  const filter = new Transform({
    // Keeps messages apart.
    readableObjectMode: true,
    transform(chunk: Buffer, _encoding, done) {
      try {
        take(this, chunk);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
  return Object.assign(filter, {
    begin: () => {
      answered = 0;
    },
  });
}
