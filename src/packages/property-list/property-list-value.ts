/** Values of property lists, with typed accessors. Dictionaries have no prototype, so any key is safe. */

export type PropertyListValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Date
  | Buffer
  | PropertyListValue[]
  | PropertyListDictionary;

export interface PropertyListDictionary {
  [key: string]: PropertyListValue;
}

/** Limits of one property list. Exceeding one throws `UnreadablePackage`. */
export interface PropertyListLimits {
  /** Size of the file. */
  maxBytes: number;
  /** Nesting depth of containers. */
  maxDepth: number;
  /**
   * Number of values, and bytes of text and data, after expansion: in a binary list, one object may be referenced from many
   * places, so a small file can represent an endless tree.
   */
  maxValues: number;
  maxExpandedBytes: number;
}

export const propertyListLimits: PropertyListLimits = {
  maxBytes: 4 * 1024 * 1024,
  maxDepth: 64,
  maxValues: 300_000,
  maxExpandedBytes: 16 * 1024 * 1024,
};

export function newDictionary(): PropertyListDictionary {
  return Object.create(null);
}

export function isDictionary(value: unknown): value is PropertyListDictionary {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !Buffer.isBuffer(value) &&
    !(value instanceof Date)
  );
}

/** Returns the trimmed text or decimal number of `key`; null if it is missing, empty or of another type. */
export function textUnder(dictionary: PropertyListDictionary, key: string): string | null {
  const value = dictionary[key];
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text === '' ? null : text;
}

/** Returns the strings in the array of `key`. A single string is a list of one; anything else is an empty list. */
export function textsUnder(dictionary: PropertyListDictionary, key: string): string[] {
  const value = dictionary[key];
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return [];
  return value.filter((item) => typeof item === 'string');
}

export function dictionaryUnder(
  dictionary: PropertyListDictionary,
  key: string,
): PropertyListDictionary | null {
  const value = dictionary[key];
  return isDictionary(value) ? value : null;
}

/** Converts a value to JSON: dates to ISO 8601, data to Base64, integers beyond 2^53 to text. */
export function toJsonValue(value: PropertyListValue): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return value.toString('base64');
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (isDictionary(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJsonValue(item)]));
  }
  return value;
}
