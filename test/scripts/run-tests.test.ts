/** What `npm test` does when a native fault ends a test process, seen with processes that do end so. */

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const scripts = new URL('../../scripts/', import.meta.url);
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const good = `it('is good', () => expect(1).toBe(1));`;
const bad = `it('is bad', () => expect(1).toBe(2));`;
const killed = `it('is killed', () => { process.kill(process.pid, 'SIGSEGV'); });`;
const killedOnce = `import { existsSync, writeFileSync } from 'node:fs';
it('is killed once', () => {
  if (existsSync('./was-killed')) return;
  writeFileSync('./was-killed', '');
  process.kill(process.pid, 'SIGSEGV');
});`;

describe('npm test', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-run-tests-'));
    await symlink(modules, join(folder, 'node_modules'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const run = async (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(folder, `${name}.test.mjs`), `import { expect, it } from 'vitest';\n${text}`);
    }
    const program = `import { runTests } from '${new URL('run-tests.mjs', scripts)}';
      process.exitCode = runTests([], { cwd: ${JSON.stringify(folder)} });`;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
    );
    return { status, again: stderr.includes('running that once more'), text: stdout + stderr };
  };

  it('runs a file once more whose process was ended by SIGSEGV, and says so', async () => {
    const { status, again, text } = await run({ first: good, second: killedOnce });
    expect(text).toContain(`SIGSEGV ended ${join(folder, 'second.test.mjs')}`);
    expect({ status, again }).toEqual({ status: 0, again: true });
  });

  it('fails when that happens twice', async () => {
    expect(await run({ first: good, second: killed })).toMatchObject({ status: 1, again: true });
  });

  it.each([
    ['a test failed too', { first: bad, second: killedOnce }],
    ['a test failed', { first: good, second: bad }],
    [
      'something else was not handled',
      { first: good, second: `${good} void Promise.reject(new Error('x'));` },
    ],
    ['a process ended otherwise', { first: `it('ends', () => { process.kill(process.pid, 'SIGKILL'); });` }],
  ])('fails at once when %s', async (_case, files) => {
    expect(await run(files)).toMatchObject({ status: 1, again: false });
  });
});
