/** Writes ASN.1 values in DER (X.690, 10). */

export const utcTime = (text: string) => der(0x17, Buffer.from(text));
export const generalizedTime = (text: string) => der(0x18, Buffer.from(text));

export function derName(parts: readonly (readonly [string, string | Buffer])[]): Buffer {
  return derSequence(
    parts.map(([type, value]) =>
      der(
        0x31,
        derSequence([derIdentifier(type), typeof value === 'string' ? der(0x0c, Buffer.from(value)) : value]),
      ),
    ),
  );
}

export function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const octets: number[] = [];
  for (let left = length; left > 0; left >>= 8) octets.unshift(left & 0xff);
  const head = length < 0x80 ? [tag, length] : [tag, 0x80 | octets.length, ...octets];
  return Buffer.concat([Buffer.from(head), content]);
}

export function derSequence(parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

export function derSet(parts: readonly Buffer[]): Buffer {
  return der(0x31, Buffer.concat(parts));
}

export function derIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const octets = [first * 40 + second, ...rest].flatMap((arc) => {
    const base128 = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      base128.unshift((left & 0x7f) | 0x80);
    return base128;
  });
  return der(0x06, Buffer.from(octets));
}
