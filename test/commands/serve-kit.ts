/** Helpers for tests of `slipway serve`, in this process and as a process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { vi } from 'vitest';
import { buildApk } from '../support/build-apk.ts';

export const slowKey = 'key-for-the-slow-upload';

export const list = (origin: string, key: string) =>
  fetch(`${origin}/api/organizations`, { headers: { authorization: `Bearer ${key}` } });

export const permissions = async (path: string) => (await stat(path)).mode & 0o777;

/** The secrets of a first start, as a file or a terminal shows them. */
export const secretsIn = (text: string) => ({
  password: /Password {2}(\S+)/.exec(text)?.[1] ?? '',
  key: /API key {3}(slw_\S+)/.exec(text)?.[1] ?? '',
  command: /^ +(curl .*)$/m.exec(text)?.[1] ?? '',
});

/** Runs a command that prints JSON. */
export async function shell(command: string, folder: string): Promise<unknown> {
  const child = spawn('sh', ['-c', `${command} --silent --show-error`], { cwd: folder });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  await once(child, 'close');
  return JSON.parse(text);
}

export interface SlowUpload {
  apk: Buffer;
  request: ReturnType<typeof httpRequest>;
  finish(): Promise<{ status: number | undefined; body: { results: { file: string } } }>;
}

/** An upload whose first half the server has received. */
export async function startSlowUpload(origin: string): Promise<SlowUpload> {
  const apk = buildApk({ packageName: 'com.example.slow', fillerBytes: 500_000 });
  const head =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.apk"\r\nContent-Type: application/octet-stream\r\n\r\n';
  const request = httpRequest(`${origin}/api/users/admin/apps`, {
    method: 'POST',
    // Keeps its connection open like a proxy.
    agent: new Agent({ keepAlive: true }),
    headers: {
      authorization: `Bearer ${slowKey}`,
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
export async function untilRefused(origin: string): Promise<void> {
  const refused = () =>
    fetch(`${origin}/healthz`).then(
      (answer) => answer.status === 503,
      () => true,
    );
  await vi.waitUntil(refused, { timeout: 20_000, interval: 20 });
}
