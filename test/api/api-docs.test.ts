/** docs/api.md: every recipe runs as written, and every code is listed. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemTitles } from '../../src/http/api/problem.ts';
import { buildApk } from '../support/build-apk.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const path = fileURLToPath(new URL('../../docs/api.md', import.meta.url));
const text = await readFile(path, 'utf8');
const [introduction = '', recipes = ''] = text.split('\n## Recipes\n');
const blocks = [...recipes.matchAll(/^### (.+?)$.*?^```sh\n(.*?)^```/gms)].map(
  ([, title = '', script = '']) => [title, script] as const,
);

describe('the documentation of the API', () => {
  let slipway: TestService;
  let folder: string;
  beforeAll(async () => {
    slipway = await startTestService();
    folder = await mkdtemp(join(tmpdir(), 'slipway-recipes-'));
    await writeFile(join(folder, 'app.apk'), buildApk({ packageName: 'com.example.tide' }));
    await slipway.user('mina');
    await slipway.project('acme', { members: { admin: 'owner' } });
  });
  afterAll(async () => {
    await slipway.close();
    await rm(folder, { recursive: true });
  });

  const run = (script: string) =>
    promisify(execFile)('sh', ['-ec', script], {
      cwd: folder,
      env: { ...process.env, SLIPWAY_URL: slipway.origin, SLIPWAY_KEY: slipway.adminKey },
    });

  it('has ten recipes', () => {
    expect(blocks.map(([title]) => title)).toHaveLength(10);
  });

  it.each(blocks)('has a recipe that runs: %s', async (title, script) => {
    const { stdout } = await run(script);
    if (title === 'Read every build of an app') expect(stdout).toBe('1\n');
    if (title === 'Upload a build and publish it')
      expect(JSON.parse(stdout).page).toMatchObject({ name: 'nightly', revision: 1 });
  });

  it('has a first call that runs', async () => {
    const [, call = ''] = /^(curl .*\/me")$/m.exec(introduction) ?? [];
    expect(JSON.parse((await run(call)).stdout).name).toBe('admin');
  });

  it('lists every code', () => {
    const listed = [...introduction.matchAll(/^\| `(\w+)` \| \d{3} \| (.+) \|$/gm)].map(
      ([, code, meaning]) => [code, meaning],
    );
    expect(listed).toEqual(Object.entries(problemTitles));
  });
});
