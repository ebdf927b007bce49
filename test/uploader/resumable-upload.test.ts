/** A large upload by the single-file program, through a proxy of the test, to a server that is killed again and again. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { uploadChunkBytes } from '../../src/commands/uploader/resumable-upload.ts';
import { buildApk } from '../support/build-apk.ts';
import {
  builtUploader,
  createInstallation,
  type Installation,
  type ServerProcess,
} from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { noise } from './upload-test-kit.ts';

const key = 'key-of-the-resumable-uploads';
const mebibyte = 1024 * 1024;
let slipway: Installation;
let server: ServerProcess;
const serve = () => slipway.serve({ environment: { SLIPWAY_ADMIN_API_KEY: key } });

beforeAll(async () => {
  slipway = await createInstallation('sqlite');
  server = await serve();
}, 60_000);
afterAll(() => slipway.remove());

/** Counts what the uploader sends, and calls `passed` with the total. */
async function startProxy(passed: (bytes: number) => void) {
  let total = 0;
  const open = new Set<Socket>();
  const proxy = createServer((client) => {
    const target = connect(Number(new URL(server.origin).port), '127.0.0.1');
    for (const socket of [client, target]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => [client, target].forEach((each) => void each.destroy()));
    }
    client.on('data', (bytes) => {
      total += bytes.length;
      passed(total);
    });
    client.pipe(target).pipe(client);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    proxy.close();
    await once(proxy, 'close');
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, sent: () => total };
}

function run(argv: string[], url: string, node = process.execPath) {
  const env = { PATH: process.env.PATH, SLIPWAY_URL: url, SLIPWAY_API_KEY: key };
  const child = spawn(node, [builtUploader, ...argv, '-o', 'admin', '--json'], { env, cwd: slipway.folder });
  const ended = { out: '', err: '' };
  child.stdout.on('data', (text) => (ended.out += text));
  child.stderr.on('data', (text) => (ended.err += text));
  const done = once(child, 'close').then(([exitCode]) => ({ ...ended, exitCode: exitCode as number | null }));
  return { child, done };
}

async function writeApk(name: string, mebibytes: number) {
  const path = join(slipway.folder, name);
  const extraEntries = [{ name: 'assets/noise.bin', content: noise(mebibytes * mebibyte) }];
  await writeFile(path, buildApk({ packageName: 'com.example.large', extraEntries }));
  return path;
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test.skipIf(!runsEverything)(
  'arrives byte for byte although the server is killed eight times, and repeats only what was not acknowledged',
  async () => {
    const path = await writeApk('large.apk', 200);
    const { size } = await stat(path);
    const kills = 8;
    let killed = 0;
    let restarting = Promise.resolve();
    const proxy = await startProxy((total) => {
      if (killed === kills || total < ((killed + 1) * size) / (kills + 1)) return;
      killed += 1;
      restarting = restarting.then(async () => {
        await server.stop('SIGKILL');
        server = await serve();
      });
    });
    const { exitCode, out, err } = await run(['large.apk', '--page', 'main'], proxy.url).done;
    await restarting;
    expect(exitCode, err).toBe(0);
    expect(killed).toBe(kills);
    const { results, revision } = JSON.parse(out);
    expect({ revision, size: results.file_size }).toEqual({ revision: 1, size });
    const [build] = (await api('/api/v1/apps/admin/android/com.example.large/builds')).data;
    expect(build?.sha256).toBe(digest(await readFile(path)));
    const repeated = proxy.sent() - size;
    expect(repeated).toBeLessThan(kills * uploadChunkBytes + mebibyte);
    expect(err).toMatch(/Trying again in \d+ s \(\d+ of 10\)/);
  },
  300_000,
);

async function api(path: string) {
  const answer = await fetch(`${server.origin}${path}`, { headers: { Authorization: `Bearer ${key}` } });
  return (await answer.json()) as { data: { sha256: string }[] };
}

test.skipIf(!runsEverything)(
  'is terminated on the server when the program is interrupted',
  async () => {
    await writeApk('stopped.apk', 80);
    let stop = () => {};
    const proxy = await startProxy((total) => {
      if (total > 20 * mebibyte) stop();
    });
    const { child, done } = run(['stopped.apk'], proxy.url);
    stop = () => {
      stop = () => {};
      child.kill('SIGINT');
    };
    const { exitCode, err } = await done;
    expect(exitCode, err).toBe(130);
    expect(err).toContain('Not uploaded: Interrupted; nothing was published.');
    const files = await filesIn(join(slipway.dataFolder, 'blobs/.incoming'));
    expect(files).toEqual([]);
  },
  120_000,
);

async function filesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
