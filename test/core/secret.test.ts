import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { findSecret, readSecret, removePreviousSecret, rotateSecretFile } from '../../src/core/secret.ts';

describe('the signing secret', () => {
  let folder: string;
  const source = (secret: string | null = null, previousSecret: string | null = null) => ({
    dataFolder: folder,
    secret,
    previousSecret,
  });
  const modeOf = async (name: string) => (await stat(join(folder, name))).mode & 0o777;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-secret-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is created once, readable only by its owner, and reused from then on', async () => {
    const secret = await readSecret(source());
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(await readSecret(source())).toBe(secret);
    expect(await modeOf('secret')).toBe(0o600);
    expect(await readFile(join(folder, 'secret'), 'utf8')).toBe(`${secret}\n`);
  });

  it('is the same for many concurrent starts', async () => {
    const secrets = await Promise.all(Array.from({ length: 20 }, () => readSecret(source())));
    expect(new Set(secrets).size).toBe(1);
    expect(await readdir(folder)).toEqual(['secret']);
  });

  it('comes from the settings if they have one, and is then not stored', async () => {
    const secret = 'from the settings'.repeat(2);
    expect(await readSecret(source(secret))).toBe(secret);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(['', '\n', 'x', 'x'.repeat(31)])(
    'is refused in a file that contains %j, with the commands that rotate it',
    async (short) => {
      await writeFile(join(folder, 'secret'), short);
      for (const read of [readSecret, findSecret]) {
        const refusal = await read(source()).then(String, (error: Error) => error.message);
        expect(refusal).toContain(`${join(folder, 'secret')} has ${short.trim().length} bytes; at least 32`);
        expect(refusal).toMatch(/slipway secret rotate[\s\S]+Start the server[\s\S]+slipway secret retire/);
      }
      await rotateSecretFile(source());
      expect(await readSecret(source())).toEqual({
        current: expect.stringMatching(/^[0-9a-f]{64}$/),
        previous: short.trim(),
      });
    },
  );

  it('is refused in a setting of fewer than 32 bytes, with the steps that rotate it', () => {
    const refusalOf = (SLIPWAY_SECRET: string) => {
      try {
        return readConfig({ SLIPWAY_SECRET }).secret;
      } catch (error) {
        return (error as Error).message;
      }
    };
    const refusal = refusalOf('topsecret');
    expect(refusal).toContain('SLIPWAY_SECRET has 9 bytes; at least 32 are required');
    expect(refusal).toMatch(/openssl rand -hex 32[\s\S]+SLIPWAY_PREVIOUS_SECRET to the current one/);
    expect(refusal).not.toContain('topsecret');
    expect(refusalOf('x'.repeat(31))).toContain('has 31 bytes');
    // The limit applies to bytes, not characters.
    for (const good of ['x'.repeat(32), 'ü'.repeat(16)]) expect(refusalOf(good)).toBe(good);
  });

  it('becomes readable only by its owner, however it was copied', async () => {
    await writeFile(join(folder, 'secret'), 'x'.repeat(32));
    await writeFile(join(folder, 'secret.previous'), 'y'.repeat(32));
    for (const name of ['secret', 'secret.previous']) await chmod(join(folder, name), 0o644);
    expect(await readSecret(source())).toEqual({ current: 'x'.repeat(32), previous: 'y'.repeat(32) });
    expect([await modeOf('secret'), await modeOf('secret.previous')]).toEqual([0o600, 0o600]);
  });

  it('is rotated in its file once; the next rotation waits until the previous secret is retired', async () => {
    const first = await readSecret(source());
    await rotateSecretFile(source());
    const second = await readSecret(source());
    expect(second).toEqual({ current: expect.stringMatching(/^[0-9a-f]{64}$/), previous: first });
    expect([await modeOf('secret'), await modeOf('secret.previous')]).toEqual([0o600, 0o600]);
    await expect(rotateSecretFile(source())).rejects.toThrow('slipway secret retire');
    expect(await readSecret(source())).toEqual(second);
    expect((await readdir(folder)).sort()).toEqual(['secret', 'secret.previous']);

    expect(await removePreviousSecret(source())).toBe(true);
    expect(await readSecret(source())).toBe((second as { current: string }).current);
    expect(await removePreviousSecret(source())).toBe(false);
  });

  it("can't be rotated in a setting, or before it exists", async () => {
    await expect(rotateSecretFile(source('x'.repeat(32)))).rejects.toThrow(
      'Set SLIPWAY_SECRET to the new one',
    );
    await expect(rotateSecretFile(source())).rejects.toThrow('does not exist');
    expect(await readdir(folder)).toEqual([]);
  });

  it('can have a previous one in the settings or a file, but not the same one', async () => {
    const [one, other] = ['x'.repeat(32), 'y'.repeat(32)];
    expect(await readSecret(source(one, other))).toEqual({ current: one, previous: other });
    expect(await readSecret(source(one, one))).toBe(one);
    await writeFile(join(folder, 'secret'), one);
    expect(await readSecret(source(null, other))).toEqual({ current: one, previous: other });
    expect(readConfig({ SLIPWAY_SECRET: one, SLIPWAY_PREVIOUS_SECRET: other })).toMatchObject({
      secret: one,
      previousSecret: other,
    });
  });
});
