/** The built program: the modules that a start loads, and the positions in stack traces. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { builtProgram } from '../support/run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'slipway-bundle-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the program after `preload`, a script of Node. */
function run(preload: string, ...args: string[]) {
  const script = join(folder, 'preload.mjs');
  writeFileSync(script, preload);
  return spawnSync(process.execPath, ['--import', script, builtProgram, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
}

describe('the built program', () => {
  it.each(['--version', '--help'])('loads neither the database nor the password list for %s', (option) => {
    const { status, stdout, stderr } = run(
      `import fs from 'node:fs';
      import { registerHooks, syncBuiltinESMExports } from 'node:module';
      import { fileURLToPath } from 'node:url';
      const { readFileSync } = fs;
      const report = (path) => console.error('loads ' + path);
      registerHooks({
        load(url, context, next) {
          if (url.startsWith('file:')) report(fileURLToPath(url));
          return next(url, context);
        },
      });
      fs.readFileSync = (path, ...rest) => {
        if (String(path).endsWith('.cjs')) report(path);
        return readFileSync(path, ...rest);
      };
      syncBuiltinESMExports();`,
      option,
    );
    expect([status, stdout]).toEqual([0, expect.stringMatching(option === '--version' ? /^\d/ : /^Usage/)]);
    const loaded = [...stderr.matchAll(/^loads (.+js)$/gm)].map(([, path = '']) => path);
    expect(loaded).toContain(builtProgram);
    const sources = loaded.map((path) => readFileSync(path, 'utf8')).join('\n');
    if (option === '--help') expect(sources).toContain('Self-hosted mobile app distribution');
    for (const heavy of ['class Kysely', 'common-password-hashes.txt', 'better-sqlite3', 'node-rs/argon2'])
      expect(sources).not.toContain(heavy);
  });

  it('loads every part, whatever the order in which a bundler lays out its modules', () => {
    const { stdout } = run(
      `import { readdirSync } from 'node:fs';
      const parts = new URL('chunks/', ${JSON.stringify(pathToFileURL(builtProgram))});
      const faults = [];
      for (const name of readdirSync(parts).filter((name) => name.endsWith('js')))
        await import(new URL(name, parts)).catch((error) => faults.push(name + ': ' + error.message));
      console.log(JSON.stringify(faults));`,
      '--version',
    );
    expect(JSON.parse(stdout.split('\n', 1)[0] ?? '')).toEqual([]);
  });

  it('names source files and lines in the stack trace of a crash', () => {
    const { status, stderr } = run(
      `import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { readFileSync } = fs;
      fs.readFileSync = (path, ...rest) => {
        if (String(path).endsWith('package.json')) throw new Error('a defect');
        return readFileSync(path, ...rest);
      };
      syncBuiltinESMExports();`,
      '--help',
    );
    const line = readFileSync(new URL('../../src/core/version.ts', import.meta.url), 'utf8')
      .split('\n')
      .findIndex((text) => text.includes('readFileSync('));
    expect(status).toBe(1);
    expect(stderr).toContain('Error: a defect');
    expect(stderr).toContain(`at version (src/core/version.ts:${line + 1}:`);
  });
});
