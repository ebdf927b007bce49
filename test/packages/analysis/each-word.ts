import { UnreadablePackage } from '../../../src/packages/package-info.ts';

export const largest = 0xffffffff;

/** Writes a word at each position in turn, and requires that the reader answers or refuses. */
export async function eachWord(
  bytes: Buffer,
  {
    values,
    read,
    big = false,
  }: { values: readonly number[]; read: (bytes: Buffer) => unknown; big?: boolean },
): Promise<number> {
  let refused = 0;
  for (let at = 0; at + 4 <= bytes.length; at += 4)
    for (const value of values) {
      const changed = Buffer.from(bytes);
      big ? changed.writeUInt32BE(value, at) : changed.writeUInt32LE(value, at);
      try {
        await read(changed);
      } catch (error) {
        // A read past the end has a code; an exhausted stack or a length that no array has does not.
        if (!(error instanceof UnreadablePackage || (error instanceof RangeError && 'code' in error)))
          throw error;
        refused++;
      }
    }
  return refused;
}
