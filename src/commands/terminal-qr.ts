import { encode } from 'uqr';

/** What scanners ask for around a code (ISO/IEC 18004, 6.3.8), in modules. */
const quietZone = 4;

/** Longer addresses give codes that no terminal is high enough for. */
export const maxQrAddressLength = 300;

const blackOnWhite = '\x1b[38;5;16;48;5;231m';
const plain = '\x1b[0m';

/**
 * The QR code of an address as lines of half blocks, two modules to a cell.
 *
 * With `colour` each line sets black on white by the fixed entries 16 and 231 of the 256-colour palette, which themes do not
 * change, so the code is dark on light on any background. Without it the light modules are drawn and the dark ones left
 * blank, which is right on a dark terminal and inverted on a light one; scanners of today read that too.
 * Null when the address is longer than `maxQrAddressLength` or the code wider than `columns`.
 */
export function terminalQr(address: string, options: { columns: number; colour: boolean }): string[] | null {
  if (address.length > maxQrAddressLength) return null;
  const code = encode(address, { ecc: 'L', border: 0 });
  const side = code.size + 2 * quietZone;
  if (side > options.columns) return null;
  const isDark = (x: number, y: number) => code.data[y - quietZone]?.[x - quietZone] ?? false;
  const isInked = (x: number, y: number) => (y >= side ? false : isDark(x, y) === options.colour);
  const lines: string[] = [];
  for (let y = 0; y < side; y += 2) {
    let line = '';
    for (let x = 0; x < side; x += 1) line += halfBlock(isInked(x, y), isInked(x, y + 1));
    lines.push(options.colour ? blackOnWhite + line + plain : line);
  }
  return lines;
}

function halfBlock(top: boolean, bottom: boolean): string {
  if (top) return bottom ? '█' : '▀';
  return bottom ? '▄' : ' ';
}
