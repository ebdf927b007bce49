/** What is in a build and what grew: layout, contents, comparison, savings and the pages. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareSizes } from '../../../src/insight/size/compare-sizes.ts';
import { contentsOf } from '../../../src/insight/size/size-tree.ts';
import { layOutTreemap } from '../../../src/insight/size/treemap.ts';
import type { PackageAnalysis, SizeAnalysis } from '../../../src/packages/analysis/analysis.ts';
import { type BrowserSession, signIn } from '../../support/browser-session.ts';
import { buildApk } from '../../support/build-apk.ts';
import { get, uploaded } from '../../support/interface-client.ts';
import { settleOutbox } from '../../support/mail-service.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

type SizedFile = [path: string, bytes: number, crc32?: number];

const sizesOf = (files: readonly SizedFile[], rest: SizeAnalysis['rest'] = []): SizeAnalysis => ({
  fileBytes: 1000,
  download: { bytes: 1000, exact: true },
  install: { bytes: 1200, exact: false },
  categories: [],
  files: files.map(([path, bytes, crc32 = 0]) => ({
    path,
    category: path.endsWith('.dex') ? 'code' : 'assets',
    compressedBytes: bytes,
    bytes,
    crc32,
  })),
  rest,
  duplicates: [],
  media: [],
  languages: [],
});

const analysisOf = (size: SizeAnalysis, changes: Partial<PackageAnalysis> = {}): PackageAnalysis => ({
  version: 1,
  gaps: [],
  size,
  android: null,
  ios: null,
  dependencies: { source: 'none', libraries: [], edges: [] },
  secrets: [],
  ...changes,
});

describe('a treemap', () => {
  const box = { x: 0, y: 0, width: 600, height: 400 };

  it('fills the box with areas in proportion to the sizes, as in the paper by Bruls et al.', () => {
    const places = layOutTreemap([6, 6, 4, 3, 2, 2, 1], box);
    const areas = places.map(({ width, height }) => (width * height) / 10_000);
    expect(areas.map((area) => Math.round(area * 1000) / 1000)).toEqual([6, 6, 4, 3, 2, 2, 1]);
    expect(places[0]).toEqual({ x: 0, y: 0, width: 300, height: 200 });
    expect(places[1]).toEqual({ x: 0, y: 200, width: 300, height: 200 });
    for (const { x, y, width, height } of places) {
      expect(x + width).toBeLessThanOrEqual(600.001);
      expect(y + height).toBeLessThanOrEqual(400.001);
    }
  });

  it('has no areas for sizes of zero', () => {
    expect(layOutTreemap([0, 0], box).every(({ width, height }) => width * height === 0)).toBe(true);
    expect(layOutTreemap([5, 0], box)[1]).toMatchObject({ width: 0 });
    expect(layOutTreemap([], box)).toEqual([]);
  });
});

describe('the contents of a package', () => {
  const size = sizesOf(
    [
      ['lib/arm64-v8a/a.so', 500],
      ['classes.dex', 300],
      ['lib/x86/a.so', 200],
      ['assets/deep/in/a', 90],
    ],
    [{ folder: 'assets', category: 'fonts', compressedBytes: 10, bytes: 10, files: 4 }],
  );

  it('lists folders and files, the largest first', () => {
    const { nodes, bytes } = contentsOf(analysisOf(size), 'files', '');
    expect(nodes.map(({ name, kind, bytes: own }) => [name, kind, own])).toEqual([
      ['lib', 'folder', 700],
      ['classes.dex', 'file', 300],
      ['assets', 'folder', 100],
    ]);
    expect(bytes).toBe(1100);
  });

  it('skips folders with nothing but a folder, and lists files that were summed', () => {
    const { path, nodes, above } = contentsOf(analysisOf(size), 'files', 'assets/');
    expect([path, above.map(({ path: one }) => one)]).toEqual(['assets/', ['assets/']]);
    expect(nodes.map(({ name, kind, count }) => [name, kind, count])).toEqual([
      ['deep', 'folder', 1],
      ['', 'rest', 4],
    ]);
    expect(contentsOf(analysisOf(size), 'files', 'assets/deep/').path).toBe('assets/deep/in/');
  });

  it('shows everything instead of a folder that does not exist', () => {
    for (const folder of ['nothing/', 'lib', 'classes.dex', '../'])
      expect(contentsOf(analysisOf(size), 'files', folder).path).toBe('');
  });
});

describe('the comparison of sizes', () => {
  it('lists what grew first and what shrank last, with new and removed files', () => {
    const from = sizesOf([
      ['a', 100],
      ['b', 100],
      ['gone', 70],
      ['same', 5],
    ]);
    const to = sizesOf([
      ['a', 150],
      ['b', 40],
      ['new', 80],
      ['same', 5],
    ]);
    const { files } = compareSizes(analysisOf(from), analysisOf(to));
    expect(files.map(({ path, kind, from: before, to: after }) => [path, kind, after - before])).toEqual([
      ['new', 'added', 80],
      ['a', 'changed', 50],
      ['b', 'changed', -60],
      ['gone', 'removed', -70],
    ]);
  });

  it('ignores files that only moved', () => {
    const from = sizesOf([['res/aB.png', 100, 7]]);
    const to = sizesOf([['res/x9.png', 100, 7]]);
    expect(compareSizes(analysisOf(from), analysisOf(to)).files).toEqual([]);
  });

  it('reports doubt about files that may have been too small to be listed', () => {
    const rest = (compressedBytes: number): SizeAnalysis['rest'] => [
      { folder: 'assets', category: 'assets', compressedBytes, bytes: compressedBytes, files: 9 },
    ];
    const from = sizesOf([['assets/listed', 50]], rest(90));
    const to = sizesOf(
      [
        ['assets/video', 9000],
        ['assets/listed', 50],
        ['assets/small', 60],
      ],
      rest(20),
    );
    expect(compareSizes(analysisOf(from), analysisOf(to)).files).toEqual([
      { path: 'assets/video', kind: 'added', from: 0, to: 9000, exact: false },
      { path: 'assets/', kind: 'folder', from: 90, to: 80, exact: false },
    ]);
  });

  it('adds up to the difference of all files', () => {
    const from = sizesOf(
      [
        ['a', 10],
        ['b', 20],
      ],
      [{ folder: '', category: 'assets', compressedBytes: 7, bytes: 7, files: 2 }],
    );
    const to = sizesOf(
      [
        ['a', 11],
        ['c', 300],
      ],
      [{ folder: 'x', category: 'assets', compressedBytes: 3, bytes: 3, files: 1 }],
    );
    const { files } = compareSizes(analysisOf(from), analysisOf(to));
    const total = files.reduce((sum, change) => sum + change.to - change.from, 0);
    expect(total).toBe(11 + 300 + 3 - (10 + 20 + 7));
  });
});

describe('the size page', () => {
  let slipway: TestService;
  let key: string;
  let member: BrowserSession;
  const app = '/users/maker/platforms/android/apps/com.example.sized';
  const page = `${app}/binaries`;

  beforeAll(async () => {
    slipway = await startTestService();
    key = await slipway.user('maker');
    member = await signIn(slipway, 'maker');
    for (const length of [60_000, 200_000]) {
      const extraEntries = [
        { name: 'assets/maps/tiles.bin', content: Buffer.alloc(length, 'x') },
        { name: 'assets/<img src=x>.bin', content: Buffer.alloc(5000, 'y') },
      ];
      const file = buildApk({ packageName: 'com.example.sized', extraEntries });
      await uploaded(slipway, { owner: 'maker', key, file, fields: { branch: 'main' } });
    }
    await settleOutbox(slipway);
  });
  afterAll(() => slipway.close());

  const textOf = async (path: string) => (await member.get(path)).text;

  it('shows sizes, contents and what changed since the previous build of the branch', async () => {
    const html = await textOf(`${page}/2/size`);
    expect(html).toContain('What changed since #1');
    expect(html).toContain('assets/maps/tiles.bin');
    expect(html).toContain('+136.7 KiB');
    expect(html).toContain(`href="${page}/2/size?in=assets%2F#contents"`);
    expect(html).not.toContain('<img src=x>');
  });

  it('opens folders by links, without losing the tabs of the build', async () => {
    const html = await textOf(`${page}/2/size?in=assets%2F`);
    expect(html).toContain('&lt;img src=x>.bin');
    expect(html).toContain('aria-current="page">assets</bdi>');
    expect(html).toContain(`href="${page}/2/size" aria-current="page"`);
  });

  it('is linked from the list of builds and the build, with the difference', async () => {
    for (const path of [app, `${page}/2`]) {
      const html = await textOf(path);
      expect(html).toContain(`href="${page}/2/size"`);
      expect(html).toContain('+136.7 KiB since #1');
    }
  });

  it('shows the size over builds, limited to a branch', async () => {
    const html = await textOf(`${app}/size?of=branch:main`);
    expect(html).toContain('Download size of 2 builds:');
    expect(html).toContain('<option value="branch:main" selected>Branch main</option>');
    expect(await textOf(`${app}/size?of=branch:none`)).toContain('<option value="branch:main">');
  });

  it('reports what grew in the API', async () => {
    const path = '/api/v1/apps/maker/android/com.example.sized/builds/2/size';
    const answer = await get(slipway, `${path}?compare=1`, key);
    const { growth } = JSON.parse(answer.text);
    expect(growth).toMatchObject({ revision: 1, categories: [{ category: 'assets' }] });
    expect(growth.files[0]).toMatchObject({ path: 'assets/maps/tiles.bin', kind: 'changed', exact: true });
    expect(JSON.parse((await get(slipway, path, key)).text).growth).toBeNull();
    expect((await get(slipway, `${path}?compare=99`, key)).status).toBe(404);
  });

  it('adds what grew to the comparison of two builds', async () => {
    const html = await textOf(`${app}/compare?from=2&to=1`);
    expect(html).toContain('−136.7 KiB');
    expect(html).toContain('assets/maps/tiles.bin');
  });
});
