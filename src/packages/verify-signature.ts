import { findUniversalApk, partOf } from './apk/apk-set.ts';
import { readApk } from './apk/read-apk.ts';
import { verifyApkSignature } from './apk/signature/verify-apk-signature.ts';
import { isBundle } from './bundle/bundle-modules.ts';
import { verifyCodeSignature } from './ipa/signature/verify-code-signature.ts';
import { say } from './messages/package-messages.ts';
import type { SignatureVerification } from './package-info.ts';
import { openRandomAccessFile } from './zip/open-file.ts';
import { openZip } from './zip/open-zip.ts';
import type { RandomAccessFile } from './zip/zip-archive.ts';

/** How many bytes of a package verification inflates in total, one entry at a time. A 4 GiB package of text inflates to about this size. */
export const maxVerifiedInflatedBytes = 16 * 1024 * 1024 * 1024;

/**
 * Verifies the signature of an APK or IPA by hashing all of it, which takes seconds for a large one, in constant memory.
 * @throws UnreadablePackage if the file is not a package; signature errors are in `problems`
 * @throws the system's error if the file cannot be opened
 */
export async function verifySignature(path: string): Promise<SignatureVerification> {
  const file = await openRandomAccessFile(path);
  try {
    return await verifySignatureOfFile(file);
  } finally {
    await file.close();
  }
}

/** Like `verifySignature`, for an open file. */
export async function verifySignatureOfFile(file: RandomAccessFile): Promise<SignatureVerification> {
  const archive = await openZip(file, {
    maxInflatedBytes: maxVerifiedInflatedBytes,
    maxStreamedBytes: maxVerifiedInflatedBytes,
  });
  const universalApk = await findUniversalApk(archive);
  if (universalApk) return verifySignatureOfFile(partOf(file, universalApk));
  if (isBundle(archive))
    return { verified: false, verifiedFromSdk: null, problems: [say('bundle-unsigned')] };
  if (archive.find('AndroidManifest.xml') === null) return verifyCodeSignature(archive);
  const { sdkVersion, targetSdkVersion } = await readApk(archive);
  const minSdkVersion = Number(sdkVersion);
  return verifyApkSignature(archive, {
    minSdkVersion,
    targetSdkVersion: targetSdkVersion ?? minSdkVersion,
  });
}
