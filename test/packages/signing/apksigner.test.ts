/** Compares generated packages with the installed apksigner: one start of Java per package. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifySignature } from '../../../src/packages/verify-signature.ts';
import { apkEntries } from '../../support/build-apk.ts';
import { buildZip } from '../../support/build-zip.ts';
import { signApk } from '../../support/sign-apk.ts';
import { signJar } from '../../support/sign-jar.ts';
import { createTestKey } from '../../support/test-key.ts';

const run = promisify(execFile);
const apksignerPresent = (process.env.PATH ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'apksigner')));
const [old, next, rsa] = [createTestKey(), createTestKey(), createTestKey('rsa-2048')];
const entries = (minSdk: number) => apkEntries({ minSdk, targetSdk: 29 });
const zip = (minSdk: number) => buildZip(entries(minSdk));

describe.skipIf(!apksignerPresent)(
  'apksigner agrees with Slipway (needs apksigner: apt-get install apksigner)',
  () => {
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
      return run('apksigner', ['verify', '--min-sdk-version', String(fromSdk), path]).then(
        () => true,
        (error: { code?: unknown }) => {
          if (error.code === 1) return false;
          throw error;
        },
      );
    }
  },
);
