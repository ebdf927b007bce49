/** What the analyzer stores about the builds of a server, and the sizes that it reports. */
import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildQueries } from '../../src/apps/builds/build-queries.ts';
import { analysisQueries } from '../../src/insight/analysis-queries.ts';
import { planAnalyses } from '../../src/insight/analyze-builds.ts';
import { checkQueries } from '../../src/insight/checks/check-queries.ts';
import { defaultSettings } from '../../src/insight/checks/check-settings.ts';
import { maxStoredAnalysisBytes, packAnalysis, unpackAnalysis } from '../../src/insight/stored-analysis.ts';
import {
  analyzerVersion,
  type PackageAnalysis,
  packageAnalysis,
} from '../../src/packages/analysis/analysis.ts';
import { analyzeFile } from '../../src/packages/analysis/analyze-package.ts';
import { languageOf } from '../../src/packages/analysis/archive-sizes.ts';
import { openZip } from '../../src/packages/zip/open-zip.ts';
import { encode, type Field } from '../packages/bundle/bundle-messages.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildBundle } from '../support/build-bundle.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { buildZip, fileInMemory } from '../support/build-zip.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { fixturesOfRun, sharedFixturePath, sharedFixturesPresent } from '../support/shared-fixtures.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const analyze = async (bytes: Buffer) => v.parse(packageAnalysis, await analyzeFile(fileInMemory(bytes)));
const manifest = { name: 'AndroidManifest.xml', content: Buffer.from('x') };
const file = (name: string, length: number, fill = name) => ({ name, content: Buffer.alloc(length, fill) });

const dpis: Record<string, number> = { mdpi: 160, xxhdpi: 480, xxxhdpi: 640 };
/** A table with one image in these densities, and one text in two languages. */
const imageTable = (densities: readonly string[]) => {
  const valuesOf = densities.map((density): Field => {
    const item = encode([5, encode([1, `res/drawable-${density}/a.png`])]);
    return [6, encode([1, encode([18, dpis[density] ?? 0])], [2, encode([4, item])])];
  });
  const type = encode([1, encode([1, 1])], [2, 'drawable'], [3, encode([2, 'a'], ...valuesOf)]);
  return encode([2, encode([1, encode([1, 0x7f])], [2, 'com.example.bundle'], [3, type])]);
};
const images = (densities: readonly string[]) =>
  Object.fromEntries(densities.map((density) => [`base/res/drawable-${density}/a.png`, randomBytes(20_000)]));

describe('the size of a package', () => {
  it('is summed by category, file and language, exactly as in the archive', async () => {
    const apk = buildZip([
      manifest,
      file('classes.dex', 9000),
      file('lib/arm64-v8a/libtide.so', 8000),
      file('lib/x86/libtide.so', 7000),
      file('res/drawable-xxhdpi/wave.png', 6000),
      file('res/layout-ja/main.xml', 5000),
      file('assets/song.mp3', 4000),
      file('META-INF/CERT.RSA', 300),
    ]);
    const { size, gaps } = await analyze(apk);
    // The files have no content that could be analyzed.
    expect(gaps.filter(({ part }) => part === 'archive')).toEqual([]);
    expect([size.fileBytes, size.download]).toEqual([apk.length, { bytes: apk.length, exact: true }]);
    expect(Object.fromEntries(size.categories.map(({ category, bytes }) => [category, bytes]))).toEqual({
      code: 9000,
      native: 15_000,
      images: 6000,
      resources: 5000,
      media: 4000,
      signature: 300,
      metadata: 1,
    });
    const sum = (values: readonly { compressedBytes: number }[]) =>
      values.reduce((total, { compressedBytes }) => total + compressedBytes, 0);
    expect(sum(size.files)).toBe(sum(size.categories));
    expect(size.languages.map(({ language }) => language)).toEqual(['ja']);
  });

  it('lists equal files once their content was compared', async () => {
    const { size } = await analyze(
      buildZip([
        manifest,
        file('assets/a', 4000, 'x'),
        file('assets/b', 4000, 'x'),
        file('assets/c', 4000, 'y'),
      ]),
    );
    expect(size.duplicates).toEqual([{ bytes: 4000, paths: ['assets/a', 'assets/b'] }]);
  });

  it('leaves out what stores do not deliver from estimates', async () => {
    const noise = (length: number) => randomBytes(length);
    const file = noise(50_000);
    const small = await analyze(
      buildBundle({
        table: imageTable(['xhdpi', 'xxhdpi']),
        files: { 'base/lib/arm64-v8a/libtide.so': file, ...images(['xhdpi', 'xxhdpi']) },
      }),
    );
    const large = await analyze(
      buildBundle({
        table: imageTable(['mdpi', 'xxhdpi', 'xxxhdpi']),
        files: {
          'base/lib/arm64-v8a/libtide.so': file,
          'base/lib/x86_64/libtide.so': noise(70_000),
          ...images(['mdpi', 'xxhdpi', 'xxxhdpi']),
          'base/res/unused.png': noise(80_000),
          'BUNDLE-METADATA/com.android.tools.build.obfuscation/proguard.map': noise(90_000),
        },
      }),
    );
    expect(large.gaps.filter(({ part }) => part === 'resources')).toEqual([]);
    expect(large.size.download).toEqual({ bytes: expect.any(Number), exact: false });
    expect(Math.abs(large.size.download.bytes - small.size.download.bytes)).toBeLessThan(100);
    expect(Math.abs(large.size.install.bytes - small.size.install.bytes)).toBeLessThan(100);
  });

  it.runIf(sharedFixturesPresent)(
    'is estimated for a bundle like bundletool measures the APKs of a device',
    async () => {
      const path = (name: string) =>
        sharedFixturePath(`aab/real/pharaburda__Sample_Instant_Application__${name}`);
      const { size } = await analyze(readFileSync(path('c312fd16.aab')));
      const set = await openZip(fileInMemory(readFileSync(path('29656683.apks'))));
      let bytes = 0;
      for (const entry of set.entries.filter(({ name }) => name.endsWith('.apk')))
        bytes += gzipSync(await set.read(entry, 16 * 1024 * 1024)).length;
      expect(Math.abs(size.download.bytes - bytes) / bytes).toBeLessThan(0.02);
    },
  );

  it('counts all languages and densities of a bundle that is not split by them', async () => {
    const files = images(['mdpi', 'xxhdpi', 'xxxhdpi']);
    const table = imageTable(['mdpi', 'xxhdpi', 'xxxhdpi']);
    const split = await analyze(buildBundle({ table, files }));
    const whole = await analyze(buildBundle({ table, files, unsplit: [2, 3] }));
    expect(whole.size.download.bytes - split.size.download.bytes).toBeGreaterThan(30_000);
  });

  it('has a gap for a bundle whose resources cannot be read, and counts what is left', async () => {
    const { gaps, size } = await analyze(
      buildBundle({ table: Buffer.from('damaged'), files: { 'base/assets/song': randomBytes(9_000) } }),
    );
    expect(gaps).toContainEqual({ part: 'resources', path: null, reason: 'unreadable' });
    expect(size.download.bytes).toBeGreaterThan(9_000);
  });

  it('of an IPA leaves out what stays with Apple', async () => {
    const ipa = await analyze(buildIpa({}, {}));
    const blocks = ipa.size.files
      .filter(({ path }) => path.startsWith('Payload/'))
      .reduce((sum, { bytes }) => sum + Math.ceil(bytes / 4096) * 4096, 0);
    expect(ipa.size.install).toEqual({ bytes: blocks, exact: false });
  });

  it('names the language of resources and bundles', () => {
    const paths = [
      'res/values-ja/a',
      'base/res/layout-en-rGB/a',
      'res/raw-b+sr+Latn/a',
      'P/T.app/pt_BR.lproj/a',
    ];
    expect(paths.map(languageOf)).toEqual(['ja', 'en-GB', 'sr-Latn', 'pt-BR']);
    expect(['res/layout-car/a', 'res/drawable-xhdpi/a', 'P/Base.lproj/a'].map(languageOf)).toEqual([
      null,
      null,
      null,
    ]);
  });

  it.each(fixturesOfRun().filter(({ verdict }) => verdict === 'accept'))(
    'is read from $path',
    async ({ path }) => {
      const bytes = readFileSync(sharedFixturePath(path));
      if (bytes.subarray(0, 2).toString() !== 'PK') return;
      const { size } = await analyze(bytes);
      expect(size.fileBytes).toBe(bytes.length);
      expect(size.categories.length).toBeGreaterThan(0);
    },
  );
});

describe('a stored analysis', () => {
  it('keeps its limit by summing small files per folder, and every byte', async () => {
    // Random names and sizes do not compress.
    const files = Array.from({ length: 6000 }, (_, at) => {
      const name = hash('sha512', String(at), 'base64url');
      return {
        path: `assets/${at % 9}/${name}`,
        category: 'assets' as const,
        ...{ compressedBytes: at, bytes: at * 3, crc32: (at * 2_654_435_761) % 2 ** 32 },
      };
    });
    const analysis = await analyze(buildZip([manifest]));
    const large: PackageAnalysis = { ...analysis, size: { ...analysis.size, files } };
    const packed = (await packAnalysis(large)) ?? '';
    expect(packed.length).toBeLessThanOrEqual(maxStoredAnalysisBytes);
    const { size } = await unpackAnalysis(packed);
    expect(size.files.length).toBeLessThan(files.length);
    const bytesOf = (sums: readonly { bytes: number }[]) => sums.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(bytesOf(size.files) + bytesOf(size.rest)).toBe(bytesOf(files));
  });
});

describe('a build', () => {
  let slipway: TestService;
  beforeAll(async () => {
    slipway = await startTestService();
  });
  afterAll(() => slipway.close());

  const sizeOf = async (revision: number) => {
    const path = `/api/v1/apps/admin/android/com.example.test/builds/${revision}/size`;
    const answer = await get(slipway, path, slipway.adminKey);
    return JSON.parse(answer.text);
  };

  it('is analyzed after the upload, and shows its size', async () => {
    const apk = buildApk();
    await uploaded(slipway, { file: apk });
    await settleOutbox(slipway);
    expect(await sizeOf(1)).toMatchObject({
      state: 'analyzed',
      // The code of the package is a stub.
      not_analyzed: [{ part: 'dex', path: 'classes.dex', reason: 'unreadable' }],
      size: { file_bytes: apk.length, download: { bytes: apk.length, exact: true } },
    });
  });

  it('is analyzed again in the background after an update of the analyzer', async () => {
    const { listVersions, save } = analysisQueries(slipway.data);
    const versions = async () => (await listVersions('', 10)).map(({ version }) => version);
    await uploaded(slipway, { file: buildApk({ versionCode: 2 }) });
    await settleOutbox(slipway);
    for (const { id } of await listVersions('', 10))
      await save(id, {
        ...{ version: analyzerVersion - 1, analyzedAt: 1, packed: null, failure: 'too old' },
        ...{ downloadBytes: null, installBytes: null },
      });
    expect(await sizeOf(2)).toMatchObject({ state: 'failed' });
    await planAnalyses(slipway.data, Date.now());
    await settleOutbox(slipway);
    expect(await versions()).toEqual([analyzerVersion, analyzerVersion]);
    expect(await sizeOf(2)).toMatchObject({ state: 'analyzed' });
  });

  it('is compared with the build before it, even if that is analyzed later', async () => {
    const { listFactsByRevision, store, setSettings } = checkQueries(slipway.data);
    const { findBuild, findBuildByRevision } = buildQueries(slipway.data);
    const [first] = await analysisQueries(slipway.data).listVersions('', 1);
    const appId = (await findBuild(first?.id ?? ''))?.appId ?? '';
    await setSettings(
      appId,
      JSON.stringify({ ...defaultSettings, failAbove: { bytes: 1_000_000, percent: null } }),
    );
    const growth = async () => {
      const path = '/api/v1/apps/admin/android/com.example.test/builds/2/checks';
      const { checks } = JSON.parse((await get(slipway, path, slipway.adminKey)).text);
      return checks.find(({ id }: { id: string }) => id === 'download-growth-previous');
    };
    const known = await growth();
    expect(known).toMatchObject({ state: 'passed', against: { revision: 1 } });
    const facts = (await listFactsByRevision(appId, [2])).get(2);
    if (!facts) throw new Error('build 2 has no facts');
    const build = await findBuildByRevision(appId, 2);
    const early = { ...facts, previous: { revision: 1, downloadBytes: null, installBytes: null } };
    await store(build?.id ?? '', early, Date.now());
    expect(await growth()).toEqual(known);
  });
});
