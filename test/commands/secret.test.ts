/** `slipway secret`, and every command that reads the secret. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { createInstallation, type Installation, type RunningServer } from '../support/run-cli.ts';

const adminKey = 'key-of-the-administrator-in-the-secret-test';

describe('slipway secret', () => {
  let slipway: Installation;
  beforeEach(async () => {
    slipway = await createInstallation('sqlite');
    slipway.environment.SLIPWAY_ADMIN_API_KEY = adminKey;
  });
  afterEach(() => slipway.remove());

  const secretFile = (name = 'secret') => join(slipway.dataFolder, name);
  const linkFrom = async ({ origin }: RunningServer) => {
    const body = new FormData();
    body.set('file', new File([new Uint8Array(buildApk())], 'app.apk'));
    const headers = { Authorization: `Bearer ${adminKey}` };
    const answer = await fetch(`${origin}/api/users/admin/apps`, { method: 'POST', headers, body });
    const { pathname, search } = new URL((await answer.json()).results.file);
    return pathname + search;
  };
  const statusOf = async ({ origin }: RunningServer, link: string) => (await fetch(origin + link)).status;

  it('rotates while links keep working, keeps both secrets in a backup, and retires the previous one', async () => {
    const first = await slipway.serveInProcess();
    const link = await linkFrom(first);
    const before = await readFile(secretFile(), 'utf8');
    expect(await slipway.runJson(['secret', 'rotate', '--json'])).toEqual([{ rotated: true }]);
    expect(await readFile(secretFile(), 'utf8')).not.toBe(before);
    expect(await readFile(secretFile('secret.previous'), 'utf8')).toBe(before);
    await first.stop();

    const backup = join(slipway.folder, 'backup');
    await slipway.runJson(['backup', backup, '--json']);
    expect(await readFile(join(backup, 'secret.previous'), 'utf8')).toBe(before);
    const elsewhere = { SLIPWAY_DATA_DIR: join(slipway.folder, 'restored') };
    await slipway.runJson(['restore', backup, '--json'], { environment: elsewhere });
    expect(await readFile(join(elsewhere.SLIPWAY_DATA_DIR, 'secret.previous'), 'utf8')).toBe(before);

    const second = await slipway.serveInProcess();
    expect(await statusOf(second, link)).toBe(200);
    await second.stop();
    expect(await slipway.runJson(['secret', 'retire', '--json'])).toEqual([{ retired: true, resealed: 0 }]);
    const third = await slipway.serveInProcess();
    expect(await statusOf(third, link)).toBe(404);
    await third.stop();
    expect(await slipway.runJson(['secret', 'retire', '--json'])).toEqual([{ retired: false, resealed: 0 }]);
  });

  it('must be valid for every command that reads it from the file, and can be rotated if it is not', async () => {
    await slipway.runJson(['migrate']);
    for (const short of ['', 'too short']) {
      await writeFile(secretFile(), short);
      for (const args of [['serve'], ['doctor'], ['move', '--blob-url', 'file:elsewhere']]) {
        const { code, stderr } = await slipway.run(args);
        expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining('at least 32 are required')]);
        expect(stderr).toContain('slipway secret rotate');
      }
    }
    await slipway.runJson(['secret', 'rotate', '--json']);
    await (await slipway.serveInProcess()).stop();
    await slipway.runJson(['secret', 'retire', '--json']);
  });

  it('must be that of the installation, unless it was reset, and is never created instead of a missing one', async () => {
    await (await slipway.serveInProcess()).stop();
    const first = (await readFile(secretFile(), 'utf8')).trim();
    await rename(secretFile(), secretFile('moved'));
    const missing = await slipway.run(['serve']);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining('this node has no secret, but the installation has one'),
    ]);
    await expect(readFile(secretFile())).rejects.toThrow('ENOENT');

    const other = { SLIPWAY_SECRET: 'x'.repeat(64) };
    const refused = await slipway.run(['serve'], { environment: other });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('the secret of this node is not that of the installation'),
    ]);
    expect(refused.stderr).not.toContain('xxxx');
    // During a rotation, the server has both secrets.
    const rotation = { ...other, SLIPWAY_PREVIOUS_SECRET: first };
    await (await slipway.serveInProcess({ environment: rotation })).stop();
    await (await slipway.serveInProcess({ environment: other })).stop();
    expect((await slipway.run(['serve'], { environment: { SLIPWAY_SECRET: first } })).code).toBe(1);

    expect(await slipway.runJson(['secret', 'reset', '--json'])).toEqual([{ reset: true }]);
    expect(await slipway.runJson(['secret', 'reset', '--json'])).toEqual([{ reset: false }]);
    await (await slipway.serveInProcess({ environment: { SLIPWAY_SECRET: first } })).stop();
    expect((await slipway.run(['serve'], { environment: other })).code).toBe(1);
  });
});
