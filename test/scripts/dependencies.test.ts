import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
// @ts-expect-error a script without types
import { errorsOf, rangesOf } from '../../scripts/dependencies.mjs';

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const good = { version: '1.0.0', license: 'MIT', integrity: 'sha512-abc', resolved: '' };
const lockOf = (name: string, entry: object) => ({ packages: { '': {}, [`node_modules/${name}`]: entry } });

describe('the dependency check', () => {
  it('finds no problem in this project', () => {
    const { packages } = read('package-lock.json');
    expect(Object.keys(packages).length).toBeGreaterThan(200);
    const manifest = read('package.json');
    expect(errorsOf({ packages }, manifest.allowScripts)).toEqual([]);
    expect(rangesOf(manifest)).toEqual([]);
  });

  it.each([
    ['a license that is incompatible with Slipway', { license: 'GPL-3.0-only' }, 'license'],
    ['a license allowed only for tools', { license: 'MPL-2.0' }, 'license'],
    ['one of two licenses that both apply', { license: 'MIT AND GPL-2.0-only' }, 'license'],
    ['a missing license', { license: undefined }, 'license'],
    ['a Git address', { resolved: 'git+ssh://git@example.com/a.git#abc' }, 'npm registry'],
    ['a tarball from another host', { resolved: 'https://example.com/a.tgz' }, 'npm registry'],
    ['a missing hash', { integrity: undefined }, 'SHA-512'],
    ['an old hash', { integrity: 'sha1-abc' }, 'SHA-512'],
    ['an install script', { hasInstallScript: true }, 'script'],
  ])('refuses %s', (_name, change, word) => {
    expect(errorsOf(lockOf('stray', { ...good, ...change }))).toEqual([
      expect.stringMatching(new RegExp(`^stray 1\\.0\\.0: .*${word}`)),
    ]);
  });

  it.each([
    ['a choice of licenses', 'stray', { license: '(GPL-3.0-only OR MIT)' }],
    ['a development tool under a license allowed for tools', 'stray', { license: 'MPL-2.0', dev: true }],
    ['libvips, which users may replace', '@img/sharp-libvips-linux-x64', { license: 'LGPL-3.0-or-later' }],
    [
      'an address in the registry',
      'stray',
      { resolved: 'https://registry.npmjs.org/stray/-/stray-1.0.0.tgz' },
    ],
  ])('accepts %s', (_name, name, change) => {
    expect(errorsOf(lockOf(name, { ...good, ...change }))).toEqual([]);
  });

  it('requires exact versions', () => {
    expect(rangesOf({ dependencies: { a: '^1.0.0', b: '1.0.0', c: 'latest' } })).toEqual([
      'a: ^1.0.0 is no exact version',
      'c: latest is no exact version',
    ]);
  });
});
