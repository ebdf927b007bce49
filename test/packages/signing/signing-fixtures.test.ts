import { describe, expect, it } from 'vitest';
import { readSigningFacts } from '../../../src/packages/apk/signature/signing-facts.ts';
import { verifyApkSignature } from '../../../src/packages/apk/signature/verify-apk-signature.ts';
import { UnreadablePackage } from '../../../src/packages/package-info.ts';
import { openRandomAccessFile } from '../../../src/packages/zip/open-file.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import type { ZipArchive } from '../../../src/packages/zip/zip-archive.ts';
import { fixturesOfRun, sharedFixturePath, sharedFixturesPresent } from '../../support/shared-fixtures.ts';

/** Not an archive according to its end record. */
const noArchives = ['invalid/no_android_manifest.apk', 'invalid/v2-only-truncated-cd.apk'];

const packages = fixturesOfRun()
  .filter(({ path, truth }) => path.endsWith('.apk') && truth?.expect && !noArchives.includes(path))
  .map(({ path, truth }) => ({ path, expected: truth.expect, signing: truth.signing }));

async function withArchive<Result>(
  path: string,
  use: (archive: ZipArchive) => Promise<Result>,
): Promise<Result> {
  const file = await openRandomAccessFile(sharedFixturePath(path));
  try {
    return await use(await openZip(file));
  } finally {
    await file.close();
  }
}

describe.skipIf(!sharedFixturesPresent)('real packages (needs ../shared/fixtures)', () => {
  it.each(packages)(
    '$path: certificates and schemes match apksigner',
    async ({ path, expected, signing }) => {
      const facts = await withArchive(path, readSigningFacts);
      if (expected.signature_sha1.length > 0) expect(expected.signature_sha1).toContain(facts.signature);
      const oracle = signing.verifies_from_api ?? (signing.apksigner2.verifies ? signing.apksigner2 : null);
      if (oracle === null) return;
      const printed = oracle.signers.map((signer: Record<string, string>) =>
        pick(signer.sha1, signer.sha256, signer.dn, signer.key),
      );
      for (const { sha1, sha256, subject, key } of facts.signing.certificates) {
        expect(printed).toContainEqual(pick(sha1, sha256, subject, key));
      }
      // apksigner lists only the schemes that apply from the package's minimum on
      const counted = Object.entries(oracle.schemes).flatMap(([scheme, counts]) => (counts ? [scheme] : []));
      expect(facts.signing.schemes).toEqual(expect.arrayContaining(counted));
      expect(facts.signing.sourceStamp).toBe(oracle.source_stamp ?? false);
    },
  );

  it.each(packages)('$path: verifies whenever apksigner does', async ({ path, expected, signing }) => {
    const minSdkVersion = Number(expected.sdk_version ?? 1) || 10_000;
    const targetSdkVersion = Number(expected.target_sdk_version ?? minSdkVersion) || 10_000;
    const result = await withArchive(path, (archive) =>
      verifyApkSignature(archive, { minSdkVersion, targetSdkVersion }),
    );
    expect(result.verified).toBe(expected.signature_verified);
    const firstSdk = signing.verifies_from_api?.min_sdk_version ?? minSdkVersion;
    expect(result.verifiedFromSdk).toBe(expected.signature_verified ? firstSdk : null);
    expect(result.problems.length > 0).toBe(!expected.signature_verified);
  });

  it.each(noArchives)('%s is not an archive', async (path) => {
    await expect(withArchive(path, readSigningFacts)).rejects.toThrow(UnreadablePackage);
  });
});

function pick(sha1?: string, sha256?: string, subject?: string, key?: string) {
  return { sha1, sha256, subject, key };
}
