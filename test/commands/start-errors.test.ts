/** Failed starts: one line that names the setting, and no partial installation. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { builtProgram, type CliResult, createInstallation, type Installation } from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const canBecomeNobody = isRoot && existsSync('/usr/bin/setpriv');

let slipway: Installation;
beforeEach(async () => {
  slipway = await createInstallation('sqlite');
});
afterEach(() => slipway.remove());

const refusal = (why: string | RegExp) => ({
  code: 1,
  stderr: expect.stringMatching(
    new RegExp(`^slipway: [^\\n]*${typeof why === 'string' ? why : why.source}[^\\n]*\\n$`),
  ),
});
const start = (environment: Record<string, string> = {}) => slipway.run(['serve'], { environment });

describe('a refused start', () => {
  it('names a data folder that is a file or is below a file', async () => {
    await writeFile(slipway.dataFolder, '');
    expect(await start()).toMatchObject(refusal(/EEXIST.*mkdir.*\(SLIPWAY_DATA_DIR\)/));
    const below = { SLIPWAY_DATA_DIR: join(slipway.dataFolder, 'below') };
    expect(await start(below)).toMatchObject(refusal(/ENOTDIR.*\(SLIPWAY_DATA_DIR\)/));
  });

  it('names a data folder that cannot receive uploads', async () => {
    await mkdir(slipway.dataFolder);
    await writeFile(join(slipway.dataFolder, 'spool'), '');
    expect(await start()).toMatchObject(refusal(/EEXIST.*spool.*\(SLIPWAY_DATA_DIR\)/));
  });

  it('names the setting of a database that is not a database or is a folder', async () => {
    const path = join(slipway.folder, 'other.sqlite');
    const environment = { SLIPWAY_DATABASE_URL: `sqlite:${path}` };
    await writeFile(path, 'no database'.repeat(1000));
    expect(await start(environment)).toMatchObject(refusal(/other\.sqlite.*\(SLIPWAY_DATABASE_URL\)/));
    await rm(path);
    await mkdir(path);
    expect(await start(environment)).toMatchObject(refusal(/other\.sqlite.*\(SLIPWAY_DATABASE_URL\)/));
  });

  it('names a blob folder that is a file, before it creates an administrator', async () => {
    await mkdir(slipway.dataFolder);
    const blobs = join(slipway.dataFolder, 'blobs');
    await writeFile(blobs, '');
    expect(await start()).toMatchObject({ ...refusal(/blobs.*\(SLIPWAY_DATA_DIR\)/), stdout: '' });
    const elsewhere = { SLIPWAY_BLOB_URL: `file:${join(blobs, 'below')}` };
    expect(await start(elsewhere)).toMatchObject({ ...refusal(/\(SLIPWAY_BLOB_URL\)/), stdout: '' });
    await rm(blobs);
    expect((await slipway.serveInProcess()).output()).toContain('first start');
  });

  it('names the setting of an S3 service or a PostgreSQL server that does not answer', async () => {
    const port = await freePort();
    const s3 = {
      SLIPWAY_BLOB_URL: `s3://bucket?endpoint=http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
    };
    expect(await start(s3)).toMatchObject({ ...refusal(/ECONNREFUSED.*\(SLIPWAY_BLOB_URL\)/), stdout: '' });
    const postgres = { SLIPWAY_DATABASE_URL: `postgres://someone:secret@127.0.0.1:${port}/slipway` };
    const refused = await start(postgres);
    expect(refused).toMatchObject(refusal(/ECONNREFUSED.*\(SLIPWAY_DATABASE_URL\)/));
    expect(refused.stderr).not.toContain('secret');
  });

  it('names the setting of an address that is on another machine, unknown or in use', async () => {
    // RFC 5737 and RFC 2606: addresses and names that no machine has.
    expect(await start({ SLIPWAY_HOST: '203.0.113.7' })).toMatchObject(refusal('SLIPWAY_HOST'));
    expect(await start({ SLIPWAY_HOST: 'nowhere.invalid' })).toMatchObject(refusal('SLIPWAY_HOST'));
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    expect(await start({ SLIPWAY_METRICS: `127.0.0.1:${port}` })).toMatchObject(refusal('SLIPWAY_METRICS'));
  });
});

describe.runIf(runsEverything && isRoot)('a start on a read-only file system', () => {
  let readOnly: string;
  beforeEach(async () => {
    readOnly = await mkdtemp(join(tmpdir(), 'slipway-read-only-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,mode=0755', 'tmpfs', readOnly]);
  });
  afterEach(async () => {
    execFileSync('umount', [readOnly]);
    await rm(readOnly, { recursive: true });
  });
  const remount = (mode: 'ro' | 'rw' = 'ro') => execFileSync('mount', ['-o', `remount,${mode}`, readOnly]);

  it('names the setting of the read-only data folder, database or blobs', async () => {
    const dataFolder = { SLIPWAY_DATA_DIR: join(readOnly, 'data') };
    const database = { SLIPWAY_DATABASE_URL: `sqlite:${join(readOnly, 'slipway.sqlite')}` };
    const blobs = { SLIPWAY_BLOB_URL: `file:${join(readOnly, 'blobs')}` };
    for (const environment of [dataFolder, database, blobs]) {
      await (await slipway.serveInProcess({ environment })).stop();
    }
    remount();
    expect(await start(dataFolder)).toMatchObject(refusal(/EROFS.*\(SLIPWAY_DATA_DIR\)/));
    expect(await start(database)).toMatchObject(refusal(/\(SLIPWAY_DATABASE_URL\)/));
    expect(await start(blobs)).toMatchObject(refusal(/EROFS.*\(SLIPWAY_BLOB_URL\)/));
  });

  it('is not ready while blobs can be read but not written', async () => {
    const environment = { SLIPWAY_BLOB_URL: `file:${join(readOnly, 'blobs')}` };
    const { origin } = await slipway.serveInProcess({ environment });
    const ready = async () => (await fetch(`${origin}/readyz`)).status;
    expect(await ready()).toBe(200);
    remount();
    await expect.poll(ready, { timeout: 20_000, interval: 500 }).toBe(503);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    remount('rw');
    await expect.poll(ready, { timeout: 20_000, interval: 500 }).toBe(200);
  });
});

describe.runIf(runsEverything && canBecomeNobody)(
  'a start by an account without the required permissions',
  () => {
    const startAsNobody = async (): Promise<CliResult> => {
      const command = [process.execPath, builtProgram, 'serve'];
      const child = spawn(
        '/usr/bin/setpriv',
        [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', ...command],
        { cwd: '/', env: { ...slipway.environment, HOME: '/' } },
      );
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (text) => (stdout += text));
      child.stderr.on('data', (text) => (stderr += text));
      const [code, signal] = await once(child, 'close');
      return { code, signal, stdout, stderr };
    };
    beforeEach(() => chmod(slipway.folder, 0o755));

    it('names a data folder that it cannot create', async () => {
      expect(await startAsNobody()).toMatchObject(refusal(/EACCES.*mkdir.*\(SLIPWAY_DATA_DIR\)/));
      expect(existsSync(slipway.dataFolder)).toBe(false);
    });

    it('names a data folder that another account owns', async () => {
      await mkdir(slipway.dataFolder);
      await chmod(slipway.dataFolder, 0o777);
      expect(await startAsNobody()).toMatchObject(refusal(/EPERM.*chmod.*\(SLIPWAY_DATA_DIR\)/));
    });

    it('names the settings of a secret that it cannot read', async () => {
      await mkdir(slipway.dataFolder);
      await chown(slipway.dataFolder, nobody, nobody);
      await writeFile(join(slipway.dataFolder, 'secret'), 'f'.repeat(64), { mode: 0o600 });
      expect(await startAsNobody()).toMatchObject(refusal(/EACCES.*secret.*SLIPWAY_SECRET\)/));
    });

    it('names the setting of a database that it can read but not write', async () => {
      await slipway.runJson(['migrate']);
      await chown(slipway.dataFolder, nobody, nobody);
      await chmod(join(slipway.dataFolder, 'slipway.sqlite'), 0o644);
      expect(await startAsNobody()).toMatchObject(refusal(/\(SLIPWAY_DATA_DIR\)/));
    });
  },
);
