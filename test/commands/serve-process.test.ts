/** `slipway serve` as a process: signals, exit codes, and its locks after its death. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { builtProgram, createInstallation, type Installation } from '../support/run-cli.ts';
import { list, secretsIn, shell, slowKey, startSlowUpload, untilRefused } from './serve-kit.ts';

const terminalProgram = '/usr/bin/script';
const oldNode = '/usr/bin/node';

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

describe('the process of serve', { timeout: 120_000 }, () => {
  let slipway: Installation;
  beforeEach(async () => {
    slipway = await createInstallation('sqlite');
  });
  afterEach(() => slipway.remove());

  it.skipIf(process.platform !== 'linux').each(['SIGTERM', 'SIGKILL'] as const)(
    'starts package readers without settings, outlives them and leaves neither them nor its locks behind at %s (needs /proc)',
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
      // The kernel has released the locks of a dead server.
      await slipway.serveInProcess();
    },
  );

  it.skipIf(!existsSync(terminalProgram))(
    'shows the first secrets on a terminal, and ends at Ctrl-C',
    async () => {
      await onTerminal(slipway, async (shown) => {
        const { key, command } = secretsIn(shown);
        const [, address = ''] = /Address +(\S+)/.exec(shown) ?? [];
        expect(shown).toContain(`Slipway is ready on ${address}`);
        await writeFile(join(slipway.folder, 'app.apk'), buildApk({ packageName: 'com.example.terminal' }));
        expect(await shell(command, slipway.folder)).toMatchObject({ error: false });
        expect((await list(address, key)).status).toBe(200);
      });
      expect(existsSync(join(slipway.dataFolder, 'first-start.txt'))).toBe(false);
    },
  );

  it('SIGTERM: finishes a running upload, whose file the next server has, and exits with 0', async () => {
    const server = await slipway.serve({ environment: { SLIPWAY_ADMIN_API_KEY: slowKey } });
    const slow = await startSlowUpload(server.origin);
    const stopped = server.stop();
    await untilRefused(server.origin);
    expect(server.process.exitCode).toBeNull();
    const answer = await slow.finish();
    expect(answer.status).toBe(200);
    expect(await stopped).toMatchObject({ code: 0, signal: null });
    const second = await slipway.serveInProcess();
    const file = new URL(answer.body.results.file);
    const stored = await fetch(`${second.origin}${file.pathname}${file.search}`);
    expect(Buffer.from(await stored.arrayBuffer()).equals(slow.apk)).toBe(true);
  });

  it('exits immediately on the second signal, though it drains and receives', async () => {
    const server = await slipway.serve({
      environment: { SLIPWAY_ADMIN_API_KEY: slowKey, SLIPWAY_DRAIN_SECONDS: '300' },
    });
    const ended = server.stop();
    await expect
      .poll(async () => (await fetch(`${server.origin}/readyz`)).status, { timeout: 20_000 })
      .toBe(503);
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
    const slow = await startSlowUpload(server.origin);
    slow.request.on('error', () => undefined);
    expect(server.process.exitCode).toBeNull();
    // A terminal's Ctrl-C may reach the process twice, so a second signal counts only after a delay.
    const again = setInterval(() => server.process.kill('SIGTERM'), 100);
    expect((await ended).code).toBe(1);
    clearInterval(again);
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

/** Starts the server on a pseudo-terminal, runs `work`, and stops it. */
async function onTerminal(slipway: Installation, work: (shown: string) => Promise<void>): Promise<void> {
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
}
