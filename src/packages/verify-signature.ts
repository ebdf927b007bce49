import { readApk } from './apk/read-apk.ts';
import { verifyApkSignature } from './apk/signature/verify-apk-signature.ts';
import { verifyCodeSignature } from './ipa/signature/verify-code-signature.ts';
import type { SignatureVerification } from './package-info.ts';
import { openRandomAccessFile } from './zip/open-file.ts';
import { openZip } from './zip/open-zip.ts';
import type { RandomAccessFile } from './zip/zip-archive.ts';

/**
 * What verification may inflate of one package, entry by entry and never held together. A 4 GiB package that is all text
 * inflates to about this.
 */
export const maxVerifiedInflatedBytes = 16 * 1024 * 1024 * 1024;

/**
 * Verifies the signature of an APK or IPA, which hashes all of it: seconds for a large one, memory that does not grow
 * with its size.
 *
 * @throws UnreadablePackage when the file is no package; what is wrong with a signature is told in `problems`
 * @throws the system's error when the file cannot be opened
 */
export async function verifySignature(path: string): Promise<SignatureVerification> {
  const file = await openRandomAccessFile(path);
  try {
    return await verifySignatureOfFile(file);
  } finally {
    await file.close();
  }
}

/** The same for a file that is already open. */
export async function verifySignatureOfFile(file: RandomAccessFile): Promise<SignatureVerification> {
  const archive = await openZip(file, {
    maxInflatedBytes: maxVerifiedInflatedBytes,
    maxStreamedBytes: maxVerifiedInflatedBytes,
  });
  if (archive.find('AndroidManifest.xml') === null) return verifyCodeSignature(archive);
  const { sdkVersion, targetSdkVersion } = await readApk(archive);
  const minSdkVersion = Number(sdkVersion);
  return verifyApkSignature(archive, {
    minSdkVersion,
    targetSdkVersion: targetSdkVersion ?? minSdkVersion,
  });
}
