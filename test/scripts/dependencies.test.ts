import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
// @ts-expect-error a script without types
import { faultsOf, rangesOf } from '../../scripts/dependencies.mjs';

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const good = { version: '1.0.0', license: 'MIT', integrity: 'sha512-abc', resolved: '' };
const lockOf = (name: string, entry: object) => ({ packages: { '': {}, [`node_modules/${name}`]: entry } });

describe('dependencies', () => {
  it('of this project have no fault', () => {
    const { packages } = read('package-lock.json');
    expect(Object.keys(packages).length).toBeGreaterThan(200);
    const manifest = read('package.json');
    expect(faultsOf({ packages }, manifest.allowScripts)).toEqual([]);
    expect(rangesOf(manifest)).toEqual([]);
  });

  it.each([
    ['a licence that is not ours to ship', { license: 'GPL-3.0-only' }, 'licence'],
    ['a licence of tools', { license: 'MPL-2.0' }, 'licence'],
    ['one of two licences that must both be kept', { license: 'MIT AND GPL-2.0-only' }, 'licence'],
    ['no licence', { license: undefined }, 'licence'],
    ['an address of its own', { resolved: 'git+ssh://git@example.com/a.git#abc' }, 'npm registry'],
    ['a tarball from elsewhere', { resolved: 'https://example.com/a.tgz' }, 'npm registry'],
    ['no hash', { integrity: undefined }, 'SHA-512'],
    ['an old hash', { integrity: 'sha1-abc' }, 'SHA-512'],
    ['a script at installation', { hasInstallScript: true }, 'script'],
  ])('are refused with %s', (_name, change, word) => {
    expect(faultsOf(lockOf('stray', { ...good, ...change }))).toEqual([
      expect.stringMatching(new RegExp(`^stray 1\\.0\\.0: .*${word}`)),
    ]);
  });

  it.each([
    ['one of several licences', 'stray', { license: '(GPL-3.0-only OR MIT)' }],
    ['a tool under a licence of tools', 'stray', { license: 'MPL-2.0', dev: true }],
    [
      'libvips, which everybody may replace',
      '@img/sharp-libvips-linux-x64',
      { license: 'LGPL-3.0-or-later' },
    ],
    [
      'an address in the registry',
      'stray',
      { resolved: 'https://registry.npmjs.org/stray/-/stray-1.0.0.tgz' },
    ],
  ])('are taken with %s', (_name, name, change) => {
    expect(faultsOf(lockOf(name, { ...good, ...change }))).toEqual([]);
  });

  it('are named with one exact version', () => {
    expect(rangesOf({ dependencies: { a: '^1.0.0', b: '1.0.0', c: 'latest' } })).toEqual([
      'a: ^1.0.0 is no exact version',
      'c: latest is no exact version',
    ]);
  });
});
