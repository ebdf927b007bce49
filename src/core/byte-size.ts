/** Parses and formats sizes, in binary units. */

const kibibyte = 1024;
const unitNames = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
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

/** Formats `843 B`, `1.5 KiB`, `14.2 MiB`, `4 GiB`: with at most one decimal. */
export function formatBytes(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  // Compares the rounded value, so that `1024 KiB` is shown as `1 MiB`.
  while (unit < unitNames.length - 1 && Number(amount.toFixed(1)) >= kibibyte) {
    amount /= kibibyte;
    unit += 1;
  }
  return `${Number(amount.toFixed(unit === 0 ? 0 : 1))} ${unitNames[unit]}`;
}

/** Parses `500MiB`, `1.5 GB` or a number of bytes. Returns whole positive bytes, or null. */
export function readByteSize(text: string): number | null {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? [];
  const factor = unitBytes[unit.toUpperCase()];
  const bytes = digits && factor ? Math.floor(Number(digits) * factor) : 0;
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null;
}

/** Formats exactly, for form fields that are submitted again: in a binary unit with at most two decimals, otherwise in bytes. */
export function writeByteSize(bytes: number): string {
  for (const unit of unitNames.toReversed()) {
    const amount = bytes / (unitBytes[unit.toUpperCase()] ?? 1);
    if (amount >= 1 && Math.round(amount * 100) / 100 === amount) return `${amount} ${unit}`;
  }
  return `${bytes} B`;
}
