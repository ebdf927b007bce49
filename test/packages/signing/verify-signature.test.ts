import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UnreadablePackage } from '../../../src/packages/package-info.ts';
import { maxVerifiedInflatedBytes, verifySignature } from '../../../src/packages/verify-signature.ts';
import { apkEntries, buildApk } from '../../support/build-apk.ts';
import { buildIpa } from '../../support/build-ipa.ts';
import { buildZip } from '../../support/build-zip.ts';
import { signApk } from '../../support/sign-apk.ts';
import { signJar } from '../../support/sign-jar.ts';
import { createTestKey } from '../../support/test-key.ts';

const key = createTestKey();

describe('verifySignature', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-verify-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function verifyFile(bytes: Buffer) {
    const path = join(folder, 'package');
    await writeFile(path, bytes);
    return verifySignature(path);
  }

  it('reads the minimum platform from the manifest', async () => {
    for (const minSdk of [24, 30]) {
      const signed = signApk(buildApk({ minSdk }), { v2: [{ key }] });
      expect(await verifyFile(signed)).toEqual({ verified: true, verifiedFromSdk: minSdk, problems: [] });
    }
    const older = signApk(buildApk({ minSdk: 21 }), { v2: [{ key }] });
    expect((await verifyFile(older)).verifiedFromSdk).toBe(24);
  });

  it('reads the target platform from the manifest', async () => {
    const signed = (targetSdk: number | null) =>
      buildZip(signJar(apkEntries({ minSdk: 21, targetSdk }), { keys: [key] }));
    expect((await verifyFile(signed(29))).verified).toBe(true);
    expect((await verifyFile(signed(null))).verified).toBe(true);
    expect((await verifyFile(signed(30))).verified).toBe(false);
  });

  it('rejects input that inflates beyond its limit', async () => {
    const large = {
      name: 'assets/large',
      content: 'x',
      method: 8,
      zip64: true,
      uncompressedBytes: maxVerifiedInflatedBytes + 1,
    };
    const signed = signJar([...apkEntries({ minSdk: 21, targetSdk: 29 }), large], { keys: [key] });
    expect((await verifyFile(buildZip(signed))).problems).toEqual([
      'assets/large cannot be compared with its signature: the zip archive inflates to too much data.',
    ]);
  });

  it('verifies an IPA by its code signature', async () => {
    const { verified, verifiedFromSdk, problems } = await verifyFile(buildIpa());
    expect({ verified, verifiedFromSdk }).toEqual({ verified: false, verifiedFromSdk: null });
    expect(problems).not.toEqual([]);
  });

  it('rejects files that are not packages and missing files', async () => {
    await expect(verifyFile(Buffer.from('text'))).rejects.toThrow(UnreadablePackage);
    await expect(verifySignature(join(folder, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
