import { describe, expect, it } from 'vitest';
import { verifyApkSignature } from '../../../src/packages/apk/signature/verify-apk-signature.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { apkEntries, buildApk } from '../../support/build-apk.ts';
import { buildZip, fileInMemory } from '../../support/build-zip.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { type SigningSpec, signApk, uint32 } from '../../support/sign-apk.ts';
import { signJar } from '../../support/sign-jar.ts';
import { certify, createTestKey, der, derIdentifier, derSequence } from '../../support/test-key.ts';

const unsigned = buildApk({ fillerBytes: 1_500_000 });
const [first, second, third] = [createTestKey(), createTestKey('ec-384'), createTestKey()];
const rsa = createTestKey('rsa-2048');
const dsa = createTestKey('dsa-1024');

async function verify(apk: Buffer, minSdkVersion = 24, targetSdkVersion = 35) {
  return verifyApkSignature(await openZip(fileInMemory(apk)), { minSdkVersion, targetSdkVersion });
}
const verifySigned = (spec: SigningSpec, minSdkVersion = 24) =>
  verify(signApk(unsigned, spec), minSdkVersion);
const from = (sdk: number) => ({ verified: true, verifiedFromSdk: sdk, problems: [] });
const refused = (...problems: string[]) => ({ verified: false, verifiedFromSdk: null, problems });

describe('signature algorithms of the signing block', () => {
  it.each([
    ['RSA-PSS with SHA-256', rsa, 0x0101],
    ['RSA-PSS with SHA-512', rsa, 0x0102],
    ['RSA with SHA-256', rsa, 0x0103],
    ['RSA with SHA-512', rsa, 0x0104],
    ['ECDSA with SHA-256', first, 0x0201],
    ['ECDSA with SHA-512', second, 0x0202],
    ['DSA with SHA-256', dsa, 0x0301],
  ])('include %s, which fails with a changed signature', async (name, key, algorithm) => {
    expect(await verifySigned({ v2: [{ key, algorithms: [algorithm] }] })).toEqual(from(24));
    const tamperSignature = (signature: Buffer) =>
      Buffer.from(signature.map((byte, at) => (at === 20 ? byte ^ 1 : byte)));
    expect(await verifySigned({ v2: [{ key, algorithms: [algorithm], tamperSignature }] })).toEqual(
      refused(`The signature of v2 signer 1 (${name}) does not verify: sign the package again.`),
    );
  });

  it.each([
    ['RSA', rsa, 0x0421],
    ['ECDSA', first, 0x0423],
    ['DSA', dsa, 0x0425],
  ])(
    'include %s with fs-verity on Android 9 and later when the block is aligned',
    async (_, key, algorithm) => {
      const signer = { key, algorithms: [algorithm] };
      expect(await verifySigned({ v3: [signer], aligned: true }, 28)).toEqual(from(28));
      expect(await verifySigned({ v2: [signer], aligned: true }, 24)).toEqual(from(28));
      expect((await verifySigned({ v3: [signer] }, 28)).problems).toEqual([
        'The v3 signature is for fs-verity, but the APK Signing Block is not aligned to 4096 bytes.',
      ]);
    },
  );

  it('require a key of their own kind', async () => {
    const wrongKey = { key: first, publicKey: rsa.publicKey };
    expect((await verifySigned({ v2: [wrongKey] })).problems[0]).toContain('does not verify');
  });

  it('are skipped when unknown, unless all are unknown', async () => {
    const garbled = signApk(unsigned, { v2: [{ key: first }] });
    for (let at = garbled.indexOf(uint32(0x0201)); at > 0; at = garbled.indexOf(uint32(0x0201), at + 4))
      garbled.writeUInt32LE(0x7777, at);
    expect(await verify(garbled)).toEqual(
      refused('The v2 signer 1 has no signature that Android API 33 supports.'),
    );
  });

  it('accept an RSA key whose certificate has a negative modulus', async () => {
    const jwk = rsa.privateKey.export({ format: 'jwk' });
    const negative = derSequence([
      der(2, Buffer.from(jwk.n ?? '', 'base64url')),
      der(2, Buffer.from(jwk.e ?? '', 'base64url')),
    ]);
    const publicKey = derSequence([
      derSequence([derIdentifier('1.2.840.113549.1.1.1'), der(5, Buffer.alloc(0))]),
      der(3, Buffer.concat([Buffer.of(0), negative])),
    ]);
    const key = certify(rsa.privateKey, rsa.publicKey, { publicKey });
    expect(await verifySigned({ v2: [{ key, algorithms: [0x0103] }] })).toEqual(from(24));
  });
});

describe('changes after signing', () => {
  const signed = signApk(unsigned, { v2: [{ key: first }] });
  const directoryStart = signed.readUInt32LE(signed.length - 6);
  const changedContent = refused(
    'The package was changed after it was signed: its content does not match the v2 signature.',
  );
  const flip = (position: number) => {
    const changed = Buffer.from(signed);
    changed[position] = (changed[position] ?? 0) ^ 0x01;
    return changed;
  };

  it.each([
    ['the first entry', 10],
    ['the second chunk', 1_200_000],
    // the time of last change, which no reader checks
    ['the central directory', directoryStart + 12],
    ['the last byte before the block', directoryStart - 9_999],
  ])('in %s are detected', async (_, position) => {
    expect(await verify(flip(position))).toEqual(changedContent);
  });

  it('in the end record are detected', async () => {
    const commented = Buffer.concat([signed, Buffer.from('abc')]);
    commented.writeUInt16LE(3, signed.length - 2);
    expect(await verify(commented)).toEqual(changedContent);
  });

  it('of the signed digest are detected', async () => {
    const tamperDigest = (digest: Buffer) => Buffer.alloc(digest.length, 7);
    expect(await verifySigned({ v2: [{ key: first, tamperDigest }] })).toEqual(changedContent);
  });

  it('of signed data are detected for any byte of the signer', async () => {
    const valueStart = signed.indexOf(uint32(0x7109871a)) + 4;
    const valueEnd = directoryStart - 24;
    const problems = new Set<string>();
    for (let position = valueStart; position < valueEnd; position += runsEverything ? 1 : 7) {
      const { verified, problems: found } = await verify(flip(position));
      expect(verified, `byte ${position}`).toBe(false);
      for (const problem of found) problems.add(problem);
    }
    expect(problems.size).toBeGreaterThan(2);
  });

  it('that remove the whole signature are detected', async () => {
    expect(await verify(unsigned)).toEqual(
      refused('The package is not signed. Android does not install unsigned packages.'),
    );
  });
});

describe('signers of schemes v2 and v3', () => {
  it('must all verify', async () => {
    expect(await verifySigned({ v2: [{ key: first }, { key: rsa, algorithms: [0x0103] }] })).toEqual(
      from(24),
    );
    const broken = { key: second, tamperSignature: () => Buffer.alloc(8) };
    expect((await verifySigned({ v2: [{ key: first }, broken] })).problems[0]).toContain('v2 signer 2');
  });

  it('must have a certificate for the signing key', async () => {
    expect(await verifySigned({ v2: [{ key: first, certificates: [third.certificate] }] })).toEqual(
      refused('The certificate of v2 signer 1 does not belong to the key that signed.'),
    );
    expect((await verifySigned({ v2: [{ key: first, certificates: [] }] })).problems).toEqual([
      'The v2 signer 1 has no certificate.',
    ]);
    const garbage = [first.certificate, Buffer.from('nothing')];
    expect((await verifySigned({ v2: [{ key: first, certificates: garbage }] })).problems[0]).toContain(
      'A certificate of v2 signer 1 is damaged',
    );
  });

  it('must not have lost a signature', async () => {
    const signer = { key: first, algorithms: [0x0201, 0x0202], dropSignatures: [0x0202] };
    expect((await verifySigned({ v2: [signer] })).problems[0]).toContain('one was removed after signing');
  });

  it('of v3 must match the signed platform range', async () => {
    expect((await verifySigned({ v3: [{ key: first, minSdk: 28, signedMinSdk: 30 }] }, 28)).problems).toEqual(
      ['The range of Android versions of v3 signer 1 was changed after signing.'],
    );
    expect((await verifySigned({ v3: [{ key: first, minSdk: 31, maxSdk: 30 }] }, 28)).problems[0]).toContain(
      'invalid range',
    );
  });

  it('of v3 must cover every platform from the first one on', async () => {
    const lineage = [first, second];
    const ranges = (maxSdk: number, minSdk: number) => ({
      v3: [
        { key: first, minSdk: 28, maxSdk },
        { key: second, minSdk, lineage },
      ],
    });
    expect(await verifySigned(ranges(30, 31), 28)).toEqual(from(28));
    expect((await verifySigned(ranges(30, 32), 28)).problems).toEqual([
      'The Android versions of the v3 signers overlap or leave a gap.',
    ]);
    expect((await verifySigned(ranges(30, 30), 28)).problems).toEqual([
      'The Android versions of the v3 signers overlap or leave a gap.',
    ]);
    expect(await verifySigned({ v3: [{ key: first, minSdk: 30 }] }, 28)).toEqual(from(30));
    expect((await verifySigned({ v3: [{ key: first, maxSdk: 34 }] }, 28)).problems).toEqual([
      'The v3 signers are only for Android API 28 to 34.',
    ]);
  });
});

describe('key rotation', () => {
  const lineage = [first, second];

  it('lets an old key sign for old platforms and a new one for new ones', async () => {
    const spec = { v2: [{ key: first }], v3: [{ key: second, lineage }] };
    expect(await verifySigned(spec)).toEqual(from(24));
  });

  it('needs a history when keys differ', async () => {
    const spec = { v2: [{ key: first }], v3: [{ key: second }] };
    expect(await verifySigned(spec)).toEqual(from(28));
    const { problems } = await verifySigned({
      v2: [{ key: third }],
      v3: [{ key: second, lineage, maxSdk: 32 }],
    });
    expect(problems[0]).toContain('only for Android API 28 to 32');
  });

  it('needs a history that is signed step by step and ends with the signer', async () => {
    const unrelated = [first, { ...second, certificate: third.certificate }];
    expect((await verifySigned({ v3: [{ key: second, lineage: unrelated }] }, 28)).problems).toEqual([
      'The rotation history of v3 signer 1 does not end with its certificate.',
    ]);
    const forged = [{ ...first, privateKey: third.privateKey }, second];
    expect((await verifySigned({ v3: [{ key: second, lineage: forged }] }, 28)).problems).toEqual([
      'Certificate 2 in the rotation history of v3 signer 1 was not signed by the one before it.',
    ]);
    expect(
      (await verifySigned({ v3: [{ key: first, lineage: [first, second, first] }] }, 28)).problems,
    ).toEqual(['The rotation history of v3 signer 1 contains a certificate twice.']);
    const damaged = { key: second, attributes: [[0x3ba06f8c, Buffer.of(9, 0, 0, 0)] as const] };
    expect((await verifySigned({ v3: [damaged] }, 28)).problems[0]).toContain('unknown version');
  });

  it('needs consistent histories', async () => {
    const spec = {
      v3: [
        { key: second, minSdk: 28, maxSdk: 30, lineage: [first, second] },
        { key: second, minSdk: 31, lineage: [third, second] },
      ],
    };
    expect((await verifySigned(spec, 28)).problems).toEqual([
      'The rotation histories of the v3 signers are inconsistent.',
    ]);
  });

  const rotationMinSdk = (sdk: number) => [[0x559f8b02, uint32(sdk)] as const];
  const oldSigner = { key: first, maxSdk: 32, attributes: rotationMinSdk(33) };

  it('in v3.1 verifies the v3 signer for earlier platforms', async () => {
    const spec = { v2: [{ key: first }], v3: [oldSigner], v31: [{ key: second, minSdk: 33, lineage }] };
    expect(await verifySigned(spec)).toEqual(from(24));
    expect(await verifySigned(spec, 33)).toEqual(from(33));
  });

  it('in v3.1 cannot be removed', async () => {
    const { problems } = await verifySigned({ v3: [{ ...oldSigner, maxSdk: 0x7fffffff }] }, 28);
    expect(problems[0]).toContain('that v3.1 signature was removed');
  });

  it('in v3.1 needs the v3 signature and the platform named there', async () => {
    const v31 = [{ key: second, minSdk: 33, lineage }];
    expect((await verifySigned({ v31 }, 33)).problems).toEqual([
      'The package has a v3.1 signature without the v3 signature that older platforms need.',
    ]);
    const late = { v3: [{ ...oldSigner, attributes: rotationMinSdk(34) }], v31 };
    expect((await verifySigned(late, 28)).problems[0]).toContain('states Android API 34');
  });

  it('in v3.1 must be valid itself', async () => {
    const v31 = [{ key: second, minSdk: 33, lineage, tamperSignature: () => Buffer.alloc(8) }];
    expect((await verifySigned({ v3: [oldSigner], v31 }, 28)).problems[0]).toContain('v3.1 signer 1');
  });

  it('in v3.1 for a development release can start at the number of the previous release', async () => {
    const devRelease = [[0xc2a6b3ba, Buffer.alloc(0)] as const];
    const v31 = (attributes: typeof devRelease) => [
      { key: second, minSdk: 33, maxSdk: 34, lineage },
      { key: third, minSdk: 34, lineage: [first, second, third], attributes },
    ];
    expect(await verifySigned({ v3: [oldSigner], v31: v31(devRelease) }, 28)).toEqual(from(28));
    expect((await verifySigned({ v3: [oldSigner], v31: v31([]) }, 28)).problems[0]).toContain('overlap');
  });
});

describe('combined schemes', () => {
  it('v2 that names v3 does not verify without it', async () => {
    const attributes = [[0xbeeff00d, uint32(3)] as const];
    expect(await verifySigned({ v2: [{ key: first, attributes }] })).toEqual(
      refused('The package was also signed with scheme v3, and that signature was removed.'),
    );
    expect(await verifySigned({ v2: [{ key: first, attributes }], v3: [{ key: first }] })).toEqual(from(24));
  });

  it('v1 and v2 with different keys verify only on platforms that ignore v1', async () => {
    const signed = signApk(buildZip(signJar(apkEntries(), { keys: [second] })), { v2: [{ key: first }] });
    expect(await verify(signed, 21)).toEqual(from(24));
  });

  it('a valid v1 does not make up for a broken v2', async () => {
    const broken = { key: first, tamperSignature: () => Buffer.alloc(8) };
    const signed = signApk(buildZip(signJar(apkEntries(), { keys: [first] })), { v2: [broken] });
    expect((await verify(signed, 21)).verified).toBe(false);
  });

  it('a malformed scheme is a problem', async () => {
    const signed = signApk(unsigned, { v2: [{ key: first }] });
    const at = signed.indexOf(uint32(0x7109871a));
    signed.writeUInt32LE(0xffffff, at + 4);
    expect((await verify(signed)).problems[0]).toContain('The v2 signature is damaged');
  });

  it('a v3 signer for a platform that never exists verifies nowhere', async () => {
    expect((await verifySigned({ v3: [{ key: first, minSdk: 9_999 }] }, 28)).verified).toBe(false);
  });
});
