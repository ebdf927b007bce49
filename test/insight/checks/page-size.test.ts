/** The rule about pages of 16 KB: real packages against readelf and the local headers of the archive, and the SDK of a library. */
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkFacts } from '../../../src/insight/checks/check-facts.ts';
import { probableSdk } from '../../../src/insight/checks/platform-lists.ts';
import { analyzePackage } from '../../../src/packages/analysis/analyze-package.ts';
import { bundlesOfRun, pathOfBundle } from '../../packages/bundle/bundle-fixtures.ts';
import { fixturesOfRun, sharedFixturePath } from '../../support/shared-fixtures.ts';
import { androidInfo } from './analyses.ts';

const pageBytes = 16_384;
const run = (name: string, args: string[]) =>
  execFileSync(name, args, { maxBuffer: 1024 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] });
const library = /^(?:[^/]+\/)?lib\/(?:arm64-v8a|x86_64|riscv64)\/[^/]+\.so$/;
const paths = [
  ...fixturesOfRun()
    .filter(({ path, verdict }) => path.startsWith('apk/') && verdict !== 'reject')
    .map(({ path }) => sharedFixturePath(path)),
  ...bundlesOfRun()
    .map(pathOfBundle)
    .filter((path) => path.endsWith('.aab')),
];

/** The libraries of 64 bits with the smallest alignment that readelf names, and the position of stored ones. */
function librariesOf(path: string, folder: string) {
  const names = run('unzip', ['-Z1', path]).toString().split('\n');
  const file = openSync(path, 'r');
  const details = run('unzip', ['-Zv', path]).toString();
  const found = names
    .filter((name) => library.test(name))
    .map((name) => {
      const part = details.slice(details.indexOf(`\n  ${name}\n`));
      const headerAt = Number(/offset of local header from start of archive: +(\d+)/.exec(part)?.[1]);
      const lengths = Buffer.alloc(4);
      readSync(file, lengths, 0, 4, headerAt + 26);
      const extracted = join(folder, 'library.so');
      writeFileSync(extracted, run('unzip', ['-p', path, name]));
      const segments = run('readelf', ['-lW', extracted]).toString();
      return {
        name,
        alignment: Math.min(
          ...[...segments.matchAll(/^ +LOAD .* (0x[0-9a-f]+)$/gm)].map(([, align]) => Number(align)),
        ),
        isStored: /compression method: +none \(stored\)/.test(part),
        position: headerAt + 30 + lengths.readUInt16LE(0) + lengths.readUInt16LE(2),
      };
    });
  closeSync(file);
  return found;
}

const hasTools = ['unzip', 'readelf'].every((name) => existsSync(`/usr/bin/${name}`));

describe.runIf(hasTools && paths.length > 0)('libraries of real packages (needs unzip and readelf)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-libraries-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(paths)('%s has exactly the unaligned libraries that readelf and the archive show', async (path) => {
    const libraries = librariesOf(path, folder);
    // Most packages have none, and the analysis of all takes minutes.
    if (libraries.length === 0) return;
    const analysis = await analyzePackage(path);
    const facts = checkFacts({ info: androidInfo(), analysis, previous: null, defaultBranch: null });
    const isUnreadable = libraries.some(({ alignment }) => !Number.isFinite(alignment));
    const isMapped = path.endsWith('.apk') && analysis.android?.manifest.extractNativeLibs !== true;
    expect(
      facts.android?.misaligned
        ?.filter(({ problem }) => problem !== 'bundle')
        .map(({ path: name, problem, bytes }) => [name, problem, bytes]),
    ).toEqual(
      isUnreadable
        ? undefined
        : libraries.flatMap(({ name, alignment, isStored, position }) => {
            if (alignment < pageBytes) return [[name, 'alignment', alignment]];
            return isMapped && isStored && position % pageBytes !== 0 ? [[name, 'zip_offset', position]] : [];
          }),
    );
  });
});

describe('the SDK of a library', () => {
  it.each([
    ['lib/arm64-v8a/libflutter.so', 'Flutter'],
    ['base/lib/arm64-v8a/libreactnative.so', 'React Native'],
    ['lib/arm64-v8a/libreact_codegen_rnscreens.so', 'React Native'],
    ['lib/x86_64/libgdx-box2d.so', 'libGDX'],
    ['lib/arm64-v8a/libtensorflowlite_jni.so', 'TensorFlow Lite'],
    ['lib/arm64-v8a/libcrypto.1.1.so', 'OpenSSL'],
    ['lib/arm64-v8a/libsqlite3x.so', 'SQLite'],
    ['lib/arm64-v8a/libmodpdfium.so', 'PDFium'],
    ['lib/arm64-v8a/libcryptopp.so', null],
    ['lib/arm64-v8a/libappsecurity.so', null],
    ['lib/arm64-v8a/libone.so', null],
  ])('%s is %s', (path, sdk) => {
    expect(probableSdk(path)).toBe(sdk);
  });
});
