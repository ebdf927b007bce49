/** Revisions without gaps or duplicates, and retried uploads. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import { buildApk } from '../support/build-apk.ts';
import { json, openRaw, rawRequest } from '../support/http-client.ts';
import {
  bearer,
  get,
  leavesNothing,
  refusalOf,
  resultsOf,
  type UploadResult,
  upload,
  uploaded,
} from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const hour = 60 * 60_000;
const apkOf = (packageName: string, versionCode = 1) => buildApk({ packageName, versionCode });

describe.each(dialects)('revisions on %s', (dialect) => {
  let slipway: TestService;
  let mina: string;
  let now = Date.UTC(2026, 10, 21);
  beforeAll(async () => {
    slipway = await startTestService({ dialect, blobs: 'memory', now: () => now });
    mina = await slipway.user('mina');
    await slipway.project('crew', { members: { mina: 'developer' } });
  });
  afterAll(() => slipway.close());

  const count = runsEverything ? 64 : 16;
  it(`are 1 to ${count}, each once, for ${count} concurrent uploads to one app`, async () => {
    const results = await Promise.all(
      Array.from({ length: count }, (_, at) =>
        uploaded(slipway, { file: apkOf('com.example.many', at + 1) }),
      ),
    );
    const byRevision = results.sort((one, other) => one.revision - other.revision);
    expect(byRevision.map(({ revision }) => revision)).toEqual(
      Array.from({ length: count }, (_, at) => at + 1),
    );
    expect(new Set(results.map(({ secret }) => secret)).size).toBe(1);
    expect(new Set(results.map(({ file }) => file)).size).toBe(count);
    expect(new Set(results.map(({ version_code }) => version_code)).size).toBe(count);
    const { spool } = await slipway.leftBehind();
    expect(spool).toEqual([]);
  });

  it('have no gap after refused uploads', async () => {
    const file = apkOf('com.example.gap');
    expect((await uploaded(slipway, { file })).revision).toBe(1);
    refusalOf(await upload(slipway, { file, fields: { distribution_key: 'f'.repeat(40) } }), 404);
    refusalOf(await upload(slipway, { file, fields: { label: 'l'.repeat(300) } }), 400);
    expect((await uploaded(slipway, { file })).revision).toBe(2);
  });

  const withKey = (key: string, more: Parameters<typeof upload>[1] = {}) =>
    upload(slipway, { ...more, headers: { 'Idempotency-Key': key } });
  const sameBuild = (one: UploadResult, other: UploadResult) => {
    expect(other).toEqual(one);
  };

  it('return the first result for the same Idempotency-Key and bytes', async () => {
    const file = apkOf('com.example.again');
    const fields = { distribution_name: 'main', message: 'first' };
    const first = resultsOf(await withKey('job-1', { file, fields }));
    const before = await slipway.leftBehind();
    sameBuild(first, resultsOf(await withKey('job-1', { file, fields })));
    expect(await slipway.leftBehind()).toEqual(before);
    expect(resultsOf(await withKey('job-2', { file, fields })).revision).toBe(2);
  });

  it('are created once for 16 concurrent uploads with the same key', async () => {
    const file = apkOf('com.example.race');
    const before = await slipway.leftBehind();
    const answers = await Promise.all(Array.from({ length: 16 }, () => withKey('race', { file })));
    const results = answers.map(resultsOf);
    for (const result of results) expect(result).toEqual(results[0]);
    const after = await slipway.leftBehind();
    expect(after.builds).toBe(before.builds + 1);
    expect(after.blobs).toHaveLength(before.blobs.length + 1);
    expect(resultsOf(await upload(slipway, { file })).revision).toBe(2);
  });

  it('are refused with 409 for the same key with other bytes, sequentially or concurrently', async () => {
    resultsOf(await withKey('other', { file: apkOf('com.example.conflict', 1) }));
    await leavesNothing(slipway, async () => {
      refusalOf(await withKey('other', { file: apkOf('com.example.conflict', 2) }), 409);
      refusalOf(await withKey('other', { file: apkOf('com.example.conflict2') }), 409);
    });
    const before = await slipway.leftBehind();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => withKey('at once', { file: apkOf('com.example.atonce', at + 1) })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    const after = await slipway.leftBehind();
    expect(after.builds).toBe(before.builds + 1);
    expect(after.blobs).toHaveLength(before.blobs.length + 1);
    expect(resultsOf(await upload(slipway, { file: apkOf('com.example.atonce') })).revision).toBe(2);
  });

  it('are new for the same key after exactly 24 hours', async () => {
    const file = apkOf('com.example.day');
    expect(resultsOf(await withKey('day', { file })).revision).toBe(1);
    now += 24 * hour - 1;
    expect(resultsOf(await withKey('day', { file })).revision).toBe(1);
    now += 1;
    expect(resultsOf(await withKey('day', { file: apkOf('com.example.day', 2) })).revision).toBe(2);
    refusalOf(await withKey('day', { file }), 409);
  });

  it('keep Idempotency-Keys separate by owner', async () => {
    const file = apkOf('com.example.owner');
    const first = resultsOf(await withKey('shared', { file }));
    const minas = resultsOf(
      await withKey('shared', { file: apkOf('com.example.owner', 9), owner: 'mina', key: mina }),
    );
    const crews = resultsOf(await withKey('shared', { file, owner: 'crew', key: mina }));
    expect([first, minas, crews].map(({ user }) => user.name)).toEqual(['admin', 'mina', 'crew']);
    expect([first, minas, crews].map(({ revision }) => revision)).toEqual([1, 1, 1]);
  });

  it('keep Idempotency-Keys separate by API key', async () => {
    const file = apkOf('com.example.bykey');
    const { key: second } = await createIssueKey({ data: slipway.data, now: () => now })({
      ownerName: 'admin',
      ownerKind: 'user',
      name: 'second',
      expiresAt: null,
      scopes: ['upload'],
      by: 'command-line',
    });
    const fields = { distribution_name: 'secret page' };
    const first = resultsOf(await withKey('by key', { file, fields }));
    const other = resultsOf(await withKey('by key', { file, key: second }));
    expect([first.revision, other.revision, other.distribution]).toEqual([1, 2, undefined]);
    sameBuild(other, resultsOf(await withKey('by key', { file, key: second })));
  });

  it('check permissions before returning a first result', async () => {
    const file = apkOf('com.example.judged');
    resultsOf(await withKey('judged', { file }));
    refusalOf(await withKey('judged', { file, key: mina }), 403);
    refusalOf(await withKey('judged', { file, key: null }), 401);
  });

  it('check permissions again once the file has arrived, before returning a first result', async () => {
    const dora = await slipway.user('dora');
    await slipway.project('harbour', { members: { dora: 'developer' } });
    const file = apkOf('com.example.left');
    resultsOf(await withKey('left', { file, owner: 'harbour', key: dora }));
    const { contentType, body } = multipart([{ name: 'file', content: file, fileName: 'app.apk' }]);
    const headers = { ...bearer(dora), 'Idempotency-Key': 'left', 'Content-Type': contentType };
    const connection = await openRaw(slipway.port);
    const path = '/api/users/harbour/apps';
    const begun = rawRequest(
      'POST',
      path,
      { ...headers, 'Content-Length': body.length },
      body.subarray(0, 500),
    );
    await connection.write(begun);
    await expect.poll(async () => (await slipway.leftBehind()).spool.length).toBe(1);
    const change = {
      projectName: 'harbour',
      team: 'developer',
      userName: 'dora',
      by: 'command-line',
    } as const;
    await slipway.owners.removeFromTeam(change);
    await connection.write(body.subarray(500));
    refusalOf(await connection.answer(), 403);
    connection.destroy();
  });

  it('do not store the Idempotency-Key of a refused upload', async () => {
    refusalOf(await withKey('refused', { file: Buffer.from('no package') }), 400);
    expect(resultsOf(await withKey('refused', { file: apkOf('com.example.refused') })).revision).toBe(1);
  });

  it('accept Idempotency-Keys of up to 255 characters', async () => {
    expect(resultsOf(await withKey('k'.repeat(255), { file: apkOf('com.example.long') })).revision).toBe(1);
    await leavesNothing(slipway, async () => refusalOf(await withKey('k'.repeat(256)), 400));
  });

  it('treat an empty Idempotency-Key as absent, as from an unset variable', async () => {
    const file = apkOf('com.example.empty');
    expect(resultsOf(await withKey('', { file })).revision).toBe(1);
    expect(resultsOf(await withKey('', { file })).revision).toBe(2);
  });

  it('are created separately without an Idempotency-Key, even for the same bytes', async () => {
    const file = apkOf('com.example.twice');
    const one = await uploaded(slipway, { file });
    const two = await uploaded(slipway, { file });
    expect([one.revision, two.revision]).toEqual([1, 2]);
    expect(json(await get(slipway, '/api/sessions/user', slipway.adminKey))).toMatchObject({ error: false });
  });
});
