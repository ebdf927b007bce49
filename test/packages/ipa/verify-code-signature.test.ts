import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { maxBlobs, readCodeSignature } from '../../../src/packages/ipa/signature/code-signature.ts';
import {
  executableLimits,
  MalformedExecutable,
  readExecutable,
} from '../../../src/packages/ipa/signature/executable.ts';
import {
  maxLoadCommandBytes,
  maxLoadCommands,
  maxSlices,
} from '../../../src/packages/ipa/signature/mach-o.ts';
import {
  maxSealedFileBytes,
  verifyCodeSignature,
} from '../../../src/packages/ipa/signature/verify-code-signature.ts';
import { type SignatureVerification, UnreadablePackage } from '../../../src/packages/package-info.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import {
  buildInfoPlist,
  buildIpa,
  createSigningIdentity,
  type IpaSpec,
  ipaEntries,
} from '../../support/build-ipa.ts';
import { buildZip, fileInMemory } from '../../support/build-zip.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { fixturesOfRun, sharedFixturePath, sharedFixturesPresent } from '../../support/shared-fixtures.ts';
import { blob, buildFat, buildSlice, superBlob } from './build-mach-o.ts';

const identity = createSigningIdentity();

async function verify(bytes: Buffer): Promise<SignatureVerification> {
  return verifyCodeSignature(await openZip(fileInMemory(bytes)));
}

/** Returns the package with one entry's content changed. */
function withEntry(spec: IpaSpec, name: string, change: (content: Buffer) => Buffer | null): Buffer {
  const full = `Payload/Test.app/${name}`;
  const entries = ipaEntries(spec).flatMap((entry) => {
    if (entry.name !== full) return [entry];
    const content = change(Buffer.from(entry.content ?? ''));
    return content === null ? [] : [{ ...entry, content }];
  });
  return buildZip(entries);
}

function flip(position: number): (content: Buffer) => Buffer {
  return (content) => {
    content[position] = (content[position] ?? 0) ^ 1;
    return content;
  };
}

describe('a valid signature', () => {
  it.each([
    ['SHA-256', {}],
    ['SHA-1 alone', { signature: { digests: ['sha1'] } }],
    ['SHA-1 and SHA-256', { signature: { digests: ['sha1', 'sha256'] } }],
    ['SHA-256 and SHA-1', { signature: { digests: ['sha256', 'sha1'] } }],
    ['pages of 16 KiB', { signature: { pageShift: 14 }, slice: { codeBytes: 100_000 } }],
    ['one page for all', { signature: { pageShift: 0 }, slice: { codeBytes: 300_000 } }],
    ['two slices', { cpus: ['armv7', 'arm64'] }],
    ['a big-endian slice', { slice: { bigEndian: true } }],
    ['code larger than a chunk of the stream', { slice: { codeBytes: 1_500_000 } }],
    ['an RSA key', { identity: createSigningIdentity({ keyType: 'rsa' }) }],
    ['a binary Info.plist', { plistForm: 'binary' }],
  ] as [string, IpaSpec][])('verifies: %s', async (_name, spec) => {
    const result = await verify(buildIpa({ identity, ...spec }));
    expect(result).toEqual({ verified: true, verifiedFromSdk: null, problems: [] });
  });
});

describe('an invalid signature', () => {
  it.each([
    ['a changed page', 'Test', flip(5000), '1 of 3 pages of the arm64 code were changed after signing.'],
    [
      'a changed last byte of code',
      'Test',
      flip(9007),
      '1 of 3 pages of the arm64 code were changed after signing.',
    ],
    ['a changed Info.plist', 'Info.plist', flip(60), 'Info.plist was changed after signing.'],
    [
      'changed CodeResources',
      '_CodeSignature/CodeResources',
      flip(9),
      '_CodeSignature/CodeResources was changed after signing.',
    ],
    [
      'missing CodeResources',
      '_CodeSignature/CodeResources',
      () => null,
      '_CodeSignature/CodeResources is missing, although the signature covers it.',
    ],
  ] as [string, string, (content: Buffer) => Buffer | null, string][])(
    'is reported: %s',
    async (_name, entry, change, problem) => {
      const result = await verify(withEntry({ identity }, entry, change));
      expect(result).toEqual({ verified: false, verifiedFromSdk: null, problems: [problem] });
    },
  );

  it('is reported for every slice', async () => {
    const spec: IpaSpec = { identity, cpus: ['armv7', 'arm64'] };
    const changeBoth = (content: Buffer) => flip(16_384 + 4096)(flip(content.length - 20_000)(content));
    const { problems } = await verify(withEntry(spec, 'Test', (content) => changeBoth(content)));
    expect(problems).toContain('1 of 3 pages of the armv7 code were changed after signing.');
  });

  it.each([
    ['changed entitlements', 'get-task-allow', 'The entitlements was changed after signing.'],
    ['a changed code directory', 'com.example.test\0', 'The signature is over other content.'],
  ])('is reported: %s', async (_name, marker, problem) => {
    const { problems } = await verify(
      withEntry({ identity }, 'Test', (content) => flip(content.indexOf(marker))(content)),
    );
    expect(problems).toContain(problem);
  });

  it('is reported when another key made it', async () => {
    const other = createSigningIdentity();
    const forged = { ...identity, privateKey: other.privateKey };
    const { problems } = await verify(buildIpa({ identity: forged }));
    expect(problems).toEqual(['The signature does not match its certificate.']);
  });

  it('is reported when its certificate is missing', async () => {
    const { problems } = await verify(buildIpa({ identity: { ...identity, chain: [] } }));
    expect(problems).toEqual(['The signature lacks the certificate of its signer.']);
  });

  it('does not cover a second code directory that is missing from its attributes', async () => {
    const signature = {
      digests: ['sha1', 'sha256'] as ('sha1' | 'sha256')[],
      withoutCodeDirectoryHashes: true,
    };
    const { problems } = await verify(buildIpa({ identity, signature }));
    expect(problems).toEqual(['The signature does not cover the sha256 code directory.']);
  });

  it('does not cover a replaced second code directory', async () => {
    const spec: IpaSpec = { identity, signature: { digests: ['sha1', 'sha256'] } };
    const changeSecond = (content: Buffer) => flip(content.lastIndexOf('com.example.test\0'))(content);
    const { problems } = await verify(withEntry(spec, 'Test', changeSecond));
    expect(problems).toEqual(['The signature does not cover the sha256 code directory.']);
  });

  it.each([
    ['Info.plist', { infoPlist: null }, 'Info.plist is not covered by the signature.'],
    [
      'CodeResources',
      { codeResources: null },
      '_CodeSignature/CodeResources is not covered by the signature.',
    ],
    [
      'all the code',
      { alterDirectory: (directory: Buffer) => directory.writeUInt32BE(4096, 32) },
      'The signature does not cover the whole arm64 code.',
    ],
    [
      'with a known hash',
      { alterDirectory: (directory: Buffer) => directory.writeUInt8(77, 37) },
      'A code directory of the arm64 code uses an unknown hash.',
    ],
    [
      'every page',
      { alterDirectory: (directory: Buffer) => directory.writeUInt32BE(2, 28) },
      '1 of 3 pages of the arm64 code were changed after signing.',
    ],
  ] as [string, IpaSpec['signature'], string][])(
    'is reported when it does not seal %s',
    async (_name, signature, problem) => {
      const result = await verify(buildIpa({ identity, signature: signature ?? {} }));
      expect(result.verified).toBe(false);
      expect(result.problems).toContain(problem);
    },
  );

  it.each([
    ['an unsigned executable', {}, 'The arm64 code is not signed.'],
    ['an ad hoc signature', { identity: null }, 'The code is signed ad hoc, without a certificate.'],
    ['no executable', { executable: null }, 'The app contains no executable.'],
    [
      'text for an executable',
      { executable: Buffer.from('hello, world, this is text') },
      'The executable is not a Mach-O file.',
    ],
    ['a fat file without slices', { executable: buildFat([]) }, 'The executable is not a Mach-O file.'],
    [
      'a signature past the end',
      { executable: withSignatureRange(100, 100_000_000) },
      'The executable is malformed: its signature exceeds its container.',
    ],
    [
      'a signature of zeros',
      { executable: withSignatureRange(4096, 512) },
      'The signature of the arm64 code cannot be read: a blob has an unknown magic number.',
    ],
    [
      'a signature within the head',
      { executable: withSignatureRange(0, 64) },
      'The executable is malformed: its parts are out of order.',
    ],
  ] as [string, IpaSpec, string][])('is reported: %s', async (_name, spec, problem) => {
    expect(await verify(buildIpa(spec))).toEqual({
      verified: false,
      verifiedFromSdk: null,
      problems: [problem],
    });
  });

  it('is rejected when the list of files is too large', async () => {
    const entries = ipaEntries({ identity }).map((entry) =>
      String(entry.name).endsWith('CodeResources')
        ? { ...entry, uncompressedBytes: maxSealedFileBytes + 1 }
        : entry,
    );
    await expect(verify(buildZip(entries))).rejects.toThrow('too large');
  });

  it('is rejected when there is no app to verify', async () => {
    await expect(verify(buildZip([{ name: 'a' }]))).rejects.toThrow(UnreadablePackage);
  });

  it('causes no other error, whichever byte changes', async () => {
    const spec: IpaSpec = { identity, signature: { digests: ['sha1', 'sha256'] } };
    const executable = Buffer.from(
      ipaEntries(spec).find(({ name }) => name === 'Payload/Test.app/Test')?.content ?? '',
    );
    const signature = executable.indexOf(Buffer.from('fade0cc0', 'hex'));
    const end = signature + executable.readUInt32BE(signature + 4);
    let unnoticed = 0;
    for (let position = 0; position < end; position += runsEverything ? 61 : 601) {
      const { verified } = await verify(withEntry(spec, 'Test', flip(position)));
      if (verified) unnoticed++;
    }
    expect(unnoticed).toBeLessThan(12);
  });
});

/** LC_CODE_SIGNATURE with a custom range. */
function withSignatureRange(position: number, length: number): Buffer {
  const infoPlist = buildInfoPlist();
  const signature = { identifier: 'x', identity: null, infoPlist, codeResources: null };
  const slice = buildSlice({ signature });
  const command = slice.indexOf(Buffer.from('1d00000010000000', 'hex'));
  slice.writeUInt32LE(position, command + 8);
  slice.writeUInt32LE(length, command + 12);
  slice.fill(0, 4096);
  return slice;
}

describe('executable limits', () => {
  async function readWith(executable: Buffer, limits: Partial<typeof executableLimits>) {
    const archive = await openZip(fileInMemory(buildIpa({ executable })));
    const entry = archive.find('Payload/Test.app/Test');
    if (!entry) throw new Error('the fixture has no executable');
    return readExecutable(archive, entry, { ...executableLimits, ...limits });
  }
  const signed = buildSlice({
    signature: { identifier: 'x', identity, infoPlist: null, codeResources: null },
  });

  it('apply to its size, its compression ratio and the size of its signature', async () => {
    expect(await readWith(signed, {})).toHaveLength(1);
    await expect(readWith(signed, { maxBytes: 1000 })).rejects.toThrow(
      'the executable is larger than 1000 bytes',
    );
    await expect(readWith(signed, { ratioFreeBytes: 0, maxRatio: 2 })).rejects.toThrow('times its size');
    await expect(readWith(signed, { maxSignatureBytes: 1000 })).rejects.toThrow(MalformedExecutable);
  });

  it('apply to its slices and load commands', async () => {
    const many = Buffer.alloc(2000);
    many.writeUInt32BE(0xcafebabe, 0);
    many.writeUInt32BE(maxSlices + 1, 4);
    expect(await readWith(many, {})).toBeNull();
    const commands = Buffer.alloc(2_000_000);
    commands.writeUInt32LE(0xfeedfacf, 0);
    commands.writeUInt32LE(1, 16);
    commands.writeUInt32LE(maxLoadCommandBytes + 1, 20);
    await expect(readWith(commands, {})).rejects.toThrow(
      `more than ${maxLoadCommandBytes} bytes of load commands`,
    );
    commands.writeUInt32LE(maxLoadCommands + 1, 16);
    commands.writeUInt32LE(500_000, 20);
    await expect(readWith(commands, {})).rejects.toThrow(`more than ${maxLoadCommands} load commands`);
  });

  it('apply to slices that are out of bounds or overlap', async () => {
    const fat = buildFat([
      { cpu: 'armv7', bytes: signed },
      { cpu: 'arm64', bytes: signed },
    ]);
    expect(await readWith(fat, {})).toHaveLength(2);
    const past = Buffer.from(fat);
    past.writeUInt32BE(0x7fffffff, 8 + 12);
    await expect(readWith(past, {})).rejects.toThrow('a slice exceeds its container');
    const overlapping = Buffer.from(fat);
    overlapping.writeUInt32BE(16_384, 8 + 20 + 8);
    await expect(readWith(overlapping, {})).rejects.toThrow('its parts are out of order');
  });

  it('apply to a fat header with 64-bit offsets', async () => {
    expect(await readWith(buildFat([{ cpu: 'arm64', bytes: signed }], true), {})).toHaveLength(1);
  });

  it('apply to the blobs of its signature', () => {
    const blobs = Array.from({ length: maxBlobs + 1 }, (_, slot): [number, Buffer] => [slot + 100, blob(1)]);
    expect(() => readCodeSignature(superBlob(blobs))).toThrow(`more than ${maxBlobs} blobs`);
    expect(() =>
      readCodeSignature(
        superBlob([
          [2, blob(1)],
          [2, blob(1)],
        ]),
      ),
    ).toThrow('two blobs for slot 2');
  });
});

describe.skipIf(!sharedFixturesPresent)('real packages (needs ../shared/fixtures)', () => {
  const fixtures = fixturesOfRun().filter(
    ({ path, truth }) => path.startsWith('ipa/') && truth.expect.package_detectable,
  );
  /** Edited months after they were signed, as the dates of their entries show. */
  const edited: Readonly<Record<string, string[]>> = {
    'ipa/test_app_2.ipa': ['Info.plist'],
    'ipa/test_no_versionNumber.ipa': ['Info.plist', 'AppIcon60x60@2x.png', 'AppIcon60x60@3x.png'],
  };

  it.each(fixtures.map((fixture) => [fixture.path, fixture] as const))('%s', async (path, { truth }) => {
    const { verified, problems } = await verify(readFileSync(sharedFixturePath(path)));
    const signed = truth.expect.codesign_sha1.length > 0;
    const changed = edited[path] ?? [];
    expect(verified).toBe(signed && changed.length === 0);
    if (signed) expect(problems).toEqual(changed.map((name) => `${name} was changed after signing.`));
  });
});
