import { describe, expect, it } from 'vitest';
import { findJarSigners, maxSignatureBlockBytes } from '../../../src/packages/apk/signature/jar-signers.ts';
import {
  maxSigningBlockBytes,
  maxSigningBlockValues,
} from '../../../src/packages/apk/signature/signing-block.ts';
import { readSigningFacts } from '../../../src/packages/apk/signature/signing-facts.ts';
import { maxLineageCertificates } from '../../../src/packages/apk/signature/signing-lineage.ts';
import {
  maxAttributesPerSigner,
  maxCertificatesPerSigner,
  maxSignaturesPerSigner,
  maxSigners,
} from '../../../src/packages/apk/signature/signing-schemes.ts';
import { certificateFacts } from '../../../src/packages/certificate/certificate.ts';
import { maxCmsCertificates } from '../../../src/packages/certificate/cms-signed-data.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { apkEntries, buildApk } from '../../support/build-apk.ts';
import { buildZip, fileInMemory } from '../../support/build-zip.ts';
import {
  blockIds,
  buildSigningBlock,
  ecdsaSha256,
  prefixed,
  signApk,
  uint32,
  withSigningBlock,
} from '../../support/sign-apk.ts';
import { signJar } from '../../support/sign-jar.ts';
import { createTestKey } from '../../support/test-key.ts';

const unsigned = buildApk();
const [first, second, third] = [createTestKey(), createTestKey(), createTestKey()];
const sha1 = (key: typeof first) => certificateFacts(key.certificate).sha1;
const sha256 = (key: typeof first) => certificateFacts(key.certificate).sha256;
const factsOf = async (apk: Buffer) => readSigningFacts(await openZip(fileInMemory(apk)));

describe('the signing facts', () => {
  it('say that Android does not install an unsigned package', async () => {
    const { signing, signature, warnings } = await factsOf(unsigned);
    expect(signing).toEqual({ schemes: [], certificates: [], lineage: [], sourceStamp: false });
    expect(signature).toBeNull();
    expect(warnings).toEqual(['The package is not signed. Android does not install unsigned packages.']);
  });

  it('name the first signer of the newest scheme, whatever the block order', async () => {
    const signed = signJar(apkEntries(), { keys: [first] });
    const all = signApk(buildZip(signed), {
      v2: [{ key: first }],
      v3: [{ key: second, maxSdk: 32, lineage: [first, second] }],
      v31: [{ key: third, minSdk: 33, lineage: [first, second, third] }],
    });
    const { signing, signature, warnings } = await factsOf(all);
    expect(signing.schemes).toEqual(['v1', 'v2', 'v3', 'v3.1']);
    expect(signature).toBe(sha1(third));
    expect(signing.lineage).toEqual([sha256(first), sha256(second), sha256(third)]);
    expect(warnings).toEqual([]);
    expect((await factsOf(signApk(unsigned, { v2: [{ key: second }, { key: first }] }))).signature).toBe(
      sha1(second),
    );
  });

  it('list every signer of that scheme', async () => {
    const { signing } = await factsOf(signApk(unsigned, { v2: [{ key: second }, { key: first }] }));
    expect(signing.certificates.map((facts) => facts.sha1)).toEqual([sha1(second), sha1(first)]);
  });

  it.each([0x2b09189e, 0x6dff800d])('include a source stamp', async (id) => {
    const { signing } = await factsOf(
      signApk(unsigned, { v2: [{ key: first }], values: [[id, Buffer.alloc(8)]] }),
    );
    expect(signing.sourceStamp).toBe(true);
  });

  it('use the certificate named by the JAR signer, not the first one', async () => {
    const apk = buildZip(signJar(apkEntries(), { keys: [first], otherCertificates: [second.certificate] }));
    expect(await factsOf(apk)).toMatchObject({ signature: sha1(first), signing: { schemes: ['v1'] } });
  });

  it('ignore a JAR block without its .SF file', async () => {
    const apk = buildZip(signJar(apkEntries(), { keys: [first], withoutSignatureFiles: true }));
    expect((await factsOf(apk)).signing.schemes).toEqual([]);
  });

  it('warn about a JAR signer whose certificate is missing, and never substitute another', async () => {
    const broken = signJar(apkEntries(), {
      keys: [first],
      withoutCertificate: true,
      otherCertificates: [second.certificate],
    });
    const { signature, signing, warnings } = await factsOf(buildZip(broken));
    expect(signature).toBeNull();
    expect(signing.schemes).toEqual(['v1']);
    expect(warnings).toEqual([
      'The JAR signature CERT0.EC is damaged: the certificate of its signer is not in it.',
    ]);
  });

  it('require little reading of a large package', async () => {
    const file = fileInMemory(signApk(buildApk({ fillerBytes: 8 << 20 }), { v2: [{ key: first }] }));
    const archive = await openZip(file);
    const before = file.bytesRead;
    await readSigningFacts(archive);
    expect(file.bytesRead - before).toBeLessThan(4096);
  });
});

describe('a damaged signing block', () => {
  it('never makes reading fail, with any byte changed', async () => {
    const apk = signApk(unsigned, { v2: [{ key: first }], v3: [{ key: second, lineage: [first, second] }] });
    const start = apk.readUInt32LE(apk.length - 6);
    const blockStart = start - Number(apk.readBigUInt64LE(start - 24)) - 8;
    for (let position = blockStart; position < start; position++) {
      for (const mask of [0x01, 0x80, 0xff]) {
        const changed = Buffer.from(apk);
        changed[position] = (changed[position] ?? 0) ^ mask;
        await factsOf(changed);
      }
    }
  });

  it.each([
    [
      'a size below the least',
      (block: Buffer) => block.writeBigUInt64LE(8n, block.length - 24),
      'impossible size',
    ],
    [
      'a size beyond the file',
      (block: Buffer) => block.writeBigUInt64LE(1n << 62n, block.length - 24),
      'impossible size',
    ],
    ['two different sizes', (block: Buffer) => block.writeBigUInt64LE(1n, 0), 'two different sizes'],
    [
      'a value beyond its end',
      (block: Buffer) => block.writeBigUInt64LE(1n << 40n, 8),
      'Value 1 of the APK Signing Block is truncated',
    ],
    [
      'a value of no bytes',
      (block: Buffer) => block.writeBigUInt64LE(0n, 8),
      'Value 1 of the APK Signing Block is truncated',
    ],
  ])('causes a warning about %s', async (_, damage, words) => {
    const block = buildSigningBlock([[blockIds.v2, Buffer.alloc(64)]]);
    damage(block);
    const { signing, warnings } = await factsOf(withSigningBlock(unsigned, block));
    expect(signing.schemes).toEqual([]);
    expect(warnings[0]).toContain(words);
    expect(warnings[1]).toContain('not signed');
  });

  it('keeps the values before a damaged one, as in Android', async () => {
    const scheme = signApk(unsigned, { v2: [{ key: first }], values: [[0x1234, Buffer.alloc(4)]] });
    const at = scheme.lastIndexOf(uint32(0x1234));
    scheme.writeBigUInt64LE(1n << 33n, at - 8);
    const { signature, warnings } = await factsOf(scheme);
    expect(signature).toBe(sha1(first));
    expect(warnings).toEqual(['Value 2 of the APK Signing Block is truncated.']);
  });

  it('causes a warning when Android ignores the block', async () => {
    const block = buildSigningBlock([[blockIds.v2, Buffer.alloc(64)]]);
    const stray = buildZip(apkEntries(), { beforeDirectory: block, betweenDirectoryAndEnd: Buffer.alloc(4) });
    expect((await factsOf(stray)).warnings[0]).toContain('does not end at the end record');
  });

  it('causes a warning when its size or value count exceeds the limit', async () => {
    const huge = buildSigningBlock([[0x1234, Buffer.alloc(maxSigningBlockBytes)]]);
    expect((await factsOf(withSigningBlock(unsigned, huge))).warnings[0]).toContain(
      `larger than ${maxSigningBlockBytes} bytes`,
    );
    const values = Array.from(
      { length: maxSigningBlockValues + 1 },
      (_, id) => [id, Buffer.alloc(0)] as const,
    );
    const many = withSigningBlock(unsigned, buildSigningBlock(values));
    expect((await factsOf(many)).warnings[0]).toContain(`more than ${maxSigningBlockValues} values`);
  });

  const times = <Value>(count: number, value: Value) => Array<Value>(count).fill(value);
  it.each([
    ['signers', { v2: times(maxSigners + 1, { key: first }) }],
    [
      'certificates',
      { v2: [{ key: first, certificates: times(maxCertificatesPerSigner + 1, first.certificate) }] },
    ],
    ['signatures', { v2: [{ key: first, algorithms: times(maxSignaturesPerSigner + 1, ecdsaSha256) }] }],
    [
      'attributes',
      { v2: [{ key: first, attributes: times(maxAttributesPerSigner + 1, [1, Buffer.alloc(0)] as const) }] },
    ],
  ])('causes a warning when the limit is exceeded: %s', async (what, spec) => {
    const { signature, signing, warnings } = await factsOf(signApk(unsigned, spec));
    expect(signature).toBeNull();
    expect(signing.schemes).toEqual(['v2']);
    expect(warnings[0]).toMatch(
      new RegExp(`The v2 signature is damaged: there are more than \\d+ of the (v2 )?${what}`),
    );
    expect(warnings).toHaveLength(1);
  });

  it('causes a warning about a rotation history over the limit and still names the signer', async () => {
    const lineage = times(maxLineageCertificates + 1, first);
    const { signature, signing, warnings } = await factsOf(
      signApk(unsigned, { v3: [{ key: first, lineage }] }),
    );
    expect(signature).toBe(sha1(first));
    expect(signing.lineage).toEqual([]);
    expect(warnings[0]).toContain(`more than ${maxLineageCertificates} certificates`);
  });

  it('causes a warning about a scheme without a signer and a signer without a certificate', async () => {
    const empty = buildSigningBlock([[blockIds.v2, prefixed(Buffer.alloc(0))]]);
    expect((await factsOf(withSigningBlock(unsigned, empty))).warnings).toEqual([
      'The v2 signature is damaged: there is no v2 signer.',
    ]);
    const { warnings } = await factsOf(signApk(unsigned, { v2: [{ key: first, certificates: [] }] }));
    expect(warnings).toEqual(['The v2 signature is damaged: v2 signer 1 has no certificate.']);
  });

  it('warns of too many certificates or signers in JAR signatures', async () => {
    const certificates = times(maxCmsCertificates, second.certificate);
    const bag = buildZip(signJar(apkEntries(), { keys: [first], otherCertificates: certificates }));
    expect((await factsOf(bag)).warnings[0]).toContain(`more than ${maxCmsCertificates} certificates`);
    const many = buildZip(signJar(apkEntries(), { keys: times(maxSigners + 5, first) }));
    const { signing, warnings } = await factsOf(many);
    expect(warnings[0]).toBe(`The package has more than ${maxSigners} JAR signers.`);
    expect(signing.certificates).toHaveLength(maxSigners);
    expect(findJarSigners(await openZip(fileInMemory(many)))).toHaveLength(maxSigners + 1);
  });

  it('includes a JAR signature over maxSignatureBlockBytes, which is reported as damaged', async () => {
    const entries = signJar(apkEntries(), { keys: [first] }).map((entry) =>
      entry.name === 'META-INF/CERT0.EC'
        ? {
            ...entry,
            content: Buffer.concat([Buffer.from(entry.content ?? ''), Buffer.alloc(maxSignatureBlockBytes)]),
          }
        : entry,
    );
    const { signature, warnings } = await factsOf(buildZip(entries));
    expect(signature).toBeNull();
    expect(warnings).toEqual([
      expect.stringMatching(/^The JAR signature CERT0\.EC is damaged: .* is too large\.$/),
    ]);
  });
});
