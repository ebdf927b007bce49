import { say } from './messages/package-messages.ts';
import type { ZipArchive } from './zip/zip-archive.ts';

/** Limits the number of names used to classify an archive, and so the time. */
export const maxClassifiedNames = 10_000;
export const maxClassifiedNameLength = 512;

/** Describes an archive that does not contain an app. */
export function describeArchive(archive: ZipArchive): string {
  if (archive.entries.length === 0) return say('zip-empty');
  if (archive.find('BundleConfig.pb') || archive.find('base/manifest/AndroidManifest.xml')) {
    return say('zip-aab');
  }
  if (archive.find('toc.pb')) return say('zip-apks');
  if (isXapk(archive)) return archive.find('info.json') ? say('zip-apkm') : say('zip-xapk');
  const names = archive.entries
    .slice(0, maxClassifiedNames)
    .map((entry) => entry.name)
    .filter((name) => name.length <= maxClassifiedNameLength);
  for (const { describe, of } of archiveKinds) {
    const found = names.find((name) => of.test(name));
    if (found !== undefined) return describe(found);
  }
  return say('zip-without-app');
}

/** The first kind with a matching entry is used. Android compares names exactly, iOS ignores case; neither splits at backslashes. */
const archiveKinds: readonly { of: RegExp; describe: (name: string) => string }[] = [
  {
    of: /^(?!__MACOSX)(?:\.?\\)?(?:Payload\\[^\\]+\.app|base\\manifest)\\/i,
    describe: () => say('zip-backslashes'),
  },
  {
    of: /^(?:\.?\/)*androidmanifest\.xml$/i,
    describe: (name) => say('zip-manifest-other-name', { name }),
  },
  {
    of: /^(?:\.?\/)*payload\/+[^/]+\.app\//i,
    describe: (name) => say('zip-payload-other-name', { name: name.replace(/(\.app)\/.*$/is, '$1') }),
  },
  {
    of: /\.xcarchive\/|^Products\/Applications\//,
    describe: () => say('zip-xcarchive'),
  },
  {
    of: /^(?!__MACOSX\/).+\/Payload\/[^/]+\.app\//,
    describe: () => say('zip-payload-not-at-top'),
  },
  {
    of: /^(?!__MACOSX\/)(.+\/)?[^/]+\.app\//,
    describe: () => say('zip-app-folder'),
  },
  { of: /^Payload\//, describe: () => say('zip-payload-empty') },
  { of: /\.dSYM(\/|$)/, describe: () => say('zip-dsym') },
  { of: /\.xcframework\//, describe: () => say('zip-xcframework') },
  {
    of: /^base\.apk$|(^|\/)split_config[^/]*\.apk$/,
    describe: () => say('zip-split-apks'),
  },
  { of: /\.(apk|ipa)$/i, describe: describeNested },
  { of: /^\[Content_Types\]\.xml$/, describe: () => say('zip-office') },
  {
    of: /\/AndroidManifest\.xml$/,
    describe: () => say('zip-manifest-not-at-top'),
  },
  {
    of: /\.mobileprovision$/,
    describe: () => say('zip-profile'),
  },
  { of: /^META-INF\/MANIFEST\.MF$/, describe: () => say('zip-jar') },
];

/** XAPK and APKM archives contain a description next to the packages. */
function isXapk(archive: ZipArchive): boolean {
  const described = archive.find('manifest.json') !== null || archive.find('info.json') !== null;
  return described && archive.entries.some((entry) => /^[^/]+\.apk$/.test(entry.name));
}

function describeNested(name: string): string {
  const fileName = name.slice(name.lastIndexOf('/') + 1).slice(0, 100);
  return say('zip-with-package', { name: fileName });
}

/** Describes a file that is not a zip archive; null if it begins like one. */
export function describeBytes(head: Buffer): string | null {
  if (head.length === 0) return say('file-empty');
  if (head.toString('latin1', 0, 2) === 'PK') return null;
  const binary = binaryKinds.find(
    ({ at, magic }) => head.toString('latin1', at, at + magic.length) === magic,
  );
  if (binary) return say('file-of-kind', { kind: binary.is });
  if (isProvisioningProfile(head)) return say('is-profile');
  return describeText(head) ?? say('is-unknown');
}

const binaryKinds: readonly { at: number; magic: string; is: string }[] = [
  { at: 0, magic: '\x1f\x8b', is: say('kind-gzip') },
  { at: 0, magic: 'BZh', is: say('kind-bzip2') },
  { at: 0, magic: '\xfd7zXZ\0', is: say('kind-xz') },
  { at: 0, magic: '\x28\xb5\x2f\xfd', is: say('kind-zstd') },
  { at: 0, magic: '7z\xbc\xaf\x27\x1c', is: say('kind-7z') },
  { at: 0, magic: 'Rar!', is: say('kind-rar') },
  { at: 257, magic: 'ustar', is: say('kind-tar') },
  { at: 0, magic: '!<arch>\n', is: say('kind-debian') },
  { at: 0, magic: 'xar!', is: say('kind-macos-installer') },
  { at: 0, magic: '%PDF', is: say('kind-pdf') },
  { at: 0, magic: '\x89PNG', is: say('kind-png') },
  { at: 0, magic: '\xff\xd8\xff', is: say('kind-jpeg') },
  { at: 0, magic: 'GIF8', is: say('kind-gif') },
  { at: 0, magic: 'dex\n', is: say('kind-dex') },
  { at: 0, magic: '\x7fELF', is: say('kind-elf') },
  { at: 0, magic: '\xcf\xfa\xed\xfe', is: say('kind-mach-o') },
  { at: 0, magic: '\xce\xfa\xed\xfe', is: say('kind-mach-o') },
  { at: 0, magic: '\xca\xfe\xba\xbe', is: say('kind-mach-o-or-java') },
  { at: 0, magic: 'MZ', is: say('kind-windows') },
  { at: 0, magic: 'bplist', is: say('kind-property-list') },
  { at: 0, magic: '\x03\0\x08\0', is: say('kind-android-manifest') },
  { at: 0, magic: '\x02\0\x0c\0', is: say('kind-resource-table') },
];

/** A signed property list: a DER sequence with `<plist` in it. */
function isProvisioningProfile(head: Buffer): boolean {
  return head[0] === 0x30 && head.includes('<plist');
}

function describeText(head: Buffer): string | null {
  const text = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  const start = text.slice(0, 512).toLowerCase();
  if (start.startsWith('version https://git-lfs.')) return say('is-lfs-pointer');
  if (start.startsWith('<!doctype html') || start.startsWith('<html')) {
    return say('is-html');
  }
  if (start.includes('<plist')) return say('is-property-list');
  if (start.startsWith('<')) return say('is-xml');
  if (/^[{[]/.test(start)) return say('is-json');
  return isText(head) ? say('is-text') : null;
}

function isText(head: Buffer): boolean {
  return head.every(
    (byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d || byte === 0x0c,
  );
}
