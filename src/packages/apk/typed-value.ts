/** Values of binary XML and resource tables: `Res_value` of Android's ResourceTypes.h. */

export type TypedValue =
  | { kind: 'null'; empty: boolean }
  /** `@type/name`. A dynamic reference numbers packages as at build time. */
  | { kind: 'reference'; id: number; dynamic: boolean }
  /** `?attr/name`, resolved by a theme. */
  | { kind: 'attribute'; id: number }
  | { kind: 'string'; text: string }
  | { kind: 'float'; number: number }
  | { kind: 'dimension'; number: number; unit: DimensionUnit }
  /** Fraction of the base (`%`) or of the parent (`%p`); 1 is 100 %. */
  | { kind: 'fraction'; number: number; ofParent: boolean }
  /** Signed 32 bits. */
  | { kind: 'integer'; number: number }
  | { kind: 'boolean'; truth: boolean }
  /** 0xAARRGGBB, unsigned. */
  | { kind: 'color'; argb: number }
  | { kind: 'unknown'; type: number; data: number };

export type DimensionUnit = 'px' | 'dip' | 'sp' | 'pt' | 'in' | 'mm';

const dimensionUnits: readonly DimensionUnit[] = ['px', 'dip', 'sp', 'pt', 'in', 'mm'];

/**
 * Converts a raw value.
 *
 * @param type `Res_value.dataType`
 * @param data `Res_value.data`, unsigned
 * @param string returns the string at an index of the value's pool
 */
export function typeValue(type: number, data: number, string: (index: number) => string | null): TypedValue {
  switch (type) {
    case 0x00:
      return { kind: 'null', empty: data === 1 };
    case 0x01:
    case 0x07:
      return data === 0
        ? { kind: 'null', empty: false }
        : { kind: 'reference', id: data, dynamic: type === 0x07 };
    case 0x02:
    case 0x08:
      return { kind: 'attribute', id: data };
    case 0x03: {
      const text = string(data);
      return text === null ? { kind: 'null', empty: false } : { kind: 'string', text };
    }
    case 0x04:
      return { kind: 'float', number: floatOf(data) };
    case 0x05:
      return dimension(data);
    case 0x06:
      return { kind: 'fraction', number: complexOf(data), ofParent: (data & 0x0f) === 1 };
    case 0x12:
      return { kind: 'boolean', truth: data !== 0 };
    case 0x1c:
    case 0x1d:
    case 0x1e:
    case 0x1f:
      return { kind: 'color', argb: data };
    default:
      return isInteger(type) ? { kind: 'integer', number: data | 0 } : { kind: 'unknown', type, data };
  }
}

/** TYPE_FIRST_INT to TYPE_LAST_INT, all of which the platform accepts as numbers. */
function isInteger(type: number): boolean {
  return type >= 0x10 && type <= 0x1f;
}

function dimension(data: number): TypedValue {
  const unit = dimensionUnits[data & 0x0f];
  return unit ? { kind: 'dimension', number: complexOf(data), unit } : { kind: 'unknown', type: 0x05, data };
}

/** A 24-bit mantissa in bits 8 to 31 and the position of its binary point in bits 4 and 5. */
function complexOf(data: number): number {
  const mantissa = data >> 8;
  const fractionBits = [0, 7, 15, 23][(data >> 4) & 0x03] ?? 0;
  return mantissa / 2 ** fractionBits;
}

function floatOf(data: number): number {
  return new Float32Array(Uint32Array.of(data).buffer)[0] ?? 0;
}

/**
 * Converts a value to text like `TypedValue.coerceToString` of the platform; returns null for values without text.
 */
export function textOf(value: TypedValue): string | null {
  if (value.kind === 'string') return value.text;
  if (value.kind === 'integer') return String(value.number);
  if (value.kind === 'float')
    return Number.isInteger(value.number) ? value.number.toFixed(1) : shortestFloat(value.number);
  if (value.kind === 'boolean') return String(value.truth);
  if (value.kind === 'color') return `#${value.argb.toString(16).padStart(8, '0')}`;
  return null;
}

/** Returns the shortest digits that round-trip the 32-bit number, like Java's float formatting. */
function shortestFloat(number: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const text = number.toPrecision(digits);
    if (Math.fround(Number(text)) === number) return String(Number(text));
  }
  return String(number);
}

/** Converts a value to a number like the platform, including a text of digits; null for other values. */
export function integerOf(value: TypedValue): number | null {
  if (value.kind === 'integer') return value.number;
  if (value.kind === 'boolean') return value.truth ? -1 : 0;
  if (value.kind === 'color') return value.argb | 0;
  if (value.kind === 'string' && /^-?\d{1,10}$/.test(value.text)) return Number(value.text) | 0;
  return null;
}

/** Converts a value to a boolean like the platform: true for any number except 0 and for the text `true`. */
export function booleanOf(value: TypedValue): boolean | null {
  if (value.kind === 'boolean') return value.truth;
  if (value.kind === 'string') return value.text === 'true' || value.text === '1' || value.text === 'TRUE';
  const number = integerOf(value);
  return number === null ? null : number !== 0;
}
