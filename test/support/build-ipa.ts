/** The package builder with the other forms of property lists. */
import { buildBinary, type PlistValue } from 'plist';
import * as packages from '../../src/commands/demo/packages/build-ipa.ts';
import type { ZipEntrySpec, ZipOptions } from '../../src/commands/demo/packages/build-zip.ts';
import {
  type PropertyListValue,
  writePropertyList as writeXml,
} from '../../src/commands/demo/packages/write-property-list.ts';

export {
  buildProfile,
  createSigningIdentity,
  type ProfileSpec,
} from '../../src/commands/demo/packages/build-ipa.ts';

export type PlistForm = 'xml' | 'binary' | 'openstep';

export interface IpaSpec extends Omit<packages.IpaSpec, 'encode'> {
  plistForm?: PlistForm;
}

export const buildIpa = (spec: IpaSpec = {}, zip: ZipOptions = {}): Buffer =>
  packages.buildIpa(encoded(spec), zip);
export const ipaEntries = (spec: IpaSpec = {}): ZipEntrySpec[] => packages.ipaEntries(encoded(spec));
export const appEntries = (spec: IpaSpec, root: string): ZipEntrySpec[] =>
  packages.appEntries(encoded(spec), root);
export const buildInfoPlist = (spec: IpaSpec = {}): Buffer => packages.buildInfoPlist(encoded(spec));

function encoded({ plistForm = 'xml', ...spec }: IpaSpec): packages.IpaSpec {
  return { ...spec, encode: (value) => writePropertyList(value, plistForm) };
}

export function writePropertyList(value: PropertyListValue, form: PlistForm): Buffer {
  if (form === 'binary') return Buffer.from(buildBinary(presentKeys(value) as PlistValue));
  return form === 'xml' ? writeXml(value) : Buffer.from(openStepText(presentKeys(value)));
}

/** The library writes nulls; the builder omits them. */
function presentKeys(value: PropertyListValue): PropertyListValue {
  if (typeof value !== 'object' || Array.isArray(value) || value instanceof Date || Buffer.isBuffer(value))
    return value;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null && item !== undefined));
}

function openStepText(value: PropertyListValue): string {
  if (Array.isArray(value)) return `( ${value.map(openStepText).join(', ')} )`;
  if (
    typeof value === 'object' &&
    value !== null &&
    !(value instanceof Date) &&
    !(value instanceof Uint8Array)
  ) {
    const pairs = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)} = ${openStepText(item as PropertyListValue)};`,
    );
    return `{ ${pairs.join('\n')} }`;
  }
  return JSON.stringify(String(value));
}
