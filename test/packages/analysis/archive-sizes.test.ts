/** The limits of the sizes of an archive: what exceeds them is summed or reported, never lost. */
import { expect, it } from 'vitest';
import type { AnalysisGap } from '../../../src/packages/analysis/analysis.ts';
import { measureArchive } from '../../../src/packages/analysis/archive-sizes.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import type { ZipEntry } from '../../../src/packages/zip/zip-archive.ts';
import { buildZip, fileInMemory, type ZipEntrySpec } from '../../support/build-zip.ts';

async function measure(files: readonly ZipEntrySpec[]) {
  const bytes = buildZip(files);
  const gaps: AnalysisGap[] = [];
  const size = await measureArchive(await openZip(fileInMemory(bytes)), { kind: 'apk' }, bytes.length, gaps);
  return { size, gaps };
}

const count = (length: number, name: (at: number) => string, content: (at: number) => string) =>
  Array.from({ length }, (_, at) => ({ name: name(at), content: content(at) }));

it('lists maxListedFiles, and sums the others per folder', async () => {
  const { size } = await measure(
    count(
      1510,
      (at) => `assets/${at % 2}/${at}`,
      (at) => 'x'.repeat(at === 1509 ? 900 : 10),
    ),
  );
  expect([size.files.length, size.files[0]?.path]).toEqual([1500, 'assets/1/1509']);
  expect(size.rest.map(({ folder }) => folder).sort()).toEqual(['assets/0', 'assets/1']);
  expect(size.rest.reduce((sum, { files }) => sum + files, 0)).toBe(10);
});

it('lists maxListedFolders, and sums the others per category', async () => {
  const { size } = await measure(
    count(
      3600,
      (at) => `assets/${at}/${at % 2 ? 'a' : 'a.png'}`,
      () => 'x',
    ),
  );
  expect(size.rest).toHaveLength(2002);
  const others = size.rest.filter(({ folder }) => folder === '');
  expect(others.map(({ category }) => category).sort()).toEqual(['assets', 'images']);
  expect(size.rest.reduce((sum, { files }) => sum + files, 0)).toBe(3600 - 1500);
});

it('lists maxLanguages', async () => {
  const letter = (at: number) => String.fromCharCode(97 + at);
  const tag = (at: number) => letter(Math.floor(at / 26)) + letter(at % 26);
  const { size } = await measure(count(310, (at) => `res/values-${tag(at)}/strings.xml`, String));
  expect(size.languages).toHaveLength(300);
});

it('lists maxPathsPerSet of equal files', async () => {
  const { size } = await measure(
    count(
      60,
      (at) => `assets/${at}`,
      () => 'x'.repeat(600),
    ),
  );
  expect(size.duplicates.map(({ paths }) => paths.length)).toEqual([50]);
});

it('reports more sets than maxDuplicateSets', async () => {
  const { size, gaps } = await measure(
    count(
      1004,
      (at) => `assets/${at}`,
      (at) => String(Math.floor(at / 2)).padEnd(600),
    ),
  );
  expect(size.duplicates).toHaveLength(500);
  expect(gaps).toEqual([{ part: 'archive', path: null, reason: 'too_many' }]);
});

it('compares maxComparedBytes, and reports the rest unread', async () => {
  const archive = await openZip(fileInMemory(buildZip([{ name: 'assets/a', content: 'x' }])));
  const [entry] = archive.entries;
  if (!entry) throw new Error('the archive is empty');
  const large = (name: string): ZipEntry => ({ ...entry, name, uncompressedBytes: 130 * 1024 * 1024 });
  const gaps: AnalysisGap[] = [];
  const entries = [large('assets/a'), large('assets/b')];
  const { duplicates } = await measureArchive({ ...archive, entries }, { kind: 'apk' }, 1, gaps);
  expect([duplicates, gaps]).toEqual([[], [{ part: 'archive', path: null, reason: 'too_many' }]]);
});

it('takes time in proportion to the number of equal files', async () => {
  const { size } = await measure(
    count(
      60_000,
      (at) => `assets/${at}`,
      () => 'x'.repeat(512),
    ),
  );
  expect(size.duplicates.map(({ paths }) => paths.length)).toEqual([50]);
});
