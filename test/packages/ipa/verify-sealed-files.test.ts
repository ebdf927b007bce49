import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { PropertyListValue } from '../../../src/commands/demo/packages/write-property-list.ts';
import { openAppInPayload } from '../../../src/packages/ipa/app-bundle.ts';
import { maxSealedPathCharacters } from '../../../src/packages/ipa/signature/resource-rules.ts';
import { verifyCodeSignature } from '../../../src/packages/ipa/signature/verify-code-signature.ts';
import {
  maxNestedFolders,
  maxSealProblems,
  problemsWithSealedFiles,
  sealedListLimits,
} from '../../../src/packages/ipa/signature/verify-sealed-files.ts';
import { maxBufferedEntryBytes } from '../../../src/packages/zip/hash-entry.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { createSigningIdentity, ipaEntries } from '../../support/build-ipa.ts';
import { buildZip, fileInMemory, type ZipEntrySpec } from '../../support/build-zip.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { fixturesOfRun, sharedFixturePath, sharedFixturesPresent } from '../../support/shared-fixtures.ts';
import { buildCodeResources, resourceRules, type SealedFiles } from './build-code-resources.ts';

const identity = createSigningIdentity();
const large = Buffer.alloc(maxBufferedEntryBytes + 1, 'large');
const files: SealedFiles = {
  'a.txt': 'one',
  'de.lproj/b.strings': 'two',
  'Frameworks/F.framework/F': 'three',
};

/** Signed over `sealed`, but made of `present`. */
async function problems(
  present: SealedFiles,
  encrypted: SealedFiles = present,
  more: Record<string, PropertyListValue> = {},
): Promise<string[]> {
  return verifyList(buildCodeResources(encrypted, more), present);
}

async function verifyList(codeResources: Buffer, present: SealedFiles): Promise<string[]> {
  return verifyEntries(ipaEntries({ identity, codeResources, files: present }));
}

async function verifyEntries(entries: readonly ZipEntrySpec[]): Promise<string[]> {
  const result = await verifyCodeSignature(await openZip(fileInMemory(buildZip(entries))));
  expect(result.verified).toBe(result.problems.length === 0);
  return result.problems;
}

describe('the files of a signed app', () => {
  it('verify when they match the list, large and small', async () => {
    expect(await problems({ ...files, large })).toEqual([]);
  });

  it('do not verify when one was changed, whatever its size', async () => {
    const changed = Buffer.from(large);
    changed[maxBufferedEntryBytes] = 0;
    expect(await problems({ ...files, 'a.txt': 'other' }, files)).toEqual([
      'a.txt was changed after signing.',
    ]);
    expect(await problems({ large: changed }, { large })).toEqual(['large was changed after signing.']);
  });

  it('do not verify when one is missing', async () => {
    const missing = 'a.txt is missing, although the signature covers it.';
    expect(await problems({ 'b.txt': 'b' }, { 'a.txt': 'a', 'b.txt': 'b' })).toEqual([missing]);
  });

  it('do not verify when one was added', async () => {
    expect(await problems({ ...files, 'config/evil.json': '{}' }, files)).toEqual([
      'config/evil.json was added after signing.',
    ]);
  });

  it('are reported for each problem, after those of the code', async () => {
    const entries = ipaEntries({ identity, files }).map((entry) =>
      /Info\.plist$|a\.txt$/.test(String(entry.name)) ? { ...entry, content: `${entry.content} ` } : entry,
    );
    expect(await verifyEntries(entries)).toEqual([
      'Info.plist was changed after signing.',
      'a.txt was changed after signing.',
    ]);
  });

  it('do not verify when the archive says that one is damaged', async () => {
    const entries = ipaEntries({ identity, files }).map((entry) =>
      String(entry.name).endsWith('a.txt') ? { ...entry, crc32: 1 } : entry,
    );
    expect(await verifyEntries(entries)).toEqual([
      expect.stringMatching(/^a\.txt cannot be compared with the signature: .*checksum is wrong\.$/),
    ]);
  });

  it('are not checked when the list differs from the signed one', async () => {
    const entries = ipaEntries({ identity, files }).map((entry) =>
      String(entry.name).endsWith('CodeResources')
        ? { ...entry, content: buildCodeResources({ x: 'x' }) }
        : entry,
    );
    expect(await verifyEntries(entries)).toEqual(['_CodeSignature/CodeResources was changed after signing.']);
  });
});

describe('the seal list', () => {
  const encryption = (content: string, more: Record<string, PropertyListValue> = {}) => ({
    hash: hash('sha1', content, 'buffer'),
    hash2: hash('sha256', content, 'buffer'),
    ...more,
  });
  const withSeals = (files2: Record<string, PropertyListValue>, present: SealedFiles) =>
    problems(present, {}, { files2 });

  it.each<
    [what: string, files2: Record<string, PropertyListValue>, present: SealedFiles, problems: string[]]
  >([
    ['an optional file is absent', { 'de.lproj/a': encryption('a', { optional: true }) }, {}, []],
    [
      'an optional file is there, but another',
      { a: encryption('a', { optional: true }) },
      { a: 'b' },
      ['a was changed after signing.'],
    ],
    ['a link', { link: { symlink: 'to/there' } }, { link: 'to/there' }, []],
    [
      'a link elsewhere',
      { link: { symlink: 'to/there' } },
      { link: 'to/evil' },
      ['link was changed after signing.'],
    ],
    [
      'a bundle with a signature of its own',
      { 'Frameworks/F.framework': { cdhash: Buffer.alloc(20), requirement: 'identifier "F"' } },
      { 'Frameworks/F.framework/F': 'code', 'Frameworks/F.framework/Info.plist': 'list' },
      [],
    ],
    ['SHA-1 alone', { a: { hash: hash('sha1', 'a', 'buffer') } }, { a: 'a' }, []],
    [
      'SHA-1 alone, wrong',
      { a: { hash: hash('sha1', 'a', 'buffer') } },
      { a: 'b' },
      ['a was changed after signing.'],
    ],
    ['SHA-256 before SHA-1', { a: encryption('a', { hash: Buffer.alloc(20) }) }, { a: 'a' }, []],
    ['no hash at all', { a: {} }, { a: 'a' }, ['a was changed after signing.']],
    ['a text for a hash', { a: { hash: 'text' } }, { a: 'a' }, ['a was changed after signing.']],
    ['a name in another Unicode form', { 'u\u0308.txt': encryption('a') }, { 'ü.txt': 'a' }, []],
    ['what the App Store adds', { 'SC_Info/App.supf': encryption('a') }, { 'SC_Info/App.sinf': 'b' }, []],
  ])('accepts that %s', async (_what, files2, present, found) => {
    expect(await withSeals(files2, present)).toEqual(found);
  });

  it.each(['PkgInfo', 'x/.DS_Store', '_CodeSignature/more', 'CodeResources', 'de.lproj/locversion.plist'])(
    'needs no seal for %s',
    async (name) => expect(await withSeals({}, { [name]: 'x' })).toEqual([]),
  );

  it.each(['de.lproj/new.strings', 'sub/PkgInfo', 'App.app.dSYM/x', 'version.plist'])(
    'needs a seal for %s',
    async (name) =>
      expect(await withSeals({}, { [name]: 'x' })).toEqual([`${name} was added after signing.`]),
  );

  it.each<[what: string, rules2: PropertyListValue, added: boolean]>([
    ['the heaviest rule counts', { '^.*': { omit: true, weight: 5 }, '^[^/]+$': { weight: 10 } }, true],
    ['of equal ones none', { '^.*': { omit: true, weight: 5 }, '^[^/]+$': { weight: 5 } }, false],
    ['a rule that is false leaves out', { '^.*': false }, false],
    ['a rule for nested code leaves out', { '^[^/]+$': { nested: true, weight: 0 } }, false],
    ['a rule that nobody knows: nothing is said', { ...resourceRules, '(a+)+$': true }, false],
    ['no rules: nothing is said', {}, false],
  ])('applies rules: %s', async (_what, rules2, added) => {
    const found = await problems({ a: 'a' }, {}, { rules2 });
    expect(found).toEqual(added ? ['a was added after signing.'] : []);
  });

  it('in the format before files2 is compared without reporting added files', async () => {
    const old = (content: string) =>
      Buffer.from(
        `<plist><dict><key>files</key><dict><key>a</key><data>${hash('sha1', content, 'base64')}</data></dict></dict></plist>`,
      );
    expect(await verifyList(old('a'), { a: 'a', b: 'b' })).toEqual([]);
    expect(await verifyList(old('a'), { a: 'c' })).toEqual(['a was changed after signing.']);
  });

  it.each([
    [
      'no property list',
      'text {',
      /^The list of sealed files cannot be read: CodeResources is not a readable/,
    ],
    ['no dictionary', '<plist><array/></plist>', /: CodeResources is not a dictionary\.$/],
    ['no files', '<plist><dict/></plist>', /: CodeResources lists no files\.$/],
  ])('is reported: %s', async (_what, text, problem) => {
    expect(await verifyList(Buffer.from(text), {})).toEqual([expect.stringMatching(problem)]);
  });
});

describe('seal comparison limits', () => {
  const numbered = (count: number, content: string): SealedFiles =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, content]));

  it('maxSealProblems: limit the reported files', async () => {
    const count = maxSealProblems + 5;
    expect(await problems(numbered(count, 'b'), numbered(count, 'a'))).toHaveLength(maxSealProblems);
    expect(await problems(numbered(count, 'b'), {})).toHaveLength(maxSealProblems);
  });

  it('maxSealProblems: stop reading further files when reached', async () => {
    const count = maxSealProblems + 5;
    const archive = await openZip(fileInMemory(buildZip(ipaEntries({ files: numbered(count, 'b') }))));
    const bundle = openAppInPayload(archive);
    let reads = 0;
    const counting: typeof archive = {
      ...archive,
      read: (...wanted) => {
        reads++;
        return archive.read(...wanted);
      },
    };
    const list = buildCodeResources(numbered(count, 'a'));
    await problemsWithSealedFiles({ ...bundle, archive: counting }, list, 'Test');
    expect(reads).toBe(maxSealProblems);
  });

  it('maxNestedFolders: limit the folders that can contain a signed bundle', async () => {
    const folder = (depth: number) => Array.from({ length: depth }, () => 'f').join('/');
    const nested = (depth: number) =>
      problems({ [`${folder(depth)}/x`]: 'x' }, {}, { files2: { [folder(depth)]: { requirement: 'r' } } });
    expect(await nested(maxNestedFolders)).toEqual([]);
    expect(await nested(maxNestedFolders + 1)).toHaveLength(1);
  });

  it('maxSealedPathCharacters: reject names too long for a device', async () => {
    const name = 'n'.repeat(maxSealedPathCharacters);
    expect(await problems({ [name]: 'x' }, {})).toHaveLength(1);
    expect(await problems({ [`${name}n`]: 'x' }, {})).toEqual([]);
  });

  it('sealedListLimits: limit the size of the list, its values and their total', async () => {
    const archive = await openZip(fileInMemory(buildZip(ipaEntries({ files: { a: 'a' } }))));
    const bundle = openAppInPayload(archive);
    const list = buildCodeResources({ a: 'a' });
    const limited = (limits: Partial<typeof sealedListLimits>) =>
      problemsWithSealedFiles(bundle, list, 'Test', { ...sealedListLimits, ...limits });
    expect(await limited({ maxBytes: list.length })).toEqual([]);
    expect(await limited({ maxBytes: list.length - 1 })).toEqual([expect.stringContaining('is larger than')]);
    expect(await limited({ maxDepth: 1 })).toEqual([expect.stringContaining('nested deeper')]);
  });

  it.runIf(runsEverything)('allow a list of 70,000 files', async () => {
    const archive = await openZip(fileInMemory(buildZip(ipaEntries())));
    const bundle = openAppInPayload(archive);
    const [digest, more] = [hash('sha1', 'a', 'base64'), hash('sha256', 'a', 'base64')];
    const encryption = `<dict><key>hash</key><data>${digest}</data><key>hash2</key><data>${more}</data><key>optional</key><true/></dict>`;
    const seals = Array.from(
      { length: 70_000 },
      (_, index) => `<key>Data/level/piece-${index}.bin</key>${encryption}`,
    ).join('');
    const list = Buffer.from(`<plist><dict><key>files2</key><dict>${seals}</dict></dict></plist>`);
    expect(await problemsWithSealedFiles(bundle, list, 'Test')).toEqual([]);
  });
});

describe.skipIf(!sharedFixturesPresent)('real packages (needs ../shared/fixtures)', () => {
  const signed = fixturesOfRun().filter(({ truth }) => truth.expect.codesign_sha1?.length > 0);

  it.each(signed.map(({ path }) => path))(
    '%s: a changed, removed or added file is reported',
    async (path) => {
      const archive = await openZip(fileInMemory(readFileSync(sharedFixturePath(path))));
      const bundle = openAppInPayload(archive);
      const entries: ZipEntrySpec[] = [];
      for (const { name, method, uncompressedBytes } of archive.entries) {
        const entry = archive.find(name);
        if (entry && !name.endsWith('/'))
          entries.push({ name, method, content: await archive.read(entry, uncompressedBytes) });
      }
      const before = await verifyEntries(entries);
      const name = 'embedded.mobileprovision';
      const others = entries.filter((entry) => entry.name !== bundle.root + name);
      const told = async (changed: readonly ZipEntrySpec[]) =>
        (await verifyEntries(changed)).filter((problem) => !before.includes(problem));
      expect(await told(entries)).toEqual([]);
      expect(await told([...others, { name: bundle.root + name, content: 'x' }])).toEqual([
        `${name} was changed after signing.`,
      ]);
      expect(await told(others)).toEqual([`${name} is missing, although the signature covers it.`]);
      expect(await told([...entries, { name: `${bundle.root}new.json`, content: '{}' }])).toEqual([
        'new.json was added after signing.',
      ]);
    },
  );
});
