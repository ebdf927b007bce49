import { describe, expect, it } from 'vitest';
import {
  maxJarLines,
  maxJarManifestBytes,
  maxJarSections,
  readJarManifest,
} from '../../../src/packages/apk/signature/jar-manifest.ts';
import { maxSignatureBlockBytes } from '../../../src/packages/apk/signature/jar-signers.ts';
import { maxMessageLength } from '../../../src/packages/apk/signature/signing-messages.ts';
import { maxSigners } from '../../../src/packages/apk/signature/signing-schemes.ts';
import { verifyApkSignature } from '../../../src/packages/apk/signature/verify-apk-signature.ts';
import { maxJarProblems } from '../../../src/packages/apk/signature/verify-jar.ts';
import { maxCmsSigners } from '../../../src/packages/certificate/cms-signed-data.ts';
import { maxNameBytes } from '../../../src/packages/zip/central-directory.ts';
import { maxBufferedEntryBytes } from '../../../src/packages/zip/hash-entry.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { apkEntries } from '../../support/build-apk.ts';
import { buildZip, fileInMemory, type ZipEntrySpec } from '../../support/build-zip.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { signApk } from '../../support/sign-apk.ts';
import { type JarSigningSpec, signJar } from '../../support/sign-jar.ts';
import { certify, createTestKey, der, derIdentifier, derSequence } from '../../support/test-key.ts';

const rsa = createTestKey('rsa-2048');
const ec = createTestKey();
const dsa = createTestKey('dsa-1024');
const entries = apkEntries({
  extraEntries: [{ name: 'assets/large', content: Buffer.alloc(maxBufferedEntryBytes + 1, 'x'), method: 8 }],
});

async function verify(files: readonly ZipEntrySpec[], minSdkVersion = 21, targetSdkVersion = 29) {
  return verifyApkSignature(await openZip(fileInMemory(buildZip(files))), {
    minSdkVersion,
    targetSdkVersion,
  });
}
const verifySigned = (spec: Partial<JarSigningSpec> = {}, minSdkVersion = 21) =>
  verify(signJar(entries, { keys: [rsa], ...spec }), minSdkVersion);
const from = (sdk: number) => ({ verified: true, verifiedFromSdk: sdk, problems: [] });
const refused = (...problems: string[]) => ({ verified: false, verifiedFromSdk: null, problems });

describe('JAR signatures', () => {
  it.each([
    ['RSA', 'sha1', rsa, 7],
    ['RSA', 'sha256', rsa, 18],
    ['RSA', 'sha512', rsa, 18],
    ['ECDSA', 'sha1', ec, 18],
    ['ECDSA', 'sha256', ec, 18],
    ['DSA', 'sha1', dsa, 7],
    ['DSA', 'sha256', dsa, 22],
  ])('by %s with %s verify from the first platform that supports them', async (_, digest, key, sdk) => {
    expect(await verifySigned({ keys: [key], digest, signatureHash: digest }, 7)).toEqual(from(sdk));
  });

  it('with digests that older platforms ignore verify only on later ones', async () => {
    expect(await verifySigned({ digest: 'sha256', signatureHash: 'sha1' }, 7)).toEqual(from(18));
    expect(await verifySigned({ digest: 'sha1', signatureHash: 'sha1' }, 7)).toEqual(from(7));
    const named = (text: string) =>
      text.replaceAll('SHA-256-Digest', 'Digest-Algorithms: SHA-256\r\nSHA-256-Digest');
    expect((await verifySigned({ signatureHash: 'sha1', editManifest: named }, 7)).verified).toBe(true);
  });

  it('with unknown algorithms do not verify', async () => {
    expect(await verifySigned({ keys: [dsa], signatureHash: 'sha512' })).toEqual(
      refused(
        'The JAR signature META-INF/CERT0.DSA cannot be used: Android does not support its algorithms.',
      ),
    );
  });

  it('are not sufficient for packages that target Android 11', async () => {
    const signed = signJar(entries, { keys: [rsa] });
    expect(await verify(signed, 21, 29)).toEqual(from(21));
    expect((await verify(signed, 21, 30)).problems).toEqual([
      'The package targets Android API 30 and has only a JAR signature (v1): Android 11 and later require scheme v2 or newer. ' +
        'Sign it again with apksigner.',
    ]);
  });

  it('can have signed attributes from Android 4.4 on', async () => {
    expect(
      await verifySigned({ signedAttributes: 'right', digest: 'sha1', signatureHash: 'sha1' }, 7),
    ).toEqual(from(19));
    for (const signedAttributes of ['wrong-digest', 'wrong-type'] as const) {
      expect(await verifySigned({ signedAttributes })).toEqual(
        refused('The JAR signature META-INF/CERT0.RSA does not verify against its .SF file.'),
      );
    }
  });

  it('can have several signers if all are valid', async () => {
    expect(await verifySigned({ keys: [rsa, ec] })).toEqual(from(21));
    const foreign = { ...ec, privateKey: createTestKey().privateKey };
    expect((await verifySigned({ keys: [rsa, foreign] })).problems[0]).toContain(
      'META-INF/CERT1.EC does not verify',
    );
    expect((await verifySigned({ keys: Array(maxSigners + 1).fill(ec) })).problems).toEqual([
      `The package has more than ${maxSigners} JAR signers.`,
    ]);
  });

  it('in one block can follow broken ones from Android 7 on', async () => {
    expect(await verifySigned({ brokenSigners: 1 })).toEqual(from(24));
  });

  it('of a block over its caps do not verify', async () => {
    expect((await verifySigned({ brokenSigners: maxCmsSigners })).problems[0]).toContain(
      `it has more than ${maxCmsSigners} signers`,
    );
    const padding = Buffer.alloc(maxSignatureBlockBytes);
    const large = signJar(entries, { keys: [rsa] }).map((entry) =>
      entry.name === 'META-INF/CERT0.RSA'
        ? { ...entry, content: Buffer.concat([Buffer.from(entry.content ?? ''), padding]) }
        : entry,
    );
    expect((await verify(large)).problems[0]).toContain('META-INF/CERT0.RSA in the archive is too large');
  });

  it('by a certificate that is not allowed to sign do not verify', async () => {
    const extension = (identifier: string, value: string) =>
      derSequence([derIdentifier(identifier), der(1, Buffer.of(0xff)), der(4, Buffer.from(value, 'hex'))]);
    const withExtension = (one: Buffer) => ({
      keys: [certify(rsa.privateKey, rsa.publicKey, { extensions: [one] })],
    });
    expect(await verifySigned(withExtension(extension('2.5.29.15', '03020780')))).toEqual(from(21));
    expect((await verifySigned(withExtension(extension('2.5.29.15', '03020204')))).problems[0]).toContain(
      'not valid for signatures',
    );
    expect((await verifySigned(withExtension(extension('1.2.3.4', '0500')))).problems[0]).toContain(
      'unknown critical extension 1.2.3.4',
    );
  });

  it('with a missing certificate or a malformed block do not verify', async () => {
    expect((await verifySigned({ withoutCertificate: true })).problems[0]).toContain(
      'the certificate of its signer is not in it',
    );
    const garbage = signJar(entries, { keys: [rsa] }).map((entry) =>
      entry.name === 'META-INF/CERT0.RSA' ? { ...entry, content: 'x' } : entry,
    );
    expect((await verify(garbage)).problems[0]).toContain(
      'The JAR signature META-INF/CERT0.RSA cannot be used',
    );
  });
});

describe('the .SF file', () => {
  it('is checked section by section when the whole manifest does not match', async () => {
    expect(await verifySigned({ withoutWholeDigest: true })).toEqual(from(21));
    const tamperManifest = (text: string) => text.replace('Manifest-Version: 1.0', 'Manifest-Version: 1.1');
    expect(await verifySigned({ tamperManifest })).toEqual(from(21));
    const tamperEntry = (text: string) => text.replace('Name: classes.dex', 'Name: classes.dex\r\nX: y');
    expect(await verifySigned({ tamperManifest: tamperEntry })).toEqual(
      refused(
        'The entry of classes.dex in META-INF/MANIFEST.MF was changed after META-INF/CERT0.SF was signed.',
      ),
    );
  });

  it('does not verify when changed after signing', async () => {
    const tamperSignatureFile = (text: string) => text.replace('1.0', '1.1');
    expect((await verifySigned({ tamperSignatureFile })).problems).toEqual([
      'The JAR signature META-INF/CERT0.RSA does not verify against its .SF file.',
    ]);
  });

  it('does not verify with a wrong digest of the main section', async () => {
    const headLines = ['SHA-256-Digest-Manifest-Main-Attributes: AAAA'];
    expect((await verifySigned({ headLines })).problems).toEqual([
      'The main section of META-INF/MANIFEST.MF was changed after META-INF/CERT0.SF was signed.',
    ]);
  });

  it('makes Android skip the signer when it has no version, or a duplicate or nameless section', async () => {
    const ignored = refused('Android accepts none of the JAR signatures: their .SF files are malformed.');
    const edits = [
      (text: string) => text.replace('Signature-Version', 'Other-Version'),
      (text: string) => `${text}Name: classes.dex\r\n\r\n`,
      (text: string) => `${text}Other: x\r\n\r\n`,
    ];
    for (const editSignatureFile of edits) expect(await verifySigned({ editSignatureFile })).toEqual(ignored);
  });

  it('does not verify when it names a newer scheme that is missing', async () => {
    const spec = { keys: [ec], headLines: ['X-Android-APK-Signed: 2, 3'] };
    expect((await verifySigned(spec)).problems).toEqual([
      'META-INF/CERT0.SF says that the package is also signed with scheme v2, but that signature was removed.',
      'META-INF/CERT0.SF says that the package is also signed with scheme v3, but that signature was removed.',
    ]);
    const both = signApk(buildZip(signJar(entries, spec)), { v2: [{ key: ec }], v3: [{ key: ec }] });
    const archive = await openZip(fileInMemory(both));
    expect(await verifyApkSignature(archive, { minSdkVersion: 21, targetSdkVersion: 35 })).toEqual(from(21));
  });
});

describe('files of a JAR-signed package', () => {
  const signed = signJar(entries, { keys: [rsa] });

  it('are reported when changed, added, removed or duplicated after signing', async () => {
    const change = (name: string) =>
      signed.map((entry) => (entry.name === name ? { ...entry, content: 'other' } : entry));
    expect(await verify(change('classes.dex'))).toEqual(refused('classes.dex was changed after signing.'));
    expect(await verify(change('assets/large'))).toEqual(refused('assets/large was changed after signing.'));
    expect(await verify([...signed, { name: 'extra', content: '' }])).toEqual(
      refused('extra was added after signing: META-INF/MANIFEST.MF does not list it.'),
    );
    expect(await verify(signed.filter(({ name }) => name !== 'classes.dex'))).toEqual(
      refused('classes.dex was removed after signing: META-INF/MANIFEST.MF lists it.'),
    );
    expect(await verify([...signed, { name: 'classes.dex', content: '' }])).toEqual(
      refused('classes.dex is in the package twice, which Android rejects.'),
    );
  });

  it('in META-INF and directories need no signature', async () => {
    expect(
      await verify([...signed, { name: 'META-INF/services/x', content: 'y' }, { name: 'dir/' }]),
    ).toEqual(from(21));
  });

  it('are reported when they cannot be read', async () => {
    const damaged = signed.map((entry) => (entry.name === 'classes.dex' ? { ...entry, crc32: 1 } : entry));
    expect((await verify(damaged)).problems[0]).toContain(
      'classes.dex cannot be compared with its signature',
    );
  });

  it('must be signed by the same signers', async () => {
    const [one, two] = [
      signJar(entries, { keys: [rsa, ec] }),
      signJar(entries.slice(1), { keys: [rsa, ec] }),
    ];
    const fewer = two.find(({ name }) => name === 'META-INF/CERT1.SF');
    const block = two.find(({ name }) => name === 'META-INF/CERT1.EC');
    const mixed = one.map((entry) =>
      entry.name === 'META-INF/CERT1.SF'
        ? { ...entry, ...fewer }
        : entry.name === 'META-INF/CERT1.EC'
          ? { ...entry, ...block }
          : entry,
    );
    expect((await verify(mixed)).problems[0]).toBe(
      'classes.dex is not signed by the same JAR signers as the files before it.',
    );
  });

  it('are reported when the manifest has no digest for them', async () => {
    const editManifest = (text: string) => text.replace(/SHA-256-Digest/, 'Other-Digest');
    expect((await verifySigned({ editManifest })).problems[0]).toContain(
      'has no digest of AndroidManifest.xml',
    );
  });

  it('are reported up to a limit', async () => {
    const many = Array.from({ length: maxJarProblems + 5 }, (_, index) => ({
      name: `added-${index}`,
      content: '',
    }));
    expect((await verify([...signed, ...many])).problems).toHaveLength(maxJarProblems);
    const editManifest = (text: string) =>
      text + many.map(({ name }) => `Name: ${name}\r\nSHA-256-Digest: AAAA\r\n\r\n`).join('');
    expect((await verifySigned({ editManifest })).problems).toHaveLength(maxJarProblems);
  });
});

describe('damaged JAR signatures', () => {
  it('never make verification fail with any byte of a block changed', async () => {
    const signed = signJar(apkEntries(), { keys: [ec], signedAttributes: 'right' });
    const at = signed.findIndex(({ name }) => name === 'META-INF/CERT0.EC');
    const block = Buffer.from(signed[at]?.content ?? '');
    expect(block.length).toBeGreaterThan(300);
    for (let position = 0; position < block.length; position += runsEverything ? 1 : 5) {
      const changed = Buffer.from(block);
      changed[position] = (changed[position] ?? 0) ^ 0x80;
      const { problems } = await verify(signed.with(at, { name: 'META-INF/CERT0.EC', content: changed }));
      for (const problem of problems) expect(problem).toMatch(/^The JAR signature /);
    }
  });

  it('cause messages of limited length', async () => {
    const long = `${'x'.repeat(maxNameBytes - 4)}.txt`;
    const { problems } = await verify([...signJar(entries, { keys: [rsa] }), { name: long, content: '' }]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.length).toBeLessThanOrEqual(maxMessageLength);
  });
});

describe('META-INF/MANIFEST.MF', () => {
  it('does not verify with a duplicate or nameless section', async () => {
    expect(
      (await verifySigned({ editManifest: (text) => `${text}Name: classes.dex\r\n\r\n` })).problems,
    ).toEqual(['META-INF/MANIFEST.MF lists classes.dex twice.']);
    expect((await verifySigned({ editManifest: (text) => `${text}Other: x\r\n\r\n` })).problems).toEqual([
      'META-INF/MANIFEST.MF has a section without a name.',
    ]);
  });

  it('can have continuation lines, any line ending and blank lines between sections', () => {
    const { main, sections } = readJarManifest(
      Buffer.from('A: 1\r\n\r\n\nName: lo\r\n ng/é\n name\nB: 2\r\rName: x'),
    );
    expect([main.start, main.end]).toEqual([0, 8]);
    expect(sections.map(({ name, start, end }) => [name, start, end])).toEqual([
      ['long/éname', 9, 38],
      ['x', 38, 45],
    ]);
  });

  it('can have a character split by a line break', () => {
    const [head, tail] = [Buffer.from('A: 1\n\nName: '), Buffer.from('é')];
    const cut = Buffer.concat([head, tail.subarray(0, 1), Buffer.from('\n '), tail.subarray(1)]);
    expect(readJarManifest(cut).sections[0]?.name).toBe('é');
  });

  it('can be empty', () => {
    expect(readJarManifest(Buffer.alloc(0)).sections).toEqual([]);
    expect(readJarManifest(Buffer.from('\n\n\n')).sections).toEqual([]);
  });

  it('is rejected when it exceeds its limits', async () => {
    expect(() => readJarManifest(Buffer.from('A:1\n\n'.repeat(maxJarSections + 1)))).toThrow(
      'too many lines',
    );
    expect(() => readJarManifest(Buffer.from('A\n'.repeat(maxJarLines + 1)))).toThrow('too many lines');
  });

  it.runIf(runsEverything)('is rejected above maxJarManifestBytes, as is a signature file', async () => {
    const editManifest = (text: string) => `${text}\n${'\n'.repeat(maxJarManifestBytes)}`;
    expect((await verifySigned({ editManifest })).problems[0]).toContain(
      'META-INF/MANIFEST.MF in the archive is too large',
    );
    const editSignatureFile = (text: string) => `${text}\n${'\n'.repeat(maxJarManifestBytes)}`;
    expect((await verifySigned({ editSignatureFile })).problems[0]).toMatch(
      /META-INF\/\S*\.SF in the archive is too large/,
    );
  });
});
