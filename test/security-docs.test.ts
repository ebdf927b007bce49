/** docs/asvs.md lists every requirement of the ASVS once, with existing evidence. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readStaticFiles } from '../src/web/shell/static-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/asvs.md');

/** The number of requirements of levels 1 and 2 in each section of ASVS 5.0.0; they come first in the section. */
const sections: Record<string, number> = {
  '1.1': 2,
  '1.2': 9,
  '1.3': 11,
  '1.4': 3,
  '1.5': 2,
  '2.1': 3,
  '2.2': 3,
  '2.3': 4,
  '2.4': 1,
  '3.2': 2,
  '3.3': 4,
  '3.4': 6,
  '3.5': 5,
  '3.7': 2,
  '4.1': 3,
  '4.2': 1,
  '4.3': 2,
  '4.4': 4,
  '5.1': 1,
  '5.2': 3,
  '5.3': 2,
  '5.4': 3,
  '6.1': 3,
  '6.2': 12,
  '6.3': 4,
  '6.4': 4,
  '6.5': 5,
  '6.6': 3,
  '6.8': 4,
  '7.1': 3,
  '7.2': 4,
  '7.3': 2,
  '7.4': 5,
  '7.5': 2,
  '7.6': 2,
  '8.1': 2,
  '8.2': 3,
  '8.3': 1,
  '8.4': 1,
  '9.1': 3,
  '9.2': 4,
  '10.1': 2,
  '10.2': 2,
  '10.3': 4,
  '10.4': 11,
  '10.5': 5,
  '10.6': 2,
  '10.7': 3,
  '11.1': 2,
  '11.2': 3,
  '11.3': 3,
  '11.4': 4,
  '11.5': 1,
  '11.6': 1,
  '12.1': 3,
  '12.2': 2,
  '12.3': 4,
  '13.1': 1,
  '13.2': 5,
  '13.3': 2,
  '13.4': 5,
  '14.1': 2,
  '14.2': 4,
  '14.3': 3,
  '15.1': 3,
  '15.2': 3,
  '15.3': 7,
  '16.1': 1,
  '16.2': 5,
  '16.3': 4,
  '16.4': 3,
  '16.5': 3,
  '17.1': 1,
  '17.2': 4,
  '17.3': 2,
};
/** The requirements of level 1, as `section.first-last`. */
const levelOne =
  '1.2.1-5 1.3.1-2 1.5.1-1 2.1.1-1 2.2.1-2 2.3.1-1 3.2.1-2 3.3.1-1 3.4.1-2 3.5.1-3 4.1.1-1 4.4.1-1 5.2.1-2 5.3.1-2 ' +
  '6.1.1-1 6.2.1-8 6.3.1-2 6.4.1-2 7.2.1-4 7.4.1-2 8.1.1-1 8.2.1-2 8.3.1-1 9.1.1-3 9.2.1-1 10.4.1-5 11.3.1-2 11.4.1-1 ' +
  '12.1.1-1 12.2.1-2 13.4.1-1 14.2.1-1 14.3.1-1 15.1.1-1 15.2.1-1 15.3.1-1';

const firstLevel = new Set(
  levelOne.split(' ').flatMap((range) => {
    const [, section, from, to] = /^(\d+\.\d+)\.(\d+)-(\d+)$/.exec(range) ?? [];
    return Array.from(
      { length: Number(to) - Number(from) + 1 },
      (_, at) => `${section}.${Number(from) + at}`,
    );
  }),
);
const rows = page.split('\n').flatMap((line) => {
  const [, id, level, requirement, status, how, evidence] =
    /^\| (\d+\.\d+\.\d+) \| (\d) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]*)\|$/.exec(line) ?? [];
  return id ? [{ id, level, requirement, status, how, evidence: evidence?.trim() ?? '' }] : [];
});

describe('the ASVS page', () => {
  it('lists every requirement of levels 1 and 2 once, in order, with its level', () => {
    const all = Object.entries(sections).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, at) => `${section}.${at + 1}`),
    );
    expect([all.length, firstLevel.size]).toEqual([253, 70]);
    const listed = page.match(/^\| \d+\.\d+\.\d+ /gm);
    expect(listed).toHaveLength(rows.length);
    expect(rows.map(({ id, level }) => `${id} ${level}`)).toEqual(
      all.map((id) => `${id} ${firstLevel.has(id) ? 1 : 2}`),
    );
  });

  it('gives each requirement one of three statuses, and counts them correctly', () => {
    const statuses = ['met', 'not met', 'not applicable'];
    expect(rows.filter(({ status }) => !statuses.includes(status ?? ''))).toEqual([]);
    for (const [name, counted] of [
      ['level 1 (70)', rows.filter(({ level }) => level === '1')],
      ['levels 1 and 2 (253)', rows],
    ] as const) {
      const numbers = statuses.map((one) => counted.filter(({ status }) => status === one).length);
      expect(page).toContain(`| ${name} | ${numbers.join(' | ')} |`);
    }
  });

  it('names existing evidence for every met requirement: a test by its title, or a page', () => {
    const wrong = rows
      .filter(({ status }) => status === 'met')
      .filter(({ evidence }) => {
        const [, file, title = ''] = /^`(test\/[a-z0-9/.-]+\.ts)` “(.+)”$/.exec(evidence) ?? [];
        if (file) return !existsSync(join(root, file)) || title === '' || !read(file).includes(title);
        const [, target] = /^\[[^\]]+\]\(([^)]+)\)$/.exec(evidence) ?? [];
        return target === undefined || !existsSync(join(root, 'docs', target));
      });
    expect(wrong).toEqual([]);
    const named = [...page.matchAll(/`(test\/[a-z0-9/-]+)`/g)].map(([, path = '']) => path);
    expect(named.filter((path) => !existsSync(join(root, `${path}.test.ts`)))).toEqual([]);
  });
});

describe('the security page', () => {
  it('is short', () => {
    expect(read('docs/security.md').split('\n').length).toBeLessThanOrEqual(150);
  });

  it('links to the security policy and back, and the README links to both', () => {
    expect(read('README.md')).toMatch(/\(docs\/security\.md\)[\s\S]*\(SECURITY\.md\)/);
    expect(read('docs/security.md')).toContain('(../SECURITY.md)');
    expect(read('SECURITY.md')).toContain('Report a vulnerability');
  });
});

describe('the server', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.tsx?$/.test(path),
  );

  it('starts only its own programs, evaluates no text, and builds no pattern from input', () => {
    const found = (pattern: RegExp) => sources.filter((path) => pattern.test(read(join('src', path))));
    expect(sources.length).toBeGreaterThan(300);
    // On a Mac, the command line runs Apple's simulator tools; in CI, it runs the service's own program for ID tokens. Packages are
    // read by a process with few permissions.
    expect(found(/child_process/).sort()).toEqual([
      join('commands', 'simulate', 'simulate-host.ts'),
      join('commands', 'uploader', 'uploader-host.ts'),
      join('packages', 'package-child.ts'),
    ]);
    // The program's own modules with code that was compiled before, and the word `gc`.
    expect(found(/node:vm|\beval\(|new Function\(|setFlagsFromString/).sort()).toEqual([
      join('blobs', 'collect-chunks.ts'),
      'compiled-code.ts',
    ]);
    // Only patterns from a fixed list, constants that the forms repeat, those of declared routes, and names of deleted accounts.
    expect(found(/new RegExp\(|\bRegExp\(/).sort()).toEqual([
      join('branding', 'brands.ts'),
      join('http', 'api', 'examples.ts'),
      join('owners', 'owner.ts'),
      join('owners', 'quota.ts'),
      join('packages', 'analysis', 'secrets.ts'),
      join('packages', 'apk', 'package-commit.ts'),
      join('packages', 'ipa', 'signature', 'resource-rules.ts'),
      join('privacy', 'erase-person.ts'),
      join('web', 'components', 'inputs', 'color-field.tsx'),
    ]);
  });

  it('stores nothing in browser storage but marks of interrupted uploads', () => {
    const scripts = [...readStaticFiles()].filter(([name]) => name.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(2);
    const storage = /localStorage|sessionStorage|indexedDB|caches\.open/;
    const storing = scripts.filter(([, { bytes }]) => storage.test(Buffer.from(bytes).toString()));
    expect(storing.map(([name]) => name)).toEqual(['upload.js']);
  });
});
