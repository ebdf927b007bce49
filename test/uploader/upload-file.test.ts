import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import type { TestContext } from 'vitest';
import { expect, onTestFinished, test } from 'vitest';
import { UploadError } from '../../src/commands/uploader/upload-error.ts';
import {
  maxResponseBytes,
  type UploadProgress,
  type UploadRequest,
  uploadFile,
} from '../../src/commands/uploader/upload-file.ts';
import { buildForm, type UploadForm } from '../../src/commands/uploader/upload-form.ts';
import { openSource } from '../../src/commands/uploader/upload-source.ts';
import {
  accept,
  afterBodyBytes,
  answer,
  breakConnection,
  errorBody,
  refuse,
} from '../support/receive-upload.ts';
import { noise, startReceiver, temporaryFile } from './upload-test-kit.ts';

const mebibyte = 1024 * 1024;

async function requestFor(
  context: Pick<TestContext, 'onTestFinished'>,
  url: string,
  bytes: Buffer,
  name = 'demo.apk',
): Promise<UploadRequest & { form: UploadForm }> {
  const path = await temporaryFile(context, name, bytes);
  const source = await openSource(path);
  context.onTestFinished(source.close);
  return {
    url: new URL('/api/users/acme/apps', url),
    headers: { Authorization: 'Bearer slw_test' },
    form: buildForm(
      [{ name: 'message', value: 'Über "alles"\r\n--x' }],
      [{ name: 'file', source }],
      'boundary',
    ),
    timeouts: { connectMs: 5_000, continueMs: 10_000, idleMs: 10_000 },
  };
}

const ignore = () => {};

test('the form arrives byte for byte with its exact length, and progress counts every byte', async (context) => {
  const receiver = await startReceiver(context, accept());
  const content = noise(3 * mebibyte + 11);
  const request = await requestFor(context, receiver.url, content, 'odd "name" é.apk');
  const seen: UploadProgress[] = [];
  const { status, text } = await uploadFile(request, (progress) => seen.push({ ...progress }));
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({ error: false });
  const [received] = receiver.received;
  expect(received?.method).toBe('POST');
  expect(received?.path).toBe('/api/users/acme/apps');
  expect(received?.headers).toMatchObject({
    authorization: 'Bearer slw_test',
    expect: '100-continue',
    'content-length': String(request.form.contentLength),
  });
  expect(received?.bodyBytes).toBe(request.form.contentLength);
  expect(received?.parts.map(({ bytes: _bytes, ...rest }) => rest)).toEqual([
    { name: 'message', value: 'Über "alles"\r\n--x' },
    {
      name: 'file',
      fileName: 'odd %22name%22 é.apk',
      contentType: 'application/vnd.android.package-archive',
    },
  ]);
  expect(received?.parts[1]?.bytes?.equals(content)).toBe(true);
  expect(seen[0]).toEqual({ phase: 'connecting', sentBytes: 0, totalBytes: request.form.contentLength });
  expect(seen.at(-1)).toEqual({
    phase: 'answering',
    sentBytes: request.form.contentLength,
    totalBytes: request.form.contentLength,
  });
  expect(
    seen.every(({ sentBytes }, index) => index === 0 || sentBytes >= (seen[index - 1]?.sentBytes ?? 0)),
  ).toBe(true);
});

test.each([401, 403, 413])(
  'a response of %i instead of 100 arrives before any byte of the body',
  async (status) => {
    const context = { onTestFinished };
    const receiver = await startReceiver(context, refuse(status, errorBody('no')));
    const seen: UploadProgress[] = [];
    const request = await requestFor(context, receiver.url, noise(mebibyte));
    const given = await uploadFile(request, (progress) => seen.push({ ...progress }));
    expect(given.status).toBe(status);
    expect(JSON.parse(given.text)).toEqual(errorBody('no'));
    expect(seen.map(({ phase }) => phase)).toEqual(['connecting']);
  },
);

test.each([
  ['keeps reading', 'keep-alive'],
  ['closes at once', 'close'],
])(
  'a response in the middle of the body stops the upload, from a server that %s',
  async (_what, connection) => {
    const context = { onTestFinished };
    const reply = afterBodyBytes(mebibyte, ({ response }) => {
      response.setHeader('Connection', connection);
      answer(response, 507, errorBody('no space'));
    });
    const receiver = await startReceiver(context, reply);
    const request = await requestFor(context, receiver.url, noise(24 * mebibyte));
    const given = await uploadFile(request, ignore);
    expect(given.status).toBe(507);
    expect(JSON.parse(given.text)).toEqual(errorBody('no space'));
    expect(receiver.received[0]?.bodyBytes).toBeLessThan(request.form.contentLength);
  },
);

test('a server that ignores Expect receives the body after a delay', async (context) => {
  // It ignores Expect until the body has arrived.
  const receiver = await startReceiver(context, async ({ request, response, received }) => {
    request.on('data', (chunk: Buffer) => {
      received.bodyBytes += chunk.length;
    });
    await once(request, 'end');
    answer(response, 200, { error: false, results: {} });
  });
  const request = await requestFor(context, receiver.url, noise(mebibyte));
  const given = await uploadFile({ ...request, timeouts: { ...request.timeouts, continueMs: 20 } }, ignore);
  expect(given.status).toBe(200);
  expect(receiver.received[0]?.bodyBytes).toBe(request.form.contentLength);
});

test('a request refused with 417 because of Expect is retried without it', async (context) => {
  const receiver = await startReceiver(context, refuse(417), accept());
  const given = await uploadFile(await requestFor(context, receiver.url, noise(1000)), ignore);
  expect(given.status).toBe(200);
  expect(receiver.received.map(({ headers }) => headers.expect)).toEqual(['100-continue', undefined]);
});

test('redirects are not followed', async (context) => {
  const elsewhere = await startReceiver(context, accept());
  const receiver = await startReceiver(
    context,
    refuse(307, '', { Location: `${elsewhere.url}/api/users/acme/apps` }),
  );
  const given = await uploadFile(await requestFor(context, receiver.url, noise(1000)), ignore);
  expect(given).toMatchObject({ status: 307, location: `${elsewhere.url}/api/users/acme/apps` });
  expect(elsewhere.received).toEqual([]);
});

test('a broken connection reports how much was sent and can be retried', async (context) => {
  const receiver = await startReceiver(context, afterBodyBytes(mebibyte, breakConnection));
  const request = await requestFor(context, receiver.url, noise(24 * mebibyte));
  const fault = await uploadFile(request, ignore).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(UploadError);
  expect(fault).toMatchObject({ isTransient: true });
  expect(String(fault)).toMatch(
    /The connection to http:\/\/127\.0\.0\.1:\d+ broke after [\d.]+ MiB of 24 MiB\./,
  );
});

test('a truncated response is an error', async (context) => {
  const receiver = await startReceiver(context, async ({ readForm, response, request }) => {
    await readForm();
    response.writeHead(200, { 'Content-Length': '1000' });
    response.write('{"error":false', () => request.socket.destroy());
  });
  const given = uploadFile(await requestFor(context, receiver.url, noise(1000)), ignore);
  await expect(given).rejects.toMatchObject({
    isTransient: true,
    message: expect.stringContaining('broke after'),
  });
});

test('an endless response is not read to its end', async (context) => {
  const receiver = await startReceiver(context, async ({ readForm, response }) => {
    await readForm();
    answer(response, 200, ' '.repeat(maxResponseBytes + 1));
  });
  const given = uploadFile(await requestFor(context, receiver.url, noise(1000)), ignore);
  await expect(given).rejects.toThrow(`answered with more than ${maxResponseBytes} bytes`);
});

test('a server that receives the body and does not respond times out', async (context) => {
  const receiver = await startReceiver(context, ({ readForm }) => readForm());
  const request = await requestFor(context, receiver.url, noise(1000));
  const given = uploadFile({ ...request, timeouts: { ...request.timeouts, idleMs: 50 } }, ignore);
  await expect(given).rejects.toMatchObject({
    isTransient: true,
    message: expect.stringContaining('No data was exchanged'),
  });
});

test('a file that grows during the upload never becomes a complete request', async (context) => {
  const path = await temporaryFile(context, 'demo.apk', noise(4 * mebibyte));
  const source = await openSource(path);
  context.onTestFinished(source.close);
  const closed = Promise.withResolvers<boolean>();
  const receiver = await startReceiver(context, ({ goAhead, request, received }) => {
    goAhead();
    request.on('close', () => closed.resolve(request.complete));
    request.on('data', (chunk: Buffer) => {
      if (received.bodyBytes === 0) appendFileSync(path, 'more');
      received.bodyBytes += chunk.length;
    });
  });
  const given = uploadFile(
    {
      url: new URL(receiver.url),
      headers: {},
      form: buildForm([], [{ name: 'file', source }], 'B'),
      timeouts: { connectMs: 5_000, continueMs: 5_000, idleMs: 5_000 },
    },
    ignore,
  );
  await expect(given).rejects.toMatchObject({
    isTransient: false,
    message: expect.stringContaining('was changed while'),
  });
  expect(await closed.promise).toBe(false);
});

test('a server that does not speak HTTP and a closed port are reported', async (context) => {
  const parrot = createTcpServer((socket) => socket.resume().end('SSH-2.0-Parrot\r\n'));
  parrot.listen(0, '127.0.0.1');
  await once(parrot, 'listening');
  const { port } = parrot.address() as AddressInfo;
  const request = await requestFor(context, `http://127.0.0.1:${port}`, noise(10));
  await expect(uploadFile(request, ignore)).rejects.toThrow(
    `The server at http://127.0.0.1:${port} does not speak HTTP`,
  );
  parrot.close();
  await once(parrot, 'close');
  await expect(uploadFile(request, ignore)).rejects.toMatchObject({
    isTransient: true,
    message: `Nothing is listening at http://127.0.0.1:${port}.`,
  });
});
