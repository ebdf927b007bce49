/** Compares generated and real packages with the installed apksigner. `signing-fixtures.test.ts` compares all real ones with its records. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPackage } from '../../../src/packages/read-package.ts';
import { verifySignature } from '../../../src/packages/verify-signature.ts';
import { apksignerPresent, verifyWithApksigner } from '../../support/apksigner.ts';
import { apkEntries } from '../../support/build-apk.ts';
import { buildZip } from '../../support/build-zip.ts';
import { sharedFixturePath, sharedFixturesPresent } from '../../support/shared-fixtures.ts';
import { signApk } from '../../support/sign-apk.ts';
import { signJar } from '../../support/sign-jar.ts';
import { createTestKey } from '../../support/test-key.ts';

describe.skipIf(!apksignerPresent)(
  'apksigner agrees with Slipway (needs apksigner: apt-get install apksigner)',
  () => {
    const [old, next, rsa] = [createTestKey(), createTestKey(), createTestKey('rsa-2048')];
    const entries = (minSdk: number) => apkEntries({ minSdk, targetSdk: 29 });
    const zip = (minSdk: number) => buildZip(entries(minSdk));
    let folder = '';
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'slipway-apksigner-'));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    it.each([
      ['v2', 24, () => signApk(zip(24), { v2: [{ key: old }] })],
      [
        'v2 with a changed digest',
        24,
        () => signApk(zip(24), { v2: [{ key: old, tamperDigest: () => Buffer.alloc(32) }] }),
      ],
      ['v2 alone for Android 5', 21, () => signApk(zip(21), { v2: [{ key: old }] })],
      [
        'v3 with rotation',
        24,
        () => signApk(zip(24), { v2: [{ key: old }], v3: [{ key: next, lineage: [old, next] }] }),
      ],
      [
        'v2 and v3 by unrelated keys',
        24,
        () => signApk(zip(24), { v2: [{ key: old }], v3: [{ key: next }] }),
      ],
      [
        'v3 with fs-verity',
        28,
        () => signApk(zip(28), { v3: [{ key: old, algorithms: [0x0423] }], aligned: true }),
      ],
      ['v1', 21, () => buildZip(signJar(entries(21), { keys: [rsa] }))],
      ['v1 with SHA-256 for Android 4.0', 14, () => buildZip(signJar(entries(14), { keys: [rsa] }))],
      [
        'v1 with an added file',
        21,
        () => buildZip([...signJar(entries(21), { keys: [rsa] }), { name: 'x' }]),
      ],
    ])('%s', async (name, minSdk, build) => {
      const path = join(folder, `${name.replaceAll(' ', '-')}.apk`);
      await writeFile(path, build());
      const { verifiedFromSdk } = await verifySignature(path);
      expect(await accepts(path, minSdk)).toBe(verifiedFromSdk === minSdk);
      if (verifiedFromSdk === minSdk) return;
      expect(await accepts(path, verifiedFromSdk ?? 33)).toBe(verifiedFromSdk !== null);
      if (verifiedFromSdk !== null) expect(await accepts(path, verifiedFromSdk - 1)).toBe(false);
    });

    async function accepts(path: string, fromSdk: number): Promise<boolean> {
      return (await verifyWithApksigner(path, '--min-sdk-version', String(fromSdk))) !== null;
    }

    it
      .skipIf(!sharedFixturesPresent)
      .each([
        'apk/duplicate.permisssions_9999999.apk',
        'apk/golden-aligned-v1v2v3-lineage-out.apk',
        'apk/no_targetsdk_minsdk30_unsigned.apk',
        'apk/two-signers-second-signer-v2-broken.apk',
        'apk/urzip-badsig.apk',
        'apk/v1-only-two-signers.apk',
        'apk/v1-only-with-dsa-sha256-2.16.840.1.101.3.4.3.2-1024.apk',
        'apk/v2-only-with-ecdsa-sha256-p256.apk',
        'apk/v2-stripped.apk',
      ])('%s (needs ../shared/fixtures)', async (name) => {
      const path = sharedFixturePath(name);
      const info = await readPackage(path);
      const { verifiedFromSdk } = await verifySignature(path);
      const printed = await signersOf(path);
      expect(verifiedFromSdk === Math.max(1, Number(info.sdkVersion))).toBe(printed !== null);
      const fromSdk = printed ?? (verifiedFromSdk && (await signersOf(path, verifiedFromSdk)));
      expect(fromSdk === null).toBe(verifiedFromSdk === null);
      if (fromSdk) expect(info.signing.certificates.map(({ sha1 }) => sha1)).toEqual(fromSdk);
    });

    /** SHA-1 of each signer's certificate; null when it does not verify. */
    async function signersOf(path: string, minSdk?: number): Promise<string[] | null> {
      const options = minSdk === undefined ? [] : ['--min-sdk-version', String(minSdk)];
      const printed = await verifyWithApksigner(path, '--print-certs', ...options);
      if (printed === null) return null;
      return [...printed.matchAll(/^Signer #\d+ certificate SHA-1 digest: (\w+)$/gm)].map(
        ([, sha1 = '']) => sha1,
      );
    }
  },
);
