import { sizeAsTyped } from '../web/formats.ts';

const kibibyte = 1024;
const unitBytes: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  KIB: kibibyte,
  MIB: kibibyte ** 2,
  GIB: kibibyte ** 3,
  TIB: kibibyte ** 4,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
};

/** `500MiB`, `1.5 GB`, a number of bytes: whole bytes above zero, else null. */
export function readByteSize(text: string): number | null {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? [];
  const factor = unitBytes[unit.toUpperCase()];
  const bytes = digits && factor ? Math.floor(Number(digits) * factor) : 0;
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null;
}

/** The same back: exactly, as somebody would have typed it. */
export function writeByteSize(bytes: number): string {
  const { amount, unit } = sizeAsTyped(bytes);
  return `${amount} ${unit}`;
}
