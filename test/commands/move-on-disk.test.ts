/** `slipway move` from one disk to another; `move.test.ts` moves to PostgreSQL and S3. */
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { createInstallation, type Installation } from '../support/run-cli.ts';

const key = 'key-of-the-administrator-in-the-move-test';

describe('moving an installation to another disk', () => {
  let slipway: Installation;
  let file: URL;
  beforeAll(async () => {
    slipway = await createInstallation('sqlite');
    slipway.environment.SLIPWAY_ADMIN_API_KEY = key;
  });
  afterAll(() => slipway.remove());

  const there = () => join(slipway.folder, 'there');
  const target = () => [
    ...['--database-url', `sqlite:${join(there(), 'slipway.sqlite')}`],
    ...['--blob-url', `file:${join(there(), 'blobs')}`],
  ];
  const refusal = async (args: string[], environment: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await slipway.run(['move', ...args], { environment });
    expect([stdout, stderr.trim().split('\n')]).toEqual(['', [expect.stringMatching(/^slipway: /)]]);
    return [code, stderr];
  };

  it('is refused while the server runs, but the files can be copied ahead', async () => {
    const server = await slipway.serveInProcess();
    const body = new FormData();
    body.set('file', new File([new Uint8Array(buildApk())], 'app.apk'));
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${server.origin}/api/users/admin/apps`, { method: 'POST', headers, body });
    file = new URL((await answer.json()).results.file);
    expect(await refusal(target())).toEqual([1, expect.stringContaining('is in use: stop the server first')]);
    expect(existsSync(there())).toBe(false);
    const ahead = await slipway.run(['move', ...target(), '--ahead']);
    expect(ahead).toMatchObject({ code: 0, stderr: '' });
    expect(ahead.stdout).toMatch(/^Files: 1 \(.*\), 1 copied, 0 already present\.\n/);
    expect(ahead.stdout).toContain('Nothing else has changed.');
    await server.stop();
    await rm(there(), { recursive: true });
  });

  it('explains what prevents the move and leaves nothing behind', async () => {
    expect(await refusal([])).toEqual([2, expect.stringContaining('nothing to move: set another location')]);
    const settings = join(slipway.folder, 'other.env');
    expect(await refusal(['--settings', settings])).toEqual([1, expect.stringContaining('cannot be read')]);
    await writeFile(settings, `SLIPWAY_SECRET=${'x'.repeat(40)}\nSLIPWAY_BLOB_URL=file:${there()}\n`);
    expect(await refusal(['--settings', settings])).toEqual([
      1,
      expect.stringContaining('is not the secret of this installation'),
    ]);
    await writeFile(settings, 'SLIPWAY_BLOB_URL=s3:///\nSLIPWAY_DATABASE_URL=mysql://x\n');
    const { stderr } = await slipway.run(['move', '--settings', settings]);
    expect(stderr).toMatch(/SLIPWAY_DATABASE_URL must be sqlite:[\s\S]*SLIPWAY_BLOB_URL: must name a bucket/);
    expect(existsSync(there())).toBe(false);
  });

  it('moves rows and files, and a server that knows the secret answers from there', async () => {
    const [moved] = await slipway.runJson(['move', ...target(), '--verify']);
    expect(moved).toMatchObject({
      files: { count: 1, copied: 1, present: 0, verified: 1 },
      database: { rows: expect.any(Number) },
      secret: 'file',
    });
    expect(await refusal(target())).toEqual([
      1,
      expect.stringMatching(/the target database is not empty, it contains \w+/),
    ]);
    const secret = (await readFile(join(slipway.dataFolder, 'secret'), 'utf8')).trim();
    const environment = { SLIPWAY_DATA_DIR: there(), SLIPWAY_SECRET: secret };
    const server = await slipway.serveInProcess({ environment });
    expect((await fetch(`${server.origin}${file.pathname}${file.search}`)).status).toBe(200);
    expect(server.output()).not.toContain('first start');
  });
});
