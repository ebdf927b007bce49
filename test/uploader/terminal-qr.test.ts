import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { maxQrAddressLength, terminalQr } from '../../src/commands/terminal-qr.ts';

const address = 'https://apps.example.com/distributions/0123456789abcdef0123456789abcdef01234567';
const colorOn = '\x1b[38;5;16;48;5;231m';
const colorOff = '\x1b[0m';

/** Returns true for each inked half of a cell. */
function inked(lines: readonly string[]): boolean[][] {
  return lines.flatMap((line) => [
    [...line].map((cell) => cell === '█' || cell === '▀'),
    [...line].map((cell) => cell === '█' || cell === '▄'),
  ]);
}

function withQuietZone(rows: readonly (readonly boolean[])[], modules: number): boolean[][] {
  const side = rows.length + 2 * modules;
  return Array.from({ length: side }, (_, y) =>
    Array.from({ length: side }, (_, x) => rows[y - modules]?.[x - modules] ?? false),
  );
}

const expected = withQuietZone(encode(address, { ecc: 'L', border: 0 }).data, 4);

test('a colored QR code is black on white with a quiet zone of four modules', () => {
  const lines = terminalQr(address, { columns: 80, color: true }) ?? [];
  for (const line of lines) {
    expect(line.startsWith(colorOn)).toBe(true);
    expect(line.endsWith(colorOff)).toBe(true);
  }
  const seen = inked(lines.map((line) => line.slice(colorOn.length, -colorOff.length)));
  expect(seen.slice(0, expected.length)).toEqual(expected);
  expect(seen.slice(expected.length).flat()).not.toContain(true);
});

test('an uncolored QR code draws the light modules, including the quiet zone', () => {
  const seen = inked(terminalQr(address, { columns: 80, color: false }) ?? []);
  expect(seen.slice(0, expected.length)).toEqual(expected.map((row) => row.map((dark) => !dark)));
});

test('a QR code of a page address fits 80 by 24, and is omitted when it does not fit', () => {
  const lines = terminalQr(address, { columns: 80, color: false }) ?? [];
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(23);
  expect(terminalQr(address, { columns: expected.length, color: true })).not.toBeNull();
  expect(terminalQr(address, { columns: expected.length - 1, color: true })).toBeNull();
});

test('an address that is too long has no QR code', () => {
  const long = `https://apps.example.com/${'a'.repeat(maxQrAddressLength)}`;
  expect(terminalQr(long, { columns: 1000, color: true })).toBeNull();
  expect(terminalQr(long.slice(0, maxQrAddressLength), { columns: 1000, color: true })).not.toBeNull();
});
