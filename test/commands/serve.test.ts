import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { fetchSignIn } from '../support/fetch-sign-in.ts';
import { multipart } from '../support/multipart-body.ts';
import { builtProgram, createInstallation, type Installation, jsonLines } from '../support/run-cli.ts';
import { dialects } from '../support/test-database.ts';

const slowestStartMs = 5000;
/** Several processes are started in turn. */
const slow = { timeout: 120_000 };
const terminalProgram = '/usr/bin/script';
const oldNode = '/usr/bin/node';

const list = (origin: string, key: string) =>
  fetch(`${origin}/api/organizations`, { headers: { authorization: `Bearer ${key}` } });

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

const permissions = async (path: string) => (await stat(path)).mode & 0o777;

describe('serve', () => {
  let slipway: Installation;
  beforeEach(async () => {
    slipway = await createInstallation('sqlite');
  });
  afterEach(() => slipway.remove());

  const firstStart = () => join(slipway.dataFolder, 'first-start.txt');
  const secretsIn = (text: string) => ({
    password: /Password {2}(\S+)/.exec(text)?.[1] ?? '',
    key: /API key {3}(slw_\S+)/.exec(text)?.[1] ?? '',
    command: /^ +(curl .*)$/m.exec(text)?.[1] ?? '',
  });

  it('refuses a second server on the same data folder or database, and names the first', slow, async () => {
    const first = await slipway.serve();
    const elsewhere = join(slipway.folder, 'elsewhere');
    const database = `sqlite:${join(slipway.dataFolder, 'slipway.sqlite')}`;
    const byDatabase = { SLIPWAY_DATA_DIR: elsewhere, SLIPWAY_DATABASE_URL: database };
    const byFolder = { SLIPWAY_DATABASE_URL: `sqlite:${join(slipway.folder, 'other.sqlite')}` };
    for (const environment of [{}, byDatabase, byFolder]) {
      const second = await slipway.run(['serve'], { environment });
      expect(second).toMatchObject({ code: 1, stdout: '' });
      expect(second.stderr).toMatch(
        new RegExp(
          `^slipway: another server uses \\S+lock: process ${first.process.pid} on \\S+, since \\S+Z\\n$`,
        ),
      );
    }
    expect((await slipway.run(['sweep'])).code).toBe(0);
    await first.stop('SIGKILL');
    expect((await (await slipway.serve()).stop()).code).toBe(0);
  });

  it(
    'keeps a body that a running server is receiving, despite a second server or a sweep, whatever its date',
    slow,
    async () => {
      const first = await slipway.serve();
      const { key } = secretsIn(await readFile(firstStart(), 'utf8'));
      const { contentType, body } = multipart([
        { name: 'file', content: buildApk({ fillerBytes: 3_000_000 }), fileName: 'app.apk' },
      ]);
      const upload = httpRequest(`${first.origin}/api/users/admin/apps`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': contentType,
          'content-length': body.length,
        },
      });
      const answered = once(upload, 'response');
      upload.write(body.subarray(0, 2_000_000));
      const spool = join(slipway.dataFolder, 'spool');
      const received = async () => {
        const names = await readdir(spool).catch(() => []);
        const sizes = await Promise.all(names.map(async (name) => (await stat(join(spool, name))).size));
        return sizes.some((size) => size > 0) ? names : [];
      };
      const names = await vi.waitUntil(async () => {
        const found = await received();
        return found.length > 0 && found;
      });
      for (const name of names) await utimes(join(spool, name), 1000, 1000);
      expect((await slipway.run(['serve'])).code).toBe(1);
      expect((await slipway.run(['sweep'])).code).toBe(0);
      expect(await received()).toEqual(names);
      upload.end(body.subarray(2_000_000));
      const [response] = await answered;
      expect(response.statusCode).toBe(200);
      response.resume();
      await first.stop();
    },
  );

  it.skipIf(process.platform !== 'linux').each(['SIGTERM', 'SIGKILL'] as const)(
    'starts package readers without settings, outlives them and leaves none behind at %s (needs /proc)',
    async (signal) => {
      const key = 'slw_key-of-this-test-alone';
      const server = await slipway.serve({ environment: { SLIPWAY_ADMIN_API_KEY: key } });
      const pid = server.process.pid ?? 0;
      const upload = async (packageName: string) => {
        const form = new FormData();
        form.append('file', new File([new Uint8Array(buildApk({ packageName }))], 'a.apk'));
        const init = { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: form };
        return (await fetch(`${server.origin}/api/users/admin/apps`, init)).status;
      };
      expect(await upload('com.example.first')).toBe(200);
      for (const child of await childrenOf(pid)) {
        expect(await readFile(`/proc/${child}/environ`, 'utf8')).not.toMatch(/SLIPWAY|PATH|HOME/);
        process.kill(child, 'SIGKILL');
      }
      expect(await upload('com.example.second')).toBe(200);
      const children = await childrenOf(pid);
      expect(children).not.toEqual([]);
      await server.stop(signal);
      await expect
        .poll(() => children.filter((child) => existsSync(`/proc/${child}`)), { timeout: 10_000 })
        .toEqual([]);
    },
  );

  it('writes first-start secrets to a file that only its owner can read and logs only the path, without a terminal', async () => {
    const server = await slipway.serve();
    const text = await readFile(firstStart(), 'utf8');
    const { password, key, command } = secretsIn(text);
    expect(await permissions(firstStart())).toBe(0o600);
    expect(await permissions(slipway.dataFolder)).toBe(0o700);
    expect(await permissions(join(slipway.dataFolder, 'secret'))).toBe(0o600);
    expect(server.output()).toContain(firstStart());
    expect(server.output()).not.toContain(password);
    expect(server.output()).not.toContain(key);
    expect(text).toContain(`Address   ${server.origin}`);
    expect((await list(server.origin, key)).status).toBe(200);
    await writeFile(join(slipway.folder, 'app.apk'), buildApk({ packageName: 'com.example.pasted' }));
    expect(await shell(command, slipway.folder)).toMatchObject({
      results: { package_name: 'com.example.pasted', revision: 1 },
    });
    expect((await fetchSignIn(server.origin, 'admin', 'not the password')).status).toBe(401);
    expect(existsSync(firstStart())).toBe(true);
    expect((await fetchSignIn(server.origin, 'admin', password)).status).toBe(303);
    expect(existsSync(firstStart())).toBe(false);
    expect((await server.stop()).code).toBe(0);

    const second = await slipway.serve();
    expect(second.output()).not.toMatch(/first start|slw_/);
    expect(existsSync(firstStart())).toBe(false);
    expect((await list(second.origin, key)).status).toBe(200);
  });

  it('replaces a file from an earlier installation with one that only its owner can read', async () => {
    const server = await slipway.serve();
    await server.stop();
    await writeFile(firstStart(), 'old');
    await chmod(firstStart(), 0o644);
    for (const end of ['', '-wal', '-shm'])
      await rm(join(slipway.dataFolder, `slipway.sqlite${end}`), { force: true });
    await slipway.serve();
    expect(await permissions(firstStart())).toBe(0o600);
    expect(secretsIn(await readFile(firstStart(), 'utf8')).key).toMatch(/^slw_/);
  });

  it.skipIf(!existsSync(terminalProgram))(
    'shows address, name, password, key and a working command on the first start on a terminal, and none on the second',
    async () => {
      const first = await onTerminal(slipway, async (shown) => {
        const { password, key, command } = secretsIn(shown);
        const [, address = ''] = /Address +(\S+)/.exec(shown) ?? [];
        expect(shown).toMatch(/Name +admin/);
        expect(shown).toContain(`Slipway is ready on ${address}`);
        await writeFile(join(slipway.folder, 'app.apk'), buildApk({ packageName: 'com.example.terminal' }));
        expect(await shell(command, slipway.folder)).toMatchObject({ error: false });
        expect((await list(address, key)).status).toBe(200);
        expect((await fetchSignIn(address, 'admin', password)).status).toBe(303);
      });
      expect(existsSync(firstStart())).toBe(false);
      const second = await onTerminal(slipway, async () => undefined);
      expect(second).not.toMatch(/slw_|Password|API key/);
      expect(second).not.toContain(secretsIn(first).password);
    },
  );

  it('creates the administrator from the settings and writes none of the secrets', async () => {
    const environment = {
      SLIPWAY_ADMIN_NAME: 'chief',
      SLIPWAY_ADMIN_EMAIL: 'chief@example.com',
      SLIPWAY_ADMIN_PASSWORD: 'chosen by the operator',
      SLIPWAY_ADMIN_API_KEY: 'chosen-by-the-operator-too',
    };
    const server = await slipway.serve({ environment });
    expect((await list(server.origin, environment.SLIPWAY_ADMIN_API_KEY)).status).toBe(200);
    expect(
      (await fetchSignIn(server.origin, 'chief@example.com', environment.SLIPWAY_ADMIN_PASSWORD)).status,
    ).toBe(303);
    const { stdout } = await server.stop();
    expect(stdout).not.toMatch(/chosen/);
    // They apply only while there is no user.
    const later = { SLIPWAY_ADMIN_NAME: 'other', SLIPWAY_ADMIN_API_KEY: 'another-key-of-the-operator' };
    const second = await slipway.serve({ environment: later });
    expect((await list(second.origin, later.SLIPWAY_ADMIN_API_KEY)).status).toBe(401);
  });

  it('refuses to start with an invalid administrator key instead of creating an administrator without one', async () => {
    const refused = await slipway.run(['serve'], { environment: { SLIPWAY_ADMIN_API_KEY: 'short' } });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/SLIPWAY_ADMIN_API_KEY: a key must have 20 to 512 characters/);
    const server = await slipway.serve();
    const { key } = secretsIn(await readFile(firstStart(), 'utf8'));
    expect((await list(server.origin, key)).status).toBe(200);
  });

  it('reads .env from the working folder; the environment takes precedence', async () => {
    const lines = [
      'SLIPWAY_ADMIN_NAME=from-file',
      'SLIPWAY_ADMIN_API_KEY="a key in the file is quoted"',
      'SLIPWAY_MAX_UPLOAD=1KiB',
    ];
    await writeFile(join(slipway.folder, '.env'), `${lines.join('\n')}\n`);
    const environment = { SLIPWAY_ADMIN_API_KEY: 'the-key-of-the-environment' };
    const server = await slipway.serve({ environment });
    const large = new FormData();
    large.set('file', new File([Buffer.alloc(8_000_000)], 'large.apk'));
    const headers = { authorization: `Bearer ${environment.SLIPWAY_ADMIN_API_KEY}` };
    const answer = await fetch(`${server.origin}/api/users/from-file/apps`, {
      method: 'POST',
      headers,
      body: large,
    });
    expect(answer.status).toBe(413);
  });

  it('warns about an unknown setting', async () => {
    const server = await slipway.serve({ environment: { SLIPWAY_PROT: '1' } });
    expect(server.output()).toContain('SLIPWAY_PROT is not a setting of this version of Slipway.');
  });

  it('reports that the port is in use, and keeps the first secrets for the next start', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const refused = await slipway.run(['serve'], { environment: { SLIPWAY_PORT: String(port) } });
    other.close();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toBe(
      `slipway: the address 127.0.0.1:${port} is already in use: choose another with SLIPWAY_PORT\n`,
    );
    const { key } = secretsIn(await readFile(firstStart(), 'utf8'));
    const server = await slipway.serve();
    expect((await list(server.origin, key)).status).toBe(200);
  });

  it('--lan: listens on all addresses and shows one that others on the network can open', async () => {
    const server = await slipway.serve({ args: ['--lan'] });
    const { port } = new URL(server.origin);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
    expect(await readFile(firstStart(), 'utf8')).toContain(server.origin);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s: finishes a running upload and sends its response first',
    async (signal) => {
      const server = await slipway.serve({
        environment: { SLIPWAY_ADMIN_API_KEY: 'key-for-the-slow-upload' },
      });
      const slow = await startSlowUpload(server.origin, 'key-for-the-slow-upload');
      const stopped = server.stop(signal);
      await untilRefused(server.origin);
      expect(server.process.exitCode).toBeNull();
      const answer = await slow.finish();
      expect(answer).toMatchObject({
        status: 200,
        body: { results: { package_name: 'com.example.slow', revision: 1 } },
      });
      expect(await stopped).toMatchObject({ code: 0, signal: null });
      const second = await slipway.serve();
      const file = new URL(answer.body.results.file);
      const stored = await fetch(`${second.origin}${file.pathname}${file.search}`);
      expect(Buffer.from(await stored.arrayBuffer()).equals(slow.apk)).toBe(true);
    },
  );

  it('SLIPWAY_DRAIN_SECONDS: reports not ready and keeps serving until a second signal ends it', async () => {
    const server = await slipway.serve({
      environment: { SLIPWAY_ADMIN_API_KEY: 'key-for-the-slow-upload', SLIPWAY_DRAIN_SECONDS: '300' },
    });
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
    const ended = server.stop();
    await expect
      .poll(async () => (await fetch(`${server.origin}/readyz`)).status, { timeout: 20_000 })
      .toBe(503);
    expect(await (await fetch(`${server.origin}/readyz`)).text()).toContain('this node is shutting down');
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
    const slow = await startSlowUpload(server.origin, 'key-for-the-slow-upload');
    expect((await slow.finish()).status).toBe(200);
    expect(server.process.exitCode).toBeNull();
    const again = setInterval(() => server.process.kill('SIGTERM'), 100);
    expect((await ended).code).toBe(1);
    clearInterval(again);
  });

  it('SLIPWAY_DRAIN_SECONDS: closes the port after the delay and finishes running requests', async () => {
    const drainSeconds = 1;
    const server = await slipway.serve({
      environment: {
        SLIPWAY_ADMIN_API_KEY: 'key-for-the-slow-upload',
        SLIPWAY_DRAIN_SECONDS: String(drainSeconds),
      },
    });
    const slow = await startSlowUpload(server.origin, 'key-for-the-slow-upload');
    const stoppedAt = performance.now();
    const stopped = server.stop();
    await untilRefused(server.origin);
    // The clocks of two processes, each rounded.
    expect(performance.now() - stoppedAt).toBeGreaterThan(drainSeconds * 1000 - 50);
    expect(server.process.exitCode).toBeNull();
    expect((await slow.finish()).status).toBe(200);
    expect(await stopped).toMatchObject({ code: 0, signal: null });
  });

  it('exits immediately on the second signal, and the next start removes partial uploads', async () => {
    const server = await slipway.serve({ environment: { SLIPWAY_ADMIN_API_KEY: 'key-for-the-slow-upload' } });
    const slow = await startSlowUpload(server.origin, 'key-for-the-slow-upload');
    slow.request.on('error', () => undefined);
    void server.stop();
    await untilRefused(server.origin);
    const startedAt = performance.now();
    // A terminal's Ctrl-C may reach the process twice, so a second signal counts only after a delay.
    const again = setInterval(() => server.process.kill('SIGTERM'), 100);
    const end = await server.ended;
    clearInterval(again);
    expect(performance.now() - startedAt).toBeLessThan(slowestStartMs);
    expect(end.code).toBe(1);
  });

  it('is ready quickly with an existing database', async () => {
    await (await slipway.serve()).stop();
    const server = await slipway.serve();
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
    expect(server.startMs).toBeLessThan(slowestStartMs);
  });

  it('logs one JSON object per line', async () => {
    const server = await slipway.serve();
    await fetch(`${server.origin}/healthz`);
    const { stdout, stderr } = await server.stop();
    expect(stderr).toBe('');
    expect(jsonLines(stdout).length).toBeGreaterThanOrEqual(3);
  });

  it.skipIf(!existsSync(oldNode))('reports to users of an older Node which version it needs', async () => {
    const child = spawn(oldNode, [builtProgram, 'serve'], {
      cwd: slipway.folder,
      env: slipway.environment,
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    if (/^v(2[4-9]|[3-9]\d)/.test(/this is (v\d+)/.exec(stderr)?.[1] ?? '')) return;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^slipway needs Node 24 or newer; this is v[\d.]+\. In a clone, npm start brings its own\.\n$/,
    );
  });
});

describe.each(dialects)('serve on %s', (dialect) => {
  let slipway: Installation;
  beforeEach(async () => {
    slipway = await createInstallation(dialect);
  });
  afterEach(() => slipway.remove());

  it.runIf(dialect === 'postgres')(
    'creates one schema and one administrator when two servers start concurrently',
    async () => {
      const folders = ['one', 'other'].map((name) => join(slipway.folder, name));
      const servers = await Promise.all(
        folders.map((folder) => slipway.serve({ environment: { SLIPWAY_DATA_DIR: folder } })),
      );
      expect(servers.filter((server) => /first start/.test(server.output()))).toHaveLength(1);
      const secrets = folders.map((folder) => join(folder, 'first-start.txt')).filter(existsSync);
      expect(secrets).toHaveLength(1);
      const key = /API key {3}(slw_\S+)/.exec(await readFile(secrets[0] ?? '', 'utf8'))?.[1];
      for (const { origin } of servers) expect((await list(origin, key ?? '')).status).toBe(200);
    },
  );

  it('lets one of two processes migrate an empty database', async () => {
    const ends = await Promise.all([1, 2, 3].map(() => slipway.runJson(['migrate'])));
    const applied = ends.flat().flatMap((line) => line.applied);
    expect(applied).toContain('0001-first');
    expect(new Set(applied).size).toBe(applied.length);
  });
});

async function shell(command: string, folder: string): Promise<unknown> {
  const child = spawn('sh', ['-c', `${command} --silent --show-error`], { cwd: folder });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  await once(child, 'close');
  return JSON.parse(text);
}

/** Starts the server on a pseudo-terminal, runs `work`, stops it and returns the terminal output. */
async function onTerminal(slipway: Installation, work: (shown: string) => Promise<void>): Promise<string> {
  const command = `exec ${process.execPath} ${builtProgram} serve`;
  const child = spawn(terminalProgram, ['-qec', command, '/dev/null'], {
    cwd: slipway.folder,
    env: { ...slipway.environment, TERM: 'xterm' },
  });
  const ended = once(child, 'close');
  let shown = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      shown += text.replaceAll('\r\n', '\n');
      if (/is ready on .*\n/.test(shown)) resolve();
    });
    void ended.then(() => reject(new Error(`it ended:\n${shown}`)));
  });
  await work(shown);
  // The terminal converts this byte to SIGINT.
  child.stdin.write('\x03');
  await ended;
  return shown;
}

interface SlowUpload {
  apk: Buffer;
  request: ReturnType<typeof httpRequest>;
  finish(): Promise<{ status: number | undefined; body: { results: { file: string } } }>;
}

/** An upload whose first half the server has received. */
async function startSlowUpload(origin: string, key: string): Promise<SlowUpload> {
  const apk = buildApk({ packageName: 'com.example.slow', fillerBytes: 500_000 });
  const head =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.apk"\r\nContent-Type: application/octet-stream\r\n\r\n';
  const request = httpRequest(`${origin}/api/users/admin/apps`, {
    method: 'POST',
    // Keeps its connection open like a proxy.
    agent: new Agent({ keepAlive: true }),
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'multipart/form-data; boundary=b',
      expect: '100-continue',
    },
  });
  request.flushHeaders();
  await once(request, 'continue');
  request.write(head);
  await new Promise<void>((resolve) => request.write(apk.subarray(0, 250_000), () => resolve()));
  return {
    apk,
    request,
    finish: async () => {
      const answered = once(request, 'response');
      request.write(apk.subarray(250_000));
      request.end('\r\n--b--\r\n');
      const [response] = await answered;
      let text = '';
      for await (const piece of response) text += piece;
      return { status: response.statusCode, body: JSON.parse(text) };
    },
  };
}

/** Resolves when the server accepts no more connections because it is stopping. */
async function untilRefused(origin: string): Promise<void> {
  for (;;) {
    const refused = await fetch(`${origin}/healthz`).then(
      (answer) => answer.status === 503,
      () => true,
    );
    if (refused) return;
  }
}
