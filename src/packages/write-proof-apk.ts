/**
 * Writes the APK that proves to Google's Android Developer Console who has the signing key of a package: a package name, the token
 * of the console as an asset, and the signature. It contains no code.
 *
 * @see https://github.com/android/security-samples, AndroidDeveloperVerificationAPKSigningExample
 */
import { crc32 } from 'node:zlib';
import { manifestAttributes } from './apk/android-manifest.ts';
import { createApkOutput } from './apk/signing/apk-output.ts';
import { algorithmOf, writeSigningBlock } from './apk/signing/signing-block-writer.ts';
import { firstSdkWithoutJarSignature, type SigningKey } from './apk/signing/signing-key.ts';
import { writeBinaryXml } from './bundle/binary-xml-writer.ts';
import { integerType, type ResourceValue } from './bundle/resource-value-writer.ts';
import { newElement, type XmlAttribute } from './bundle/xml-message.ts';

export const proofTokenPath = 'assets/adi-registration.properties';

const androidNamespace = 'http://schemas.android.com/apk/res/android';
const hasCode = 0x0101000c;
const booleanType = 0x12;
/** Any level that Android still installs. */
const targetSdk = 35;
const maxProofBytes = 256 * 1024;

/** @param key signs alone: a proof of rotation would show another key to devices before Android 9 */
export async function writeProofApk(packageName: string, token: string, key: SigningKey): Promise<Buffer> {
  const parts: Buffer[] = [];
  const file = {
    write: async (bytes: Buffer, offset: number, length: number) => {
      parts.push(Buffer.from(bytes.subarray(offset, offset + length)));
      return { bytesWritten: length };
    },
  };
  const output = createApkOutput(file, algorithmOf(key.privateKey).digestName, maxProofBytes);
  const files = [
    { name: 'AndroidManifest.xml', content: proofManifest(packageName) },
    { name: proofTokenPath, content: Buffer.from(token) },
  ];
  for (const { name, content } of files) {
    const [compressedBytes, uncompressedBytes] = [content.length, content.length];
    const sizes = { compressedBytes, uncompressedBytes, crc32: crc32(content) };
    await output.beginEntry({ name, method: 'stored', alignment: 4, ...sizes });
    await output.write(content);
  }
  await output.finish((digest) => writeSigningBlock([key], digest));
  return Buffer.concat(parts);
}

function proofManifest(packageName: string): Buffer {
  const number = (name: keyof typeof manifestAttributes, data: number) =>
    attribute(name, manifestAttributes[name], '', { type: integerType, data });
  const sdks = [number('minSdkVersion', firstSdkWithoutJarSignature), number('targetSdkVersion', targetSdk)];
  const manifest = newElement(
    'manifest',
    [
      number('versionCode', 1),
      attribute('versionName', manifestAttributes.versionName, '1', null),
      { ...attribute('package', 0, packageName, null), namespace: '' },
    ],
    [
      newElement('uses-sdk', sdks),
      newElement('application', [attribute('hasCode', hasCode, '', { type: booleanType, data: 0 })]),
    ],
  );
  const namespaces = [{ prefix: 'android', uri: androidNamespace, line: 0 }];
  return writeBinaryXml({ ...manifest, namespaces }, 'utf-8');
}

const attribute = (
  name: string,
  id: number,
  value: string,
  compiled: ResourceValue | null,
): XmlAttribute => ({
  namespace: androidNamespace,
  name,
  id,
  value,
  compiled,
});
