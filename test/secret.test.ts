import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSecret } from '../src/secret.ts';

describe('the secret that signs links', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-secret-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is made once, for its owner alone, and read from then on', async () => {
    const secret = await readSecret(folder, null);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await readSecret(folder, null)).toBe(secret);
    expect((await stat(join(folder, 'secret'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, 'secret'), 'utf8')).toBe(`${secret}\n`);
  });

  it('is one and the same for many that start at once', async () => {
    const secrets = await Promise.all(Array.from({ length: 20 }, () => readSecret(folder, null)));
    expect(new Set(secrets).size).toBe(1);
    expect(await readdir(folder)).toEqual(['secret']);
  });

  it('is the one of the settings where they name one, and then none is kept', async () => {
    expect(await readSecret(folder, 'from the settings')).toBe('from the settings');
    expect(await readdir(folder)).toEqual([]);
  });
});
