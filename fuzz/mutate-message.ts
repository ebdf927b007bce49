/** Changes fields of protocol buffers and keeps their lengths right, so that the changes reach the reader's depth. */
import { encode, type Field, varint } from '../test/packages/bundle/bundle-messages.ts';
import { interesting, mutateBytes } from './mutate-bytes.ts';
import type { RandomSource } from './random.ts';

const maxNesting = 2_000;
const maxCopies = 3_000;

export function mutateMessage(message: Buffer, random: RandomSource): Buffer {
  const fields = readFields(message);
  if (fields === null || fields.length === 0) return mutateBytes(message, random);
  const at = random.below(fields.length);
  const changed = changeField(fields[at] as Field, random);
  return encode(...fields.slice(0, at), ...changed, ...fields.slice(at + 1));
}

function changeField(field: Field, random: RandomSource): Field[] {
  const [number, value] = field;
  if (random.chance(0.1))
    return random.pick([[], [field, field], [[1 + random.below(20), value]]]) as Field[];
  if (typeof value === 'number') return [[number, random.pick([...interesting, random.below(300)])]];
  const bytes = Buffer.from(value);
  if (random.chance(0.7)) return [[number, mutateMessage(bytes, random)]];
  switch (random.below(5)) {
    case 0: {
      let nested: Buffer = bytes;
      for (let depth = random.below(maxNesting); depth > 0 && nested.length < 2 ** 17; depth--)
        nested = encode([number, nested]);
      return [[number, nested]];
    }
    case 1:
      return bytes.length > 100
        ? [field, field]
        : Array.from({ length: random.below(maxCopies) }, () => [number, bytes] as const);
    case 2:
      return [[number, random.pick([bytes.toString('utf8').repeat(2), '\0', '../x', 'ä'.repeat(300), ''])]];
    case 3:
      return [[number, Buffer.concat([bytes, varint(random.pick(interesting)), random.bytes(3)])]];
    default:
      return [[number, mutateBytes(bytes, random)]];
  }
}

/** Null if the bytes are not a message of fields with numbers and lengths. */
function readFields(bytes: Buffer): Field[] | null {
  const fields: Field[] = [];
  let at = 0;
  const number = () => {
    let value = 0;
    for (let shift = 1; at < bytes.length; shift *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
      if (shift > 2 ** 42) break;
    }
    return -1;
  };
  while (at < bytes.length) {
    const tag = number();
    const [id, kind] = [Math.floor(tag / 8), tag % 8];
    if (tag < 8 || (kind !== 0 && kind !== 2)) return null;
    const value = number();
    if (value < 0 || (kind === 2 && at + value > bytes.length)) return null;
    fields.push([id, kind === 0 ? value : bytes.subarray(at, at + value)]);
    if (kind === 2) at += value;
  }
  return fields;
}
