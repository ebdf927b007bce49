/** A body whose connection ends before it is read: the reader gets the error immediately, however much has arrived. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { readMultipart } from '../../src/http/multipart.ts';
import { openRaw, rawRequest } from '../support/http-client.ts';
import { multipart } from '../support/multipart-body.ts';

const limits = { maxBodyBytes: 1_000_000, maxFieldBytes: 1000, maxParts: 5 };
const reader = { field: () => undefined, file: async () => undefined, isFile: () => false };

it.each([
  ['half', 0.5],
  ['all', 1],
])('rejects a form whose connection breaks after %s of the body', async (_name, share) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { contentType, body } = multipart([{ name: 'a', value: 'b'.repeat(500) }]);
  const connection = await openRaw((server.address() as AddressInfo).port);
  const headers = { 'Content-Type': contentType, 'Content-Length': body.length };
  const asked = once(server, 'request');
  await connection.write(rawRequest('POST', '/', headers, body.subarray(0, body.length * share)));
  const [request]: IncomingMessage[] = await asked;
  if (!request) throw new Error('there is no request');
  // Like the framework.
  request.on('error', () => undefined);
  const gone = new Promise((resolve) => request.socket.once('close', resolve));
  connection.destroy();
  await gone;
  await expect.poll(() => request.destroyed).toBe(true);
  await expect(readMultipart(request, limits, reader)).rejects.toThrow(/the connection closed/);
  server.close();
});
