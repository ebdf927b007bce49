/** Requires a test for every limit of the package readers. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Limits covered by tests that do not name them, or by none. */
const unnamed: Readonly<Record<string, string>> = {
  maxCommentBytes: 'the limit of the format: a comment of 65,535 bytes is read in open-zip.test.ts',
  maxCoordinate: 'numbers are cut at it: huge scales and strokes in hostile-icons.test.ts',
  maxAnalysisMs: 'ten minutes, which no test waits for',
  maxProofBytes: 'a proof has three small files, whose texts are limited before',
  maxSymbolsMs: 'half a minute, which no test waits for',
  maxProcessorSeconds: 'an hour, which no test waits for',
  maxTries: 'a package that crashes the process each time is refused after two in child-kills.test.ts',
  maxResponseBytes: 'an answer that announces more ends the process in package-child.test.ts',
  maxErrorCharacters: 'how much of an error message is passed on',
  maxListedApks: 'how many names a warning has',
  maxListedSettings: 'how many names a warning has',
  maxReferenceKind: 'the enum of the format: a resource or an attribute',
  maxLauncherActivities: 'further ones give no name and no icon',
  maxIcons: 'further ones are not tried',
  maxAvifHeaderBytes: 'the size of a picture is in its head, or it is no icon',
  maxNativeInflatedBytes: 'gigabytes, which no test inflates',
  maxPictureSeconds: 'no picture within the pixel limits takes so long',
};

/** Matches constants and fields of limit objects. */
const declaration = /^(?:export )?const (max[A-Z]\w*)|^ {2}(max[A-Z]\w*): [\d(]/gm;

it('each limit is named by a test title', () => {
  const sources = globSync('src/packages/**/*.ts', { cwd: root }).map(read).join('\n');
  const tests = globSync('test/packages/**/*.ts', { cwd: root, exclude: ['**/caps.test.ts'] })
    .map(read)
    .join('\n');
  const caps = [...sources.matchAll(declaration)].map(([, constant, field]) => constant ?? field ?? '');
  expect(caps.length).toBeGreaterThan(100);
  const words = new Set(tests.match(/\w+/g));
  expect(caps.filter((name) => !words.has(name) && !(name in unnamed))).toEqual([]);
  expect(Object.keys(unnamed).filter((name) => !caps.includes(name) || words.has(name))).toEqual([]);
});

function read(path: string): string {
  return readFileSync(root + path, 'utf8');
}

it('each limit has a unique name, so that a test covers exactly one', () => {
  const names = globSync('src/packages/**/*.ts', { cwd: root })
    .map(read)
    .flatMap((text) => [...text.matchAll(/^(?:export )?const (max[A-Z]\w*)/gm)].map(([, name = '']) => name));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
