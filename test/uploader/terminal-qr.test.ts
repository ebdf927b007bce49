import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { maxQrAddressLength, terminalQr } from '../../src/commands/terminal-qr.ts';

const address = 'https://apps.example.com/distributions/0123456789abcdef0123456789abcdef01234567';
const colourOn = '\x1b[38;5;16;48;5;231m';
const colourOff = '\x1b[0m';

/** What a camera sees: true where a cell's half is ink. */
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

test('in colour the ink is black on white, and the modules are those of the code with four around it', () => {
  const lines = terminalQr(address, { columns: 80, colour: true }) ?? [];
  for (const line of lines) {
    expect(line.startsWith(colourOn)).toBe(true);
    expect(line.endsWith(colourOff)).toBe(true);
  }
  const seen = inked(lines.map((line) => line.slice(colourOn.length, -colourOff.length)));
  expect(seen.slice(0, expected.length)).toEqual(expected);
  expect(seen.slice(expected.length).flat()).not.toContain(true);
});

test('without colour the light modules are the ink, the quiet zone too', () => {
  const seen = inked(terminalQr(address, { columns: 80, colour: false }) ?? []);
  expect(seen.slice(0, expected.length)).toEqual(expected.map((row) => row.map((dark) => !dark)));
});

test('a page address fits into a terminal of 80 by 24, and where it does not fit there is none', () => {
  const lines = terminalQr(address, { columns: 80, colour: false }) ?? [];
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(23);
  expect(terminalQr(address, { columns: expected.length, colour: true })).not.toBeNull();
  expect(terminalQr(address, { columns: expected.length - 1, colour: true })).toBeNull();
});

test('too long an address has no code', () => {
  const long = `https://apps.example.com/${'a'.repeat(maxQrAddressLength)}`;
  expect(terminalQr(long, { columns: 1000, colour: true })).toBeNull();
  expect(terminalQr(long.slice(0, maxQrAddressLength), { columns: 1000, colour: true })).not.toBeNull();
});
