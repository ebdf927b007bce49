/** Decodes finite state entropy (tANS) as used by LZFSE, based on the open-source `lzfse_fse.c`. */

/** A symbol represents `base` plus the following `bits` bits of the stream. */
export interface ValueRange {
  base: number;
  extraBits: number;
}

export interface EntropyEntry extends ValueRange {
  stateBits: number;
  nextState: number;
}

export interface EntropyState {
  entries: EntropyEntry[];
  state: number;
}

/** Reads the bits of a buffer from its end to its start. */
interface BackwardBits {
  /** Reads up to 25 bits. Throws `Error` past the start. */
  take(count: number): number;
}

/** `padding`: number of bits at the end that are not part of the stream. */
export function createBackwardBits(bytes: Buffer, padding: number): BackwardBits {
  const padded = Buffer.concat([bytes, Buffer.alloc(8)]);
  let position = bytes.length * 8 - padding;
  return {
    take(count) {
      position -= count;
      if (position < 0) throw new Error('compressed data ends too early');
      const word = padded.readUInt32LE(position >> 3);
      return (word >>> (position & 7)) & (2 ** count - 1);
    },
  };
}

/**
 * Returns the entry of each state. A symbol with frequency f has f consecutive states, the first of which read one more bit, so
 * that each leads to an equal share of all states. Throws `Error` if the frequencies need more than `stateCount` states.
 */
export function buildDecoder(
  frequencies: number[],
  stateCount: number,
  values: ValueRange[],
): EntropyEntry[] {
  const entries: EntropyEntry[] = [];
  for (const [symbol, frequency] of frequencies.entries()) {
    const value = values[symbol];
    if (frequency === 0 || !value) continue;
    if (entries.length + frequency > stateCount) throw new Error('compressed data has invalid frequencies');
    const stateBits = Math.clz32(frequency) - Math.clz32(stateCount);
    const longStates = ((2 * stateCount) >> stateBits) - frequency;
    for (let index = 0; index < frequency; index++) {
      const isLong = index < longStates;
      const nextState = isLong
        ? ((frequency + index) << stateBits) - stateCount
        : (index - longStates) << (stateBits - 1);
      entries.push({ ...value, stateBits: isLong ? stateBits : stateBits - 1, nextState });
    }
  }
  return entries;
}

/** Returns the value of the current state and advances to the next. */
export function decodeSymbol(stream: EntropyState, bits: BackwardBits): number {
  const entry = stream.entries[stream.state];
  if (!entry) throw new Error('compressed data has an invalid state');
  const taken = bits.take(entry.stateBits + entry.extraBits);
  stream.state = entry.nextState + (taken >>> entry.extraBits);
  return entry.base + (taken & (2 ** entry.extraBits - 1));
}
