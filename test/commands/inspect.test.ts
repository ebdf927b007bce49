import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { createSigningIdentity, ipaEntries } from '../support/build-ipa.ts';
import { buildZip } from '../support/build-zip.ts';
import { createInstallation, type Installation, jsonLines } from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { sharedFixturePath, sharedFixtures } from '../support/shared-fixtures.ts';

/** The documented fields of the JSON output. */
const documented = [
  ...[
    'file',
    'platform',
    'name',
    'package_name',
    'version_code',
    'version_name',
    'sdk_version',
    'target_sdk_version',
  ],
  ...['signature', 'signing', 'profile', 'labels', 'icon', 'size', 'md5', 'sha256'],
];
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

describe('slipway inspect', () => {
  let slipway: Installation;
  let apk: string;
  beforeAll(async () => {
    slipway = await createInstallation('sqlite');
    apk = join(slipway.folder, 'built.apk');
    await writeFile(
      apk,
      buildApk({ packageName: 'com.example.inspected', label: { '': 'Name', ja: '名前' } }),
    );
  });
  afterAll(() => slipway.remove());

  it('prints the documented fields on one line', async () => {
    const [line, ...more] = await slipway.runJson(['inspect', apk]);
    expect(more).toEqual([]);
    for (const field of documented) expect(line).toHaveProperty(field);
    expect(line).toMatchObject({
      file: apk,
      platform: 'android',
      package_name: 'com.example.inspected',
      version_code: '1',
      version_name: '1.0',
      signature: null,
      signing: { schemes: [], verified: false },
    });
  });

  it('prints the same lines when its output is not a terminal', async () => {
    const { stdout } = await slipway.run(['inspect', apk]);
    expect(jsonLines(stdout)).toEqual(await slipway.runJson(['inspect', apk]));
  });

  it('needs no settings, no data folder and no database', async () => {
    const environment = { SLIPWAY_PORT: 'wrong', SLIPWAY_DATABASE_URL: 'wrong' };
    expect((await slipway.run(['inspect', apk], { environment })).code).toBe(0);
    await expect(readdir(slipway.dataFolder)).rejects.toThrow(/ENOENT/);
  });

  it('names the files that it cannot read, reads the rest and exits with 1', async () => {
    const garbage: Record<string, Buffer> = {
      'random.apk': randomBytes(5000),
      'empty.ipa': Buffer.alloc(0),
      'cut.apk': buildApk().subarray(0, 400),
      'no-package.apk': buildZip([{ name: 'readme.txt', content: Buffer.from('hello') }]),
    };
    const paths = Object.keys(garbage).map((name) => join(slipway.folder, name));
    for (const path of paths) await writeFile(path, garbage[basename(path)] ?? '');
    const missing = join(slipway.folder, 'missing.apk');
    const { code, stdout, stderr } = await slipway.run([
      'inspect',
      '--json',
      ...paths,
      missing,
      slipway.folder,
      apk,
    ]);
    expect(code).toBe(1);
    expect(stderr).toBe('');
    const lines = jsonLines(stdout);
    expect(lines.map((line) => line.file)).toEqual([...paths, missing, slipway.folder, apk]);
    for (const line of lines.slice(0, -1)) {
      expect(Object.keys(line)).toEqual(['file', 'error']);
      expect(line.error).toEqual(expect.stringMatching(/^[^\n]{5,300}$/));
    }
    expect(lines.at(-1)).toHaveProperty('package_name', 'com.example.inspected');
  });

  it('shows a package that contains a damaged signed file', async () => {
    const entries = ipaEntries({ identity: createSigningIdentity() }).map((entry) =>
      String(entry.name).endsWith('CodeResources') ? { ...entry, crc32: 1 } : entry,
    );
    const ipa = join(slipway.folder, 'damaged.ipa');
    await writeFile(ipa, buildZip(entries));
    const [line] = await slipway.runJson(['inspect', ipa]);
    expect(line).toMatchObject({
      package_name: 'com.example.test',
      signing: {
        verified: false,
        problems: [
          expect.stringMatching(/^The signature could not be read: .*CodeResources.*checksum is wrong\.$/),
        ],
      },
    });
  });

  const fixtures = sharedFixtures().filter((fixture) => fixture.verdict === 'accept');
  const chosen = fixtures.filter((fixture) => fixture.size < 500_000).slice(0, runsEverything ? 40 : 8);

  it.skipIf(fixtures.length === 0)(
    'reads the real packages in the fixtures and writes their icons',
    async () => {
      const icons = join(slipway.folder, 'icons');
      const files = chosen.map((fixture) => sharedFixturePath(fixture.path));
      const lines = await slipway.runJson(['inspect', '--icon', icons, ...files]);
      expect(lines.map((line) => [line.file, line.md5, line.sha256, line.size])).toEqual(
        chosen.map((fixture, index) => [files[index], fixture.md5, fixture.sha256, fixture.size]),
      );
      const identity = (facts: Record<string, unknown>) => [
        facts.package_name,
        // A missing value is 0, as on the platform.
        facts.version_code ?? '0',
        facts.name,
      ];
      expect(lines.map(identity)).toEqual(chosen.map((fixture) => identity(fixture.truth.expect)));
      const drawn = await readdir(icons);
      expect(drawn.length).toBeGreaterThan(chosen.length / 4);
      for (const name of drawn) {
        expect(files.map((file) => `${basename(file)}.png`)).toContain(name);
        expect((await readFile(join(icons, name))).subarray(0, 8)).toEqual(pngSignature);
      }
    },
  );

  it('writes icons to an existing folder', async () => {
    const icons = join(slipway.folder, 'there');
    await mkdir(icons);
    expect((await slipway.run(['inspect', '--icon', icons, apk])).code).toBe(0);
    expect(await readdir(icons)).toEqual([]);
  });
});

describe('slipway analyze', () => {
  let slipway: Installation;
  beforeAll(async () => {
    slipway = await createInstallation('sqlite');
  });
  afterAll(() => slipway.remove());

  it('prints an analysis or the error of each file on one line', async () => {
    const [apk, text] = ['a.apk', 'a.txt'].map((name) => join(slipway.folder, name)) as [string, string];
    await writeFile(apk, buildApk());
    await writeFile(text, 'text');
    const { code, stdout } = await slipway.run(['analyze', apk, text, join(slipway.folder, 'missing')]);
    expect(code).toBe(1);
    expect(jsonLines(stdout)).toMatchObject([
      { file: apk, size: { download: { exact: true } } },
      { file: text, error: expect.any(String) },
      { error: expect.stringContaining('no such file') },
    ]);
  });

  it('has the server analyze earlier builds only with --all', async () => {
    await slipway.runJson(['migrate']);
    expect(await slipway.runJson(['analyze', '--all'])).toMatchObject([{ builds: 0 }]);
    expect((await slipway.run(['analyze'])).code).toBe(2);
  });
});
