/** docs/security.md says what holds which line of the ASVS: the tests that it names are there, and it passes no line over. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/security.md');

/** How many requirements of levels 1 and 2 each section of ASVS 5.0.0 has: the first so many of it. */
const sections: Record<string, number> = {
  ...{ '1.1': 2, '1.2': 9, '1.3': 11, '1.4': 3, '1.5': 2 },
  ...{ '2.1': 3, '2.2': 3, '2.3': 4, '2.4': 1 },
  ...{ '3.2': 2, '3.3': 4, '3.4': 6, '3.5': 5, '3.7': 2 },
  ...{ '4.1': 3, '4.2': 1, '4.3': 2, '4.4': 4 },
  ...{ '5.1': 1, '5.2': 3, '5.3': 2, '5.4': 3 },
  ...{ '6.1': 3, '6.2': 11, '6.3': 3, '6.4': 4, '6.5': 5, '6.6': 3, '6.8': 4 },
  ...{ '7.1': 3, '7.2': 4, '7.3': 2, '7.4': 5, '7.5': 2, '7.6': 2 },
  ...{ '8.1': 2, '8.2': 3, '8.3': 1, '8.4': 1, '9.1': 3, '9.2': 4 },
  ...{ '10.1': 2, '10.2': 2, '10.3': 4, '10.4': 11, '10.5': 5, '10.6': 2, '10.7': 3 },
  ...{ '11.1': 2, '11.2': 3, '11.3': 3, '11.4': 4, '11.5': 1, '11.6': 1, '12.1': 3, '12.2': 2, '12.3': 4 },
  ...{ '13.1': 1, '13.2': 5, '13.3': 2, '13.4': 5, '14.1': 2, '14.2': 4, '14.3': 3 },
  ...{ '15.1': 3, '15.2': 3, '15.3': 7, '16.1': 1, '16.2': 5, '16.3': 4, '16.4': 3, '16.5': 3 },
};

/** `1.2.3`, `1.2.3–1.2.5` and, for a whole section, `1.2`. */
function namedIn(text: string): Set<string> {
  const named = new Set<string>();
  for (const [, from = '', to] of text.matchAll(/\b(\d+(?:\.\d+){1,2})(?:–(\d+\.\d+\.\d+))?(?=[\s,:(|])/g)) {
    const [chapter, section, first] = from.split('.');
    const last = Number(to?.split('.')[2] ?? first);
    if (first === undefined) named.add(from);
    else for (let at = Number(first); at <= last; at++) named.add(`${chapter}.${section}.${at}`);
  }
  return named;
}

const asvs = page.slice(page.indexOf('## ASVS'));
const rowsOf = (text: string) => text.split('\n').filter((line) => /^\| \d/.test(line));
const rows = rowsOf(asvs);
const tested = rowsOf(asvs.slice(0, asvs.indexOf('### Not met')));

describe('the page about security', () => {
  it('names tests that are there, by their titles', () => {
    expect(tested.length).toBeGreaterThan(60);
    const missing = tested.flatMap((line) => {
      const [, file = '', title = ''] = /`([a-z0-9/-]+)` “(.+)” \|$/.exec(line) ?? [];
      const path = [`test/${file}.test.ts`, `test/${file}.ts`].find((one) => existsSync(join(root, one)));
      return path !== undefined && title !== '' && read(path).includes(title) ? [] : [line];
    });
    expect(missing).toEqual([]);
  });

  it('passes over no requirement of the levels 1 and 2', () => {
    const without = asvs.slice(asvs.indexOf('### Does not apply'));
    const named = namedIn([...rows.map((line) => `${line.split('|')[1]},`), without].join(' '));
    const all = Object.entries(sections).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, at) => `${section}.${at + 1}`),
    );
    const passedOver = all.filter((id) => !named.has(id) && !named.has(id.replace(/\.\d+$/, '')));
    expect(all.length).toBeGreaterThan(200);
    expect(passedOver).toEqual([]);
  });

  it('is short enough to be read', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(250);
  });
});

describe('the server', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.tsx?$/.test(path),
  );

  it('starts no program but its own, evaluates no text, and makes no pattern of what came', () => {
    const found = (pattern: RegExp) => sources.filter((path) => pattern.test(read(join('src', path))));
    expect(sources.length).toBeGreaterThan(300);
    // The command line of a Mac runs Apple's tools for its simulator; packages are read by a process with few permissions.
    expect(found(/child_process/).sort()).toEqual([
      join('commands', 'simulate-host.ts'),
      join('packages', 'package-child.ts'),
    ]);
    expect(found(/node:vm|\beval\(|new Function\(|setFlagsFromString/)).toEqual([]);
    // Only patterns of a list that is known.
    expect(found(/new RegExp\(|\bRegExp\(/)).toEqual([join('packages', 'ipa', 'resource-rules.ts')]);
  });
});
