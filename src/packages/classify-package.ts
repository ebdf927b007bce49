import type { ZipArchive } from './zip/zip-archive.ts';

/** Limits on the names used to classify an archive, to bound the time. */
export const maxClassifiedNames = 10_000;
export const maxClassifiedNameLength = 512;

/** Describes an archive that contains no app. */
export function describeArchive(archive: ZipArchive): string {
  if (archive.entries.length === 0) return 'the zip archive is empty';
  if (archive.find('BundleConfig.pb') || archive.find('base/manifest/AndroidManifest.xml')) {
    return 'this is an Android App Bundle (AAB), not an APK';
  }
  if (archive.find('toc.pb')) return 'this is a set of APKs made by bundletool (APKS), not an APK';
  if (isXapk(archive))
    return archive.find('info.json')
      ? 'this is an APKM (an APK with its splits), not an APK'
      : 'this is an XAPK (an APK with its splits or data), not an APK';
  const names = archive.entries
    .slice(0, maxClassifiedNames)
    .map((entry) => entry.name)
    .filter((name) => name.length <= maxClassifiedNameLength);
  for (const { describe, of } of archiveKinds) {
    const found = names.find((name) => of.test(name));
    if (found !== undefined) return describe(found);
  }
  return 'this is a zip archive without an Android or iOS app';
}

/** The first kind with a matching entry applies. */
const archiveKinds: readonly { of: RegExp; describe: (name: string) => string }[] = [
  {
    of: /\.xcarchive\/|^Products\/Applications\//,
    describe: () => 'this is an Xcode archive (xcarchive), not an IPA',
  },
  {
    of: /^(?!__MACOSX\/).+\/Payload\/[^/]+\.app\//,
    describe: () => 'the Payload directory is not at the top of the archive, so this is not an IPA',
  },
  {
    of: /^(?!__MACOSX\/)(.+\/)?[^/]+\.app\//,
    describe: () => 'this is a zipped .app directory, such as a simulator build, not an IPA',
  },
  { of: /^Payload\//, describe: () => 'this is an IPA without an app in its Payload directory' },
  { of: /\.dSYM(\/|$)/, describe: () => 'this is a zip archive of debug symbols (dSYM), not an app' },
  { of: /\.xcframework\//, describe: () => 'this is a zipped xcframework, not an app' },
  {
    of: /^base\.apk$|(^|\/)split_config[^/]*\.apk$/,
    describe: () => 'this is a set of split APKs, not an APK',
  },
  { of: /\.(apk|ipa)$/i, describe: describeNested },
  { of: /^\[Content_Types\]\.xml$/, describe: () => 'this is an office document, not an app' },
  {
    of: /\/AndroidManifest\.xml$/,
    describe: () => 'the AndroidManifest.xml is not at the top of the archive, so this is not an APK',
  },
  {
    of: /\.mobileprovision$/,
    describe: () => 'this is a zip archive with a provisioning profile but without an app',
  },
  { of: /^META-INF\/MANIFEST\.MF$/, describe: () => 'this is a Java archive (JAR), not an APK' },
];

/** XAPK and APKM contain a description next to the packages. */
function isXapk(archive: ZipArchive): boolean {
  const described = archive.find('manifest.json') !== null || archive.find('info.json') !== null;
  return described && archive.entries.some((entry) => /^[^/]+\.apk$/.test(entry.name));
}

function describeNested(name: string): string {
  const fileName = name.split('/').at(-1)?.slice(0, 100);
  return `this is a zip archive that contains ${fileName}; upload that file itself`;
}

/** Describes a file that is not a zip archive; null when it begins like one. */
export function describeBytes(head: Buffer): string | null {
  if (head.length === 0) return 'the file is empty';
  if (head.toString('latin1', 0, 2) === 'PK') return null;
  const binary = binaryKinds.find(
    ({ at, magic }) => head.toString('latin1', at, at + magic.length) === magic,
  );
  if (binary) return `this is ${binary.is}, not an APK or IPA`;
  if (isProvisioningProfile(head)) return 'this is a provisioning profile, not an IPA';
  return describeText(head) ?? 'this is neither an APK nor an IPA';
}

const binaryKinds: readonly { at: number; magic: string; is: string }[] = [
  { at: 0, magic: '\x1f\x8b', is: 'a gzip archive' },
  { at: 0, magic: 'BZh', is: 'a bzip2 archive' },
  { at: 0, magic: '\xfd7zXZ\0', is: 'an xz archive' },
  { at: 0, magic: '\x28\xb5\x2f\xfd', is: 'a zstd archive' },
  { at: 0, magic: '7z\xbc\xaf\x27\x1c', is: 'a 7z archive' },
  { at: 0, magic: 'Rar!', is: 'a RAR archive' },
  { at: 257, magic: 'ustar', is: 'a tar archive' },
  { at: 0, magic: '!<arch>\n', is: 'a Debian package or a static library' },
  { at: 0, magic: 'xar!', is: 'a macOS installer package' },
  { at: 0, magic: '%PDF', is: 'a PDF document' },
  { at: 0, magic: '\x89PNG', is: 'a PNG picture' },
  { at: 0, magic: '\xff\xd8\xff', is: 'a JPEG picture' },
  { at: 0, magic: 'GIF8', is: 'a GIF picture' },
  { at: 0, magic: 'dex\n', is: 'a DEX file (Android code)' },
  { at: 0, magic: '\x7fELF', is: 'an ELF file (native code)' },
  { at: 0, magic: '\xcf\xfa\xed\xfe', is: 'a Mach-O file (native code)' },
  { at: 0, magic: '\xce\xfa\xed\xfe', is: 'a Mach-O file (native code)' },
  { at: 0, magic: '\xca\xfe\xba\xbe', is: 'a Mach-O file (native code) or a Java class' },
  { at: 0, magic: 'MZ', is: 'a Windows program' },
  { at: 0, magic: 'bplist', is: 'a property list' },
  { at: 0, magic: '\x03\0\x08\0', is: 'a compiled Android manifest' },
  { at: 0, magic: '\x02\0\x0c\0', is: 'a compiled Android resource table' },
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
  if (start.startsWith('version https://git-lfs.'))
    return 'this is a Git LFS pointer; the file itself was not fetched';
  if (start.startsWith('<!doctype html') || start.startsWith('<html')) {
    return 'this is an HTML page, such as an error or sign-in page that was saved instead of the package';
  }
  if (start.includes('<plist')) return 'this is a property list, not an IPA';
  if (start.startsWith('<')) return 'this is an XML file, not an APK or IPA';
  if (/^[{[]/.test(start))
    return 'this is a JSON file, such as an error that was saved instead of the package';
  return isText(head) ? 'this is a text file, not an APK or IPA' : null;
}

function isText(head: Buffer): boolean {
  return head.every(
    (byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d || byte === 0x0c,
  );
}
