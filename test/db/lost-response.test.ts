/** The connection fails after PostgreSQL commits and before the response arrives, so the result is unknown. */
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseBlobKey } from '../../src/blobs/blob-key.ts';
import { createDiskBlobStore } from '../../src/blobs/disk-blob-store.ts';
import { errorTexts } from '../../src/core/error-texts.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { buildApk } from '../support/build-apk.ts';
import { type ServiceOnDatabase, startServiceOn } from '../support/start-service-with.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let database: TestDatabase;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let slipway: ServiceOnDatabase;

beforeAll(async () => {
  database = await createTestDatabase('postgres');
  proxy = await startProxy(new URL(database.url));
  slipway = await startServiceOn({ kind: 'postgres', url: proxy.url, maxConnections: 2 });
});
afterAll(async () => {
  await slipway.close();
  proxy.close();
  await database.remove();
});

it('keeps the blob of an upload whose commit result is unknown, because a row may reference it', async () => {
  const form = new FormData();
  form.set('file', new File([new Uint8Array(buildApk())], 'app.apk'));
  // The event of the administrator’s key is dispatched at the start.
  await slipway.service.outbox.idle();
  proxy.swallowNextCommit();
  const answer = await fetch(`${slipway.origin}/api/users/admin/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${slipway.adminKey}` },
    body: form,
  });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await answer.json()).toMatchObject({ message: errorTexts.commitUnknown, error_type: 'unavailable' });
  const direct = await openDatabase(database.config);
  const rows = await direct.queries.selectFrom('builds').select('package_blob').execute();
  await direct.close();
  expect(rows).toHaveLength(1);
  const store = createDiskBlobStore({ root: join(slipway.config.dataFolder, 'blobs') });
  for (const row of rows) await stat(store.localPath(parseBlobKey(row.package_blob)));
});

/** Forwards everything except, on request, the response to one commit: that connection ends instead. */
async function startProxy(target: URL) {
  let armed = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let cut = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.on('data', (bytes) => {
      if (armed && bytes.includes('commit\0')) {
        armed = false;
        cut = true;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      // The response has arrived, so the commit is done.
      if (cut) client.destroy();
      else client.write(bytes);
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(target);
  url.port = String(address !== null && typeof address === 'object' ? address.port : 0);
  return {
    url: url.href,
    swallowNextCommit: () => {
      armed = true;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
