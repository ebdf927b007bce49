/** Compares every real package of the shared set with the installed apksigner: one start of Java per package. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readPackage } from '../../../src/packages/read-package.ts';
import { verifySignature } from '../../../src/packages/verify-signature.ts';
import { sharedFixturePath, sharedFixtures, sharedFixturesPresent } from '../../support/shared-fixtures.ts';

const run = promisify(execFile);
const apksignerPresent = spawnSync('apksigner', ['--version']).status === 0;
const packages = sharedFixtures()
  .filter(({ path }) => path.endsWith('.apk'))
  .map(({ path }) => path);

/** apksigner accepts the v1 signature, but Android rejects archives that other bytes precede. */
const refused = ['invalid/janus.apk'];
/** The apksigner of Debian 12 is older than scheme v3.1 and sees the v3 signer, or none. */
const usesV31 = ['v3.1', 'v31-'];

describe.skipIf(!apksignerPresent || !sharedFixturesPresent)(
  'apksigner agrees on real packages (needs apksigner: apt-get install apksigner; and ../shared/fixtures)',
  () => {
    it.each(packages.filter((path) => !usesV31.some((part) => path.includes(part))))('%s', async (name) => {
      const path = sharedFixturePath(name);
      const info = await readPackage(path).catch(() => null);
      const printed = await verifyWithApksigner(path);
      if (info === null) {
        expect(printed === null || refused.includes(name)).toBe(true);
        return;
      }
      const { verifiedFromSdk } = await verifySignature(path);
      const minSdk = Math.max(1, Number(info.sdkVersion));
      expect(verifiedFromSdk === minSdk).toBe(printed !== null);
      const fromSdk = printed ?? (verifiedFromSdk && (await verifyWithApksigner(path, verifiedFromSdk)));
      expect(fromSdk === null).toBe(verifiedFromSdk === null);
      if (fromSdk) expect(info.signing.certificates.map(({ sha1 }) => sha1)).toEqual(fromSdk);
    });
  },
);

/** SHA-1 of each signer's certificate; null when it does not verify. */
async function verifyWithApksigner(path: string, minSdk?: number): Promise<string[] | null> {
  const options = minSdk === undefined ? [] : ['--min-sdk-version', String(minSdk)];
  try {
    const { stdout } = await run('apksigner', ['verify', '--print-certs', ...options, path]);
    return [...stdout.matchAll(/^Signer #\d+ certificate SHA-1 digest: (\w+)$/gm)].map(
      ([, sha1 = '']) => sha1,
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 1) return null;
    throw error;
  }
}
