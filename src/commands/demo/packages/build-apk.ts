/** Builds small Android packages: a binary manifest, a resource table if needed, and stub code. */
import { buildBinaryXml, type XmlAttributeSpec, type XmlElementSpec } from './build-binary-xml.ts';
import { buildDex, type DexClass } from './build-dex.ts';
import { buildResourceTable, type ConfigSpec, type ResourceTableOptions } from './build-resource-table.ts';
import { buildZip, type ZipEntrySpec, type ZipOptions } from './build-zip.ts';

export interface IconFileSpec {
  /** Name of the entry, for example `res/mipmap-xxhdpi-v4/icon.png`. */
  path: string;
  content: Buffer;
  config?: ConfigSpec;
}

export interface ApkSpec {
  packageName?: string;
  /** Null omits the attribute; the same applies to the others. */
  versionCode?: number | null;
  versionName?: string | null;
  versionCodeMajor?: number | null;
  minSdk?: number | string | null;
  targetSdk?: number | string | null;
  maxSdk?: number | null;
  /** A text in the manifest, or texts by locale qualifier (`''`, `ja`, `pt-rBR`) in a resource table. */
  label?: string | Record<string, string> | null;
  icons?: readonly IconFileSpec[];
  permissions?: readonly string[];
  features?: readonly { name: string; required?: boolean }[];
  debuggable?: boolean;
  testOnly?: boolean;
  /** Additional attributes and elements. */
  manifestAttributes?: readonly XmlAttributeSpec[];
  manifestChildren?: readonly XmlElementSpec[];
  applicationAttributes?: readonly XmlAttributeSpec[];
  applicationChildren?: readonly XmlElementSpec[];
  /** Replaces the generated manifest. */
  manifest?: Buffer;
  resourceTable?: Buffer;
  /** UTF-16 string pools. */
  utf16?: boolean;
  tableLayout?: ResourceTableOptions['layout'];
  nativeAbis?: readonly string[];
  /** Without them, the code is a stub, which cannot be analyzed. */
  classes?: readonly DexClass[];
  extraEntries?: readonly ZipEntrySpec[];
  /** Size of an additional stored entry, to make the package large. */
  fillerBytes?: number;
}

const labelId = 0x7f010000;
const iconId = 0x7f020000;

/** Builds an unsigned package, valid by default. */
export function buildApk(spec: ApkSpec = {}, zip: ZipOptions = {}): Buffer {
  return buildZip(apkEntries(spec), zip);
}

/** Returns the entries, for tests that change one of them. */
export function apkEntries(spec: ApkSpec = {}): ZipEntrySpec[] {
  const table = spec.resourceTable ?? buildTable(spec);
  return [
    // The first entry is aligned to four bytes, as Android 11 and later require.
    ...(table ? [{ name: 'resources.arsc', content: table }] : []),
    { name: 'AndroidManifest.xml', content: spec.manifest ?? buildManifest(spec), method: 8 },
    {
      name: 'classes.dex',
      content: spec.classes ? buildDex(spec.classes) : Buffer.from('dex\n035\0'),
      method: 8,
    },
    ...(spec.icons ?? []).map((icon) => ({ name: icon.path, content: icon.content })),
    ...(spec.nativeAbis ?? []).map((abi) => ({ name: `lib/${abi}/libtest.so`, content: 'native' })),
    ...(spec.extraEntries ?? []),
    ...(spec.fillerBytes ? [{ name: 'assets/filler', content: Buffer.alloc(spec.fillerBytes, 1) }] : []),
  ];
}

export function buildManifest(spec: ApkSpec = {}): Buffer {
  return buildBinaryXml(
    {
      name: 'manifest',
      attributes: [
        { name: 'package', value: spec.packageName ?? 'com.example.test', resourceId: 0 },
        ...optional('versionCode', spec.versionCode === undefined ? 1 : spec.versionCode),
        ...optional('versionName', spec.versionName === undefined ? '1.0' : spec.versionName),
        ...optional('versionCodeMajor', spec.versionCodeMajor),
        ...(spec.manifestAttributes ?? []),
      ],
      children: [...usesSdk(spec), ...uses(spec), ...(spec.manifestChildren ?? []), buildApplication(spec)],
    },
    { utf16: spec.utf16 ?? false },
  );
}

function buildApplication(spec: ApkSpec): XmlElementSpec {
  const label = typeof spec.label === 'object' && spec.label !== null ? { reference: labelId } : spec.label;
  return {
    name: 'application',
    attributes: [
      ...optional('label', label === undefined ? 'Test' : label),
      ...optional('icon', spec.icons ? { reference: iconId } : null),
      ...optional('debuggable', spec.debuggable),
      ...optional('testOnly', spec.testOnly),
      ...(spec.applicationAttributes ?? []),
    ],
    children: spec.applicationChildren ?? [],
  };
}

function usesSdk(spec: ApkSpec): XmlElementSpec[] {
  const attributes = [
    ...optional('minSdkVersion', spec.minSdk === undefined ? 21 : spec.minSdk),
    ...optional('targetSdkVersion', spec.targetSdk === undefined ? 35 : spec.targetSdk),
    ...optional('maxSdkVersion', spec.maxSdk),
  ];
  return attributes.length > 0 ? [{ name: 'uses-sdk', attributes }] : [];
}

function uses(spec: ApkSpec): XmlElementSpec[] {
  return [
    ...(spec.permissions ?? []).map((name) => ({
      name: 'uses-permission',
      attributes: optional('name', name),
    })),
    ...(spec.features ?? []).map((feature) => ({
      name: 'uses-feature',
      attributes: [...optional('name', feature.name), ...optional('required', feature.required)],
    })),
  ];
}

function optional(name: string, value: XmlAttributeSpec['value'] | null | undefined): XmlAttributeSpec[] {
  return value === null || value === undefined ? [] : [{ name, value }];
}

function buildTable(spec: ApkSpec): Buffer | null {
  const labels = typeof spec.label === 'object' && spec.label !== null ? spec.label : null;
  if (!labels && !spec.icons) return null;
  const texts = Object.entries(labels ?? { '': 'unused' });
  return buildResourceTable(
    [
      {
        name: spec.packageName ?? 'com.example.test',
        types: [
          {
            name: 'string',
            resources: [
              {
                name: 'app_name',
                values: texts.map(([locale, value]) => ({ config: localeConfig(locale), value })),
              },
            ],
          },
          {
            name: 'mipmap',
            resources: [
              {
                name: 'icon',
                values: (spec.icons ?? []).map((icon) => ({ config: icon.config ?? {}, value: icon.path })),
              },
            ],
          },
        ],
      },
    ],
    { utf16: spec.utf16 ?? false, layout: spec.tableLayout ?? 'plain' },
  );
}

function localeConfig(qualifier: string): ConfigSpec {
  if (qualifier === '') return {};
  const [language = '', region] = qualifier.split('-r');
  return region === undefined ? { language } : { language, region };
}
