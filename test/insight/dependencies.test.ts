/** Libraries of builds: their order, the bill of materials against the official schema, and the search across apps. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App, Build } from '../../src/apps/app.ts';
import { compareLibraries } from '../../src/insight/dependencies/compare-libraries.ts';
import { compareVersions, parseVersionRange } from '../../src/insight/dependencies/maven-version.ts';
import { createSbom, purlOf } from '../../src/insight/dependencies/sbom.ts';
import type { DependencyAnalysis } from '../../src/packages/analysis/analysis.ts';
import { analyzePackage } from '../../src/packages/analysis/analyze-package.ts';
import { dependenciesPath, maxDependenciesBytes } from '../../src/packages/analysis/android/libraries.ts';
import { openZip } from '../../src/packages/zip/open-zip.ts';
import { bundlesOfRun, pathOfBundle } from '../packages/bundle/bundle-fixtures.ts';
import { encode } from '../packages/bundle/bundle-messages.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildBundle } from '../support/build-bundle.ts';
import { fileInMemory } from '../support/file-in-memory.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { fixturesOfRun, sharedFixturePath } from '../support/shared-fixtures.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

describe('versions', () => {
  it('are in the order of Maven', () => {
    const ordered = [
      '1-alpha2',
      '1-alpha-123',
      '1-beta-2',
      '1-m3',
      '1-rc',
      '1-snapshot',
      '1',
      '1-sp',
      '1-abc',
      '1-123',
      '1.1-rc1',
      '1.1',
      '1.2',
      '1.10',
      '2.0.0-alpha01',
      '2.0.0-alpha02',
      '2.0.0-beta01',
      '2.0.0-rc01',
      '2.0.0',
      '4.9.3',
      '4.12.0',
      '33.0.0-android',
      '33.0.0-jre',
    ];
    for (const [index, version] of ordered.entries())
      for (const [other, second] of ordered.entries())
        expect([version, second, Math.sign(compareVersions(version, second))]).toEqual([
          version,
          second,
          Math.sign(index - other),
        ]);
  });

  it.each([
    ['1', '1.0.0'],
    ['1.0', '1-ga'],
    ['1.0-final', '1'],
    ['1a1', '1-alpha-1'],
    ['1.0-RC1', '1.0-cr1'],
    ['007', '7'],
  ])('%s and %s are equal', (one, other) => expect(compareVersions(one, other)).toBe(0));

  it('match ranges and intervals', () => {
    const within = (range: string, version: string) => parseVersionRange(range)?.(version);
    expect(within('<4.12', '4.11.0')).toBe(true);
    expect(within('<4.12', '4.12')).toBe(false);
    expect(within('>=4.0 <4.12', '3.14.9')).toBe(false);
    expect(within('>= 4.0, < 4.12', '4.0')).toBe(true);
    expect(within('4.11.0', '4.11')).toBe(true);
    expect(within('[4.0,4.12)', '4.12.0')).toBe(false);
    expect(within('(,4.12]', '4.12.0')).toBe(true);
    for (const wrong of ['', '<', '[4.0', '< <4', '4.0;drop', '[]'])
      expect(parseVersionRange(wrong)).toBeNull();
  });
});

const library = (group: string | null, name: string, version: string | null, more = {}) => ({
  ...{ ecosystem: group === null ? ('other' as const) : ('maven' as const), group, name, version },
  ...{ sha256: null, evidence: null, direct: null, ...more },
});

it('compares the libraries of two builds', () => {
  const of = (...libraries: DependencyAnalysis['libraries']): DependencyAnalysis => ({
    source: 'declared',
    libraries,
    edges: [],
  });
  // A build can have several versions of a library, of which the newest counts.
  const before = of(
    library('g', 'same', '1'),
    library('g', 'same', '0.9'),
    library('g', 'gone', '1'),
    library('g', 'down', '1.10'),
  );
  const after = of(library('g', 'same', '1'), library('g', 'new', '1'), library('g', 'down', '1.9'));
  expect(compareLibraries(before, after)).toEqual({
    added: [library('g', 'new', '1')],
    removed: [library('g', 'gone', '1')],
    changed: [{ library: library('g', 'down', '1.9'), from: '1.10', to: '1.9', change: 'downgraded' }],
  });
});

const schemas = join(
  dirname(createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json')),
  'res/schema',
);
const schema = (name: string) =>
  JSON.parse(readFileSync(join(schemas, `${name}.SNAPSHOT.schema.json`), 'utf8'));
const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true })
  .addSchema(schema('spdx'), 'http://cyclonedx.org/schema/spdx.SNAPSHOT.schema.json')
  .addSchema(schema('jsf-0.82'), 'http://cyclonedx.org/schema/jsf-0.82.SNAPSHOT.schema.json')
  .addSchema(
    schema('cryptography-defs'),
    'http://cyclonedx.org/schema/cryptography-defs.SNAPSHOT.schema.json',
  )
  .compile(schema('bom-1.6'));

function expectValid(document: unknown): void {
  validate(document);
  expect(validate.errors).toBeNull();
}

describe('a bill of materials', () => {
  const app = { packageName: 'com.example.tide', platform: 'android' } as App;
  const build = {
    ...{ revision: 3, sha256: '0123456789abcdef'.repeat(4) },
    info: { name: 'Tide', versionName: '1.7', versionCode: '7' },
  } as Build;
  const sbomOf = (dependencies: DependencyAnalysis) =>
    createSbom(app, build, dependencies, Date.UTC(2026, 10, 28));

  it('of declared libraries has package URLs, digests and the graph', () => {
    const sha256 = 'ab'.repeat(32);
    const document = sbomOf({
      source: 'declared',
      libraries: [
        library('com.squareup.okhttp3', 'okhttp', '4.12.0', { direct: true, sha256 }),
        library('com.squareup.okio', 'okio', '3.6.0', { direct: false }),
      ],
      edges: [[0, 1]],
    });
    expectValid(document);
    const [okhttp, okio] = [
      'pkg:maven/com.squareup.okhttp3/okhttp@4.12.0',
      'pkg:maven/com.squareup.okio/okio@3.6.0',
    ];
    expect(document).toMatchObject({
      serialNumber: 'urn:uuid:01234567-89ab-8def-8123-456789abcdef',
      components: [
        { 'bom-ref': okhttp, purl: okhttp, hashes: [{ alg: 'SHA-256', content: sha256 }] },
        { 'bom-ref': okio, purl: okio },
      ],
      dependencies: [{ ref: 'app', dependsOn: [okhttp] }, { ref: okhttp, dependsOn: [okio] }, { ref: okio }],
    });
    expect(JSON.stringify(document)).not.toContain('evidence"');
  });

  it('of other packages marks its libraries as evidence', () => {
    const found = { evidence: 'META-INF/androidx.core_core.version' };
    const document = sbomOf({
      source: 'evidence',
      libraries: [
        library('androidx.core', 'core', '1.9.0', found),
        library(null, 'core', null, { evidence: 'META-INF/core.kotlin_module' }),
        library(null, 'core', null, { evidence: 'META-INF/core2.kotlin_module' }),
      ],
      edges: [],
    });
    expectValid(document);
    expect(document).toMatchObject({
      compositions: [{ aggregate: 'incomplete' }],
      components: [{ evidence: { identity: [{ field: 'version', confidence: 0.9 }] } }, {}, {}],
    });
    expectValid(sbomOf({ source: 'none', libraries: [], edges: [] }));
  });

  it('encodes names in package URLs', () => {
    expect(purlOf(library('a b', 'c/d', '1+2'))).toBe('pkg:maven/a%20b/c%2Fd@1%2B2');
    expect(purlOf(library(null, 'x', '1'))).toBe('pkg:generic/x@1');
    expect(purlOf({ ...library(null, 'Kit+', null), ecosystem: 'ios' })).toBe('pkg:generic/Kit%2B');
  });

  const real = [
    ...bundlesOfRun().map(pathOfBundle),
    ...fixturesOfRun()
      .filter(({ path, verdict }) => /\.(apk|ipa)$/.test(path) && verdict !== 'reject')
      .map(({ path }) => sharedFixturePath(path)),
  ];
  it.runIf(real.length > 0)('of every real package is valid', { timeout: 300_000 }, async () => {
    for (const path of real) {
      const analysis = await analyzePackage(path).catch(() => null);
      if (!analysis) continue;
      const document = sbomOf(analysis.dependencies);
      expectValid(document);
      expect(document.components).toHaveLength(analysis.dependencies.libraries.length);
    }
  });
});

/** With field numbers alone, protoc takes names such as `androidx.appcompat` for messages. */
const dependenciesProto = `syntax = "proto3";
message Maven { string group = 1; string artifact = 2; string version = 5; }
message Library { Maven maven = 1; }
message AppDependencies { repeated Library library = 1; }
`;

/** The packages of a dependencies.pb, as protoc decodes it. */
async function decodedPackages(input: Buffer): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-protoc-'));
  try {
    await writeFile(join(folder, 'dependencies.proto'), dependenciesProto);
    const args = [`--proto_path=${folder}`, '--decode=AppDependencies', 'dependencies.proto'];
    const text = execFileSync('protoc', args, { input, encoding: 'utf8' });
    return [...text.matchAll(/group: "(.*)"\s+artifact: "(.*)"\s+version: "(.*)"/g)].map(
      ([, group, artifact, version]) => `pkg:maven/${group}/${artifact}@${version}`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

const hasProtoc = spawnSync('protoc', ['--version']).status === 0;

it.runIf(hasProtoc && bundlesOfRun().length > 0)(
  'the bill of materials of a bundle names the packages that protoc decodes',
  { timeout: 120_000 },
  async () => {
    let compared = 0;
    for (const path of bundlesOfRun().map(pathOfBundle)) {
      const archive = await openZip(fileInMemory(readFileSync(path)));
      const entry = archive.find(dependenciesPath);
      const analysis = entry && (await analyzePackage(path).catch(() => null));
      if (!entry || analysis?.dependencies.source !== 'declared') continue;
      const bytes = await archive.read(entry, maxDependenciesBytes);
      const expected = await decodedPackages(bytes[0] === 0x0a ? bytes : bytes.subarray(2));
      const app = { packageName: 'com.example.tide', platform: 'android' } as App;
      const info = { name: 'Tide', versionName: '1.7', versionCode: '7' };
      const build = { revision: 3, sha256: '0'.repeat(64), info } as Build;
      const { components } = createSbom(app, build, analysis.dependencies, 0) as {
        components: { purl: string }[];
      };
      const named = components.map(({ purl }) => purl).filter((purl) => purl.startsWith('pkg:maven/'));
      expect([path, named.sort()]).toEqual([path, expected.sort()]);
      compared++;
    }
    expect(compared).toBeGreaterThan(0);
  },
);

describe('builds of a server', () => {
  let slipway: TestService;
  const app = 'android/com.example.bundle';
  beforeAll(async () => {
    slipway = await startTestService();
    for (const [okhttp, extra] of [
      ['4.9.3', 'gone'],
      ['4.12.0', 'new'],
    ] as const) {
      const files = {
        'BUNDLE-METADATA/com.android.tools.build.libraries/dependencies.pb': encode(
          [1, encode([1, encode([1, 'com.squareup.okhttp3'], [2, 'okhttp'], [5, okhttp])])],
          [1, encode([1, encode([1, 'org.example'], [2, extra], [5, '1.0'])])],
          [2, encode([1, 0], [2, Buffer.from([1])])],
          [3, encode([1, 'base'], [2, Buffer.from([0])])],
        ),
      };
      await uploaded(slipway, { file: buildBundle({ files }) });
    }
    await uploaded(slipway, { file: buildApk({ packageName: 'com.example.bare' }) });
  });
  afterAll(() => slipway.close());

  const api = async (path: string) => {
    const { status, text } = await get(slipway, `/api/v1/${path}`, slipway.adminKey);
    return { status, value: JSON.parse(text) };
  };
  const pathOfPage = (revision: number, rest: string) =>
    `/users/admin/platforms/${app.replace('/', '/apps/')}/binaries/${revision}/${rest}`;
  const page = (revision: number, rest: string) => get(slipway, pathOfPage(revision, rest), slipway.adminKey);

  it('have a bill of materials once they are analyzed', async () => {
    const before = await api(`apps/admin/${app}/builds/1/sbom`);
    expect([before.status, before.value.detail]).toEqual([
      409,
      expect.stringContaining('not been analyzed yet'),
    ]);
    await settleOutbox(slipway);
    const { status, value } = await api(`apps/admin/${app}/builds/1/sbom`);
    expect(status).toBe(200);
    expectValid(value);
    const download = await page(1, 'sbom');
    expect(download.headers['content-type']).toContain('application/vnd.cyclonedx+json');
    expect(download.headers['content-disposition']).toContain('com.example.bundle-1.cdx.json');
    expect(JSON.parse(download.text)).toEqual(value);
  });

  it('show their libraries, how they got in, and what changed', async () => {
    await settleOutbox(slipway);
    const shown = await page(2, 'dependencies');
    expect(shown.text).toContain('2 libraries, 1 of them direct, as declared by the build.');
    expect(shown.text).toContain('Required by okhttp');
    const compared = (await page(2, 'dependencies?compare=1')).text;
    expect(compared).toContain('4.9.3 → 4.12.0');
    expect(compared.indexOf('org.example:new</code> 1.0')).toBeLessThan(
      compared.indexOf('org.example:gone</code> 1.0'),
    );
    expect((await page(1, 'dependencies?compare=2')).text).toContain('Downgrade');
    const changes = (await api(`apps/admin/${app}/compare/dependencies?from=1&to=2`)).value;
    expect(changes).toEqual({
      sources: { from: 'declared', to: 'declared' },
      added: [{ library: 'org.example:new', version: '1.0' }],
      removed: [{ library: 'org.example:gone', version: '1.0' }],
      changed: [{ library: 'com.squareup.okhttp3:okhttp', from: '4.9.3', to: '4.12.0', change: 'upgraded' }],
    });
    const back = (await api(`apps/admin/${app}/compare/dependencies?from=2&to=1`)).value;
    expect(back.changed).toMatchObject([{ from: '4.12.0', to: '4.9.3', change: 'downgraded' }]);
    expect((await page(2, 'dependencies?q=okhttp')).text).not.toContain('Required by okhttp');
    expect((await page(2, 'dependencies?q=nothing')).text).toContain('No library matches “nothing”');
    expect((await page(2, 'dependencies?compare=9')).text).toContain('Build #9 does not exist.');
    const bare = await get(
      slipway,
      '/users/admin/platforms/android/apps/com.example.bare/binaries/1/dependencies',
      slipway.adminKey,
    );
    expect(bare.text).toContain('No libraries found');
  });

  it('are found by a library and a range of its version', async () => {
    await settleOutbox(slipway);
    const found = async (query: string) => {
      const { value } = await api(`search/libraries?${query}`);
      return value.data.map(({ build, version }: { build: { revision: number }; version: string }) => [
        build.revision,
        version,
      ]);
    };
    expect(await found('library=OkHttp')).toEqual([[2, '4.12.0']]);
    expect(await found('library=okhttp&version=%3C4.12')).toEqual([]);
    expect(await found('library=com.squareup.okhttp3:okhttp&version=%3C4.12&scope=all')).toEqual([
      [1, '4.9.3'],
    ]);
    expect(await found('library=okhttp&scope=all')).toEqual([
      [2, '4.12.0'],
      [1, '4.9.3'],
    ]);
    const first = await api('search/libraries?library=okhttp&scope=all&limit=1');
    expect(first.value.data).toHaveLength(1);
    const rest = await found(`library=okhttp&scope=all&limit=1&cursor=${first.value.next_cursor}`);
    expect(rest).toEqual([[1, '4.9.3']]);
    expect(await found('library=org.other:okhttp&scope=all')).toEqual([]);
    expect((await api('search/libraries?library=okhttp&version=%3C')).status).toBe(400);
    const { data } = slipway;
    const key = await slipway.user('tester');
    const asTester = async () =>
      JSON.parse((await get(slipway, '/api/v1/search/libraries?library=okhttp', key)).text).data.length;
    expect(await asTester()).toBe(0);
    const [adminId, testerId] = [await data.owners.findOwner('admin'), await data.owners.findOwner('tester')];
    const [found1] = await data.apps.findAppsByPackageName(adminId?.id ?? '', 'com.example.bundle');
    const shared = { appId: found1?.id ?? '', userId: testerId?.id ?? '', limit: 9, now: Date.now() };
    await data.appTesters.add(shared);
    expect(await asTester()).toBe(1);
  });
});
