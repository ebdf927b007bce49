/** Signer attributes that Android rejects, found by comparing mutated packages with apksigner. */
import { expect, it } from 'vitest';
import { verifyApkSignature } from '../../../src/packages/apk/signature/verify-apk-signature.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { buildApk } from '../../support/build-apk.ts';
import { fileInMemory } from '../../support/build-zip.ts';
import { type SigningSpec, signApk, uint32 } from '../../support/sign-apk.ts';
import { createTestKey } from '../../support/test-key.ts';

const [first, second] = [createTestKey(), createTestKey()];
const otherSchemes = 0xbeeff00d;
const proofOfRotation = 0x3ba06f8c;

async function verify(spec: SigningSpec, minSdkVersion: number) {
  const archive = await openZip(fileInMemory(signApk(buildApk(), spec)));
  return verifyApkSignature(archive, { minSdkVersion, targetSdkVersion: 35 });
}

it('a v2 attribute about other schemes that is too short is rejected', async () => {
  const damaged = { key: first, attributes: [[otherSchemes, Buffer.of(3, 0)] as const] };
  expect((await verify({ v2: [damaged] }, 24)).problems).toEqual([
    'The v2 signer 1 has a damaged attribute about other schemes.',
  ]);
  // from Android 9 on, v2 is ignored if there is v3
  expect((await verify({ v2: [damaged], v3: [{ key: first }] }, 24)).verifiedFromSdk).toBe(28);
});

it('a duplicate v2 attribute counts twice', async () => {
  const attributes = [2, 3].map((scheme) => [otherSchemes, uint32(scheme)] as const);
  expect((await verify({ v2: [{ key: first, attributes }] }, 24)).problems).toEqual([
    'The package was also signed with scheme v3, and that signature was removed.',
  ]);
});

it('a v3 signer with two rotation histories is rejected', async () => {
  const rotated = { key: second, lineage: [first, second] };
  expect((await verify({ v3: [rotated] }, 28)).verified).toBe(true);
  const twice = { ...rotated, attributes: [[proofOfRotation, uint32(1)] as const] };
  expect((await verify({ v3: [twice] }, 28)).problems).toEqual([
    'The v3 signer 1 has more than one rotation history.',
  ]);
});
