/** A PostgreSQL outage: clients get an error, nothing of their request is stored, and the service recovers. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts';
import { refusalOf, resultsOf } from '../support/interface-client.ts';
import { type ServiceOnDatabase, startServiceOn } from '../support/start-service-with.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let database: TestDatabase;
let proxy: FaultyProxy;
let slipway: ServiceOnDatabase;

beforeAll(async () => {
  database = await createTestDatabase('postgres');
  const address = new URL(database.url);
  proxy = await startFaultyProxy(new URL(`http://${address.host}`));
  address.host = new URL(proxy.endpoint).host;
  slipway = await startServiceOn({ kind: 'postgres', url: address.href, maxConnections: 3 });
});
afterAll(async () => {
  await slipway?.close();
  await proxy?.close();
  await database?.remove();
});

async function upload() {
  const form = new FormData();
  form.set('file', new File([new Uint8Array(buildApk())], 'app.apk'));
  const answer = await fetch(`${slipway.origin}/api/users/admin/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${slipway.adminKey}` },
    body: form,
  });
  const headers = { 'content-type': answer.headers.get('content-type') ?? undefined };
  return { status: answer.status, headers, text: await answer.text() };
}

it('returns 503 while the database is down, and recovers as soon as it is back', async () => {
  expect(resultsOf(await upload()).revision).toBe(1);
  proxy.set({ kind: 'refuse' });
  expect(refusalOf(await upload(), 503)).toMatchObject({
    message: 'the database is not available. Try again later',
    error_type: 'unavailable',
  });
  expect((await fetch(`${slipway.origin}/readyz`)).status).toBe(503);
  expect((await fetch(`${slipway.origin}/healthz`)).status).toBe(200);
  expect(await readdir(join(slipway.config.dataFolder, 'spool'))).toEqual([]);
  proxy.set({ kind: 'none' });
  await vi.waitFor(async () => expect((await fetch(`${slipway.origin}/readyz`)).status).toBe(200), 20_000);
  expect(resultsOf(await upload()).revision).toBe(2);
});
