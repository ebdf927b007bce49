/** Marketing names of common Apple model identifiers. Others are shown by device family. */

export type DeviceFamily = 'iphone' | 'ipad' | 'vision';

const families: readonly (readonly [prefix: string, family: DeviceFamily, name: string])[] = [
  ['iPhone', 'iphone', 'iPhone'],
  ['iPod', 'iphone', 'iPod touch'],
  ['iPad', 'ipad', 'iPad'],
  ['RealityDevice', 'vision', 'Vision Pro'],
];

/** Release month of the newest model below. `test/packages/platform-tables.test.ts` fails when it is too long ago. */
export const newestModelReleased = '2026-09';

const models: Readonly<Record<string, string>> = {
  'iPhone8,1': 'iPhone 6s',
  'iPhone8,2': 'iPhone 6s Plus',
  'iPhone8,4': 'iPhone SE (1st generation)',
  'iPhone9,1': 'iPhone 7',
  'iPhone9,2': 'iPhone 7 Plus',
  'iPhone9,3': 'iPhone 7',
  'iPhone9,4': 'iPhone 7 Plus',
  'iPhone10,1': 'iPhone 8',
  'iPhone10,2': 'iPhone 8 Plus',
  'iPhone10,3': 'iPhone X',
  'iPhone10,4': 'iPhone 8',
  'iPhone10,5': 'iPhone 8 Plus',
  'iPhone10,6': 'iPhone X',
  'iPhone11,2': 'iPhone XS',
  'iPhone11,4': 'iPhone XS Max',
  'iPhone11,6': 'iPhone XS Max',
  'iPhone11,8': 'iPhone XR',
  'iPhone12,1': 'iPhone 11',
  'iPhone12,3': 'iPhone 11 Pro',
  'iPhone12,5': 'iPhone 11 Pro Max',
  'iPhone12,8': 'iPhone SE (2nd generation)',
  'iPhone13,1': 'iPhone 12 mini',
  'iPhone13,2': 'iPhone 12',
  'iPhone13,3': 'iPhone 12 Pro',
  'iPhone13,4': 'iPhone 12 Pro Max',
  'iPhone14,2': 'iPhone 13 Pro',
  'iPhone14,3': 'iPhone 13 Pro Max',
  'iPhone14,4': 'iPhone 13 mini',
  'iPhone14,5': 'iPhone 13',
  'iPhone14,6': 'iPhone SE (3rd generation)',
  'iPhone14,7': 'iPhone 14',
  'iPhone14,8': 'iPhone 14 Plus',
  'iPhone15,2': 'iPhone 14 Pro',
  'iPhone15,3': 'iPhone 14 Pro Max',
  'iPhone15,4': 'iPhone 15',
  'iPhone15,5': 'iPhone 15 Plus',
  'iPhone16,1': 'iPhone 15 Pro',
  'iPhone16,2': 'iPhone 15 Pro Max',
  'iPhone17,1': 'iPhone 16 Pro',
  'iPhone17,2': 'iPhone 16 Pro Max',
  'iPhone17,3': 'iPhone 16',
  'iPhone17,4': 'iPhone 16 Plus',
  'iPhone17,5': 'iPhone 16e',
  'iPhone18,1': 'iPhone 17 Pro',
  'iPhone18,2': 'iPhone 17 Pro Max',
  'iPhone18,3': 'iPhone 17',
  'iPhone18,4': 'iPhone Air',
  'iPhone18,5': 'iPhone 17e',
  'iPhone19,2': 'iPhone 18 Pro',
  'iPhone19,3': 'iPhone 18 Pro Max',
  'iPhone19,7': 'iPhone 18 Pro Max',
};

const kindOf = (product: string) =>
  families.find(([prefix]) => product.startsWith(prefix) && /^\d/.test(product.slice(prefix.length)));

/** Null for devices that do not run iOS apps: Macs, Apple TVs and watches. */
export function deviceFamilyOf(product: string): DeviceFamily | null {
  return kindOf(product)?.[1] ?? null;
}

/** Noun for "this …", such as `iPhone`. */
export function deviceKindName(product: string): string {
  return kindOf(product)?.[2] ?? product;
}

/** Formats `iPhone 13`, or the kind of device if the model is unknown. */
export function deviceShortName(product: string): string {
  const name = Object.hasOwn(models, product) ? models[product] : undefined;
  return name ?? deviceKindName(product);
}

/** Formats `iPhone 13 (iPhone14,5)`. Always contains the identifier. */
export function deviceModelName(product: string): string {
  const name = Object.hasOwn(models, product) ? models[product] : kindOf(product)?.[2];
  return name === undefined ? product : `${name} (${product})`;
}
