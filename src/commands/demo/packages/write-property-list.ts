/** Writes property lists as XML. */

export type PropertyListValue =
  | string
  | number
  | boolean
  | Date
  | Uint8Array
  | readonly PropertyListValue[]
  | { readonly [key: string]: PropertyListValue | null | undefined };

const head = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
`;

/** Omits keys whose value is null or undefined. */
export function writePropertyList(value: PropertyListValue): Buffer {
  return Buffer.from(`${head}<plist version="1.0">${element(value)}</plist>\n`);
}

function element(value: PropertyListValue): string {
  if (typeof value === 'string') return `<string>${escapeXml(value)}</string>`;
  if (typeof value === 'number')
    return Number.isInteger(value) ? `<integer>${value}</integer>` : `<real>${value}</real>`;
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>';
  if (value instanceof Date) return `<date>${value.toISOString().replace(/\.\d+Z$/, 'Z')}</date>`;
  if (value instanceof Uint8Array) return `<data>${Buffer.from(value).toString('base64')}</data>`;
  if (Array.isArray(value)) return `<array>${value.map(element).join('')}</array>`;
  const pairs = Object.entries(value).flatMap(([key, item]) =>
    item === null || item === undefined ? [] : [`<key>${escapeXml(key)}</key>${element(item)}`],
  );
  return `<dict>${pairs.join('')}</dict>`;
}

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
