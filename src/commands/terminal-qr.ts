import { encode } from 'uqr';

/** Width of the light border around a code, in modules (ISO/IEC 18004, 6.3.8). */
const quietZone = 4;

/** Codes of longer addresses are taller than a terminal. */
export const maxQrAddressLength = 300;

const blackOnWhite = '\x1b[38;5;16;48;5;231m';
const plain = '\x1b[0m';

/**
 * Renders the QR code of an address as lines of half blocks, two modules per cell. With `color`, each line uses black on white
 * from the fixed entries 16 and 231 of the 256-color palette, which themes do not change, so the code is dark on light on any
 * background. Without it, only the light modules are drawn, which is correct on a dark terminal and inverted on a light one;
 * modern scanners read that too. Returns null if the address is longer than `maxQrAddressLength` or the code is wider than
 * `columns`.
 */
export function terminalQr(address: string, options: { columns: number; color: boolean }): string[] | null {
  if (address.length > maxQrAddressLength) return null;
  const code = encode(address, { ecc: 'L', border: 0 });
  const side = code.size + 2 * quietZone;
  if (side > options.columns) return null;
  const isDark = (x: number, y: number) => code.data[y - quietZone]?.[x - quietZone] ?? false;
  const isInked = (x: number, y: number) => (y >= side ? false : isDark(x, y) === options.color);
  const lines: string[] = [];
  for (let y = 0; y < side; y += 2) {
    let line = '';
    for (let x = 0; x < side; x += 1) line += halfBlock(isInked(x, y), isInked(x, y + 1));
    lines.push(options.color ? blackOnWhite + line + plain : line);
  }
  return lines;
}

function halfBlock(top: boolean, bottom: boolean): string {
  if (top) return bottom ? '█' : '▀';
  return bottom ? '▄' : ' ';
}
