/** Reads the length-prefixed values of the APK Signing Block; all integers are little-endian. */

/** A value of the signing block, named in the message, exceeds its container or a limit. */
export class MalformedSigningData extends Error {
  override name = 'MalformedSigningData';
}

export interface SigningBytes {
  /** Bytes not yet read. */
  remaining(): number;
  uint32(what: string): number;
  /** Reads a uint32 length and that many bytes. */
  prefixed(what: string): Buffer;
  rest(): Buffer;
}

/** Returns a cursor over `bytes`. Reads throw `MalformedSigningData` with `what` if too few bytes are left. */
export function readSigningBytes(bytes: Buffer): SigningBytes {
  let position = 0;
  const remaining = () => bytes.length - position;

  function take(length: number, what: string): Buffer {
    if (length > remaining()) throw new MalformedSigningData(`${what} is truncated`);
    position += length;
    return bytes.subarray(position - length, position);
  }

  const uint32 = (what: string) => take(4, what).readUInt32LE(0);
  return {
    remaining,
    uint32,
    prefixed: (what) => take(uint32(what), what),
    rest: () => take(remaining(), ''),
  };
}

/** Returns the length-prefixed values in `bytes`. Throws `MalformedSigningData`, including for more than `maxCount`. */
export function readPrefixedSequence(bytes: Buffer, what: string, maxCount: number): Buffer[] {
  const cursor = readSigningBytes(bytes);
  const values: Buffer[] = [];
  while (cursor.remaining() > 0) {
    if (values.length === maxCount)
      throw new MalformedSigningData(`there are more than ${maxCount} of ${what}`);
    values.push(cursor.prefixed(what));
  }
  return values;
}
