/** Storage quotas: checked early if possible, and exactly at the end. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Quota } from '../../src/owners/quota.ts';
import { createOwnerDeletion } from '../../src/projects/deletion/owner-deletion.ts';
import { buildApk } from '../support/build-apk.ts';
import { appEntries, buildIpa } from '../support/build-ipa.ts';
import { buildZip } from '../support/build-zip.ts';
import { openRaw, rawRequest } from '../support/http-client.ts';
import {
  bearer,
  leavesNothing,
  refusalOf,
  resultsOf,
  type UploadOptions,
  upload,
  uploaded,
} from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const mebibyte = 1024 * 1024;
const reached = 'application create error: limit';
const noLimit: Quota = { maxStorageBytes: null, maxBuilds: null, maxProjects: null };

/** An incompressible file. */
const filler = (bytes: number) => ({ filler: randomBytes(bytes) });
const simulatorZip = (bundleIdentifier: string, bytes: number) =>
  buildZip(appEntries({ simulator: true, bundleIdentifier, files: filler(bytes) }, 'Test.app/'));

describe.each(dialects)('quotas on %s', (dialect) => {
  let slipway: TestService;
  beforeAll(async () => {
    slipway = await startTestService({ dialect, limits: { refusedBodyDrainSeconds: 1 } });
  });
  afterAll(() => slipway.close());

  let made = 0;
  /** Creates a Project, with a function to upload to it. */
  const newOwner = async (quota: Partial<Quota>) => {
    made += 1;
    const name = `owner-${made}`;
    await slipway.project(name);
    const id = (await slipway.data.owners.findOwner(name))?.id ?? '';
    const set = (change: Partial<Quota>) => slipway.data.quotas.set(id, { ...noLimit, ...change });
    await set(quota);
    const send = (options: UploadOptions = {}) => upload(slipway, { owner: name, ...options });
    return { name, id, set, send, usage: () => slipway.data.quotas.usageOf(id) };
  };
  const apk = (bytes: number, packageName = 'com.example.quota') =>
    buildApk({ packageName, fillerBytes: bytes });

  it('count all apps, including simulator builds', async () => {
    const owner = await newOwner({});
    const android = apk(1000);
    const ipa = buildIpa({ bundleIdentifier: 'com.example.simulated' });
    const simulator = simulatorZip('com.example.simulated', 5000);
    resultsOf(await owner.send({ file: android }));
    resultsOf(
      await owner.send({
        parts: [
          { name: 'file', content: ipa, fileName: 'a.ipa' },
          { name: 'ios_simulator_zip', content: simulator, fileName: 'a.zip' },
        ],
      }),
    );
    const bytes = android.length + ipa.length + simulator.length;
    expect(await owner.usage()).toEqual({ bytes, builds: 2, apps: 2 });
  });

  it('accept an upload that fits exactly, and nothing larger', async () => {
    const file = apk(2000);
    const owner = await newOwner({ maxStorageBytes: file.length * 2 });
    resultsOf(await owner.send({ file }));
    resultsOf(await owner.send({ file }));
    const refused = await leavesNothing(slipway, () => owner.send({ file }));
    expect(refusalOf(refused, 403).message).toBe(reached);
    await owner.set({ maxStorageBytes: file.length * 3 - 1 });
    expect(refusalOf(await leavesNothing(slipway, () => owner.send({ file })), 403).because).toBe(reached);
    await owner.set({});
    expect(resultsOf(await owner.send({ file })).revision).toBe(3);
  });

  it('are never exceeded by eight concurrent uploads, to one app or many', async () => {
    const file = apk(3000);
    const byStorage = await newOwner({ maxStorageBytes: file.length * 3 + 1 });
    const byCount = await newOwner({ maxBuilds: 5 });
    const eight = (owner: typeof byStorage) =>
      Array.from({ length: 8 }, (_, at) => owner.send({ file: apk(3000, `com.example.q${at % 4}`) }));
    const answers = await Promise.all([...eight(byStorage), ...eight(byCount)]);
    const taken = (some: typeof answers) => some.filter(({ status }) => status === 200).length;
    expect(taken(answers.slice(0, 8))).toBe(3);
    expect(taken(answers.slice(8))).toBe(5);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(refusalOf(answer, 403).message).toBe(reached);
    }
    expect((await byStorage.usage()).builds).toBe(3);
    expect((await byCount.usage()).builds).toBe(5);
    await slipway.service.outbox.idle();
    const { blobs, spool, builds } = await slipway.leftBehind();
    expect(spool).toEqual([]);
    expect(blobs.filter((key) => key.startsWith('packages/'))).toHaveLength(builds);
  });

  it('apply to all Projects and apps of a person together, even during concurrent uploads', async () => {
    const ivo = await slipway.user('ivo');
    const id = (await slipway.data.owners.findOwner('ivo'))?.id ?? '';
    await slipway.data.quotas.set(id, { ...noLimit, maxBuilds: 3 });
    const names = ['ivo-1', 'ivo-2', 'ivo-3', 'ivo-4'];
    for (const name of names) {
      const project = {
        name,
        description: '',
        workspaceName: null,
        ownerName: 'ivo',
        by: 'sign-up',
      } as const;
      await slipway.owners.createProject(project);
    }
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        upload(slipway, { key: ivo, owner: ['ivo', ...names][at % 5] ?? 'ivo', file: apk(1000) }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(refusalOf(answer, 403).message).toBe(reached);
    }
    expect(await slipway.data.quotas.usageOfPerson(id)).toMatchObject({ builds: 3 });
    // The limit applies to everyone who uploads to the Project, including its own key.
    const key = await slipway.projectKey('ivo-1');
    expect(refusalOf(await upload(slipway, { owner: 'ivo-1', key, file: apk(1000) }), 403).message).toBe(
      reached,
    );
  });

  it('apply to the next owner of a Project when its first owner leaves it or is deleted', async () => {
    await slipway.user('una');
    await slipway.user('uwe');
    const by = 'command-line';
    for (const name of ['passed', 'left']) {
      await slipway.owners.createProject({
        name,
        description: '',
        workspaceName: null,
        ownerName: 'una',
        by,
      });
      await slipway.owners.addToTeam({ projectName: name, team: 'owner', userName: 'uwe', by });
    }
    const accountable = async (name: string) => {
      const project = await slipway.data.owners.findOwner(name);
      return (await slipway.data.quotas.findAccountableUser(project?.id ?? ''))?.name;
    };
    expect(await accountable('passed')).toBe('una');
    await slipway.owners.removeFromTeam({ projectName: 'passed', team: 'owner', userName: 'una', by });
    expect([await accountable('passed'), await accountable('left')]).toEqual(['uwe', 'una']);
    const { deleteOwner } = createOwnerDeletion({
      data: slipway.data,
      now: Date.now,
      wakeOutbox: () => undefined,
    });
    const una = await slipway.data.owners.findOwner('una');
    if (una?.kind !== 'user') throw new Error('no user');
    expect(await deleteOwner({ kind: 'user', user: una }, una, 'una')).toBe('deleted');
    expect(await accountable('left')).toBe('uwe');
  });

  it('limit the number of Projects, even when they are created concurrently', async () => {
    await slipway.user('max');
    const max = await slipway.data.owners.findOwner('max');
    if (max?.kind !== 'user') throw new Error('no user');
    await slipway.data.quotas.set(max.id, { ...noLimit, maxProjects: 2 });
    const made = await Promise.allSettled(
      Array.from({ length: 6 }, (_, at) =>
        slipway.owners.createProject({
          name: `max-${at}`,
          description: '',
          workspaceName: null,
          ownerName: 'max',
          by: { kind: 'user', user: max },
        }),
      ),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(made.find((one) => one.status === 'rejected')?.reason.message).toContain(
      'reached its limit of 2 Projects',
    );
    expect(await slipway.data.quotas.countProjectsOf(max.id)).toBe(2);
  });

  it('refuse an upload that exceeds them before the body is sent', async () => {
    const owner = await newOwner({ maxStorageBytes: mebibyte });
    const connection = await openRaw(slipway.port);
    const headers = {
      ...bearer(slipway.adminKey),
      Expect: '100-continue',
      'Content-Type': 'multipart/form-data; boundary=x',
      'Content-Length': 100 * mebibyte,
    };
    await connection.write(rawRequest('POST', `/api/users/${owner.name}/apps`, headers));
    const answer = await connection.answer();
    expect(answer.interim).toEqual([]);
    expect(refusalOf(answer, 403).message).toBe(reached);
    connection.destroy();
  });

  it('refuse immediately if nothing fits', async () => {
    const file = apk(0);
    const full = await newOwner({ maxStorageBytes: file.length });
    const counted = await newOwner({ maxBuilds: 1 });
    for (const owner of [full, counted]) {
      resultsOf(await owner.send({ file }));
      const { contentType, body } = multipart([{ name: 'file', content: file, fileName: 'a.apk' }]);
      const connection = await openRaw(slipway.port);
      const headers = {
        ...bearer(slipway.adminKey),
        'Content-Type': contentType,
        'Content-Length': body.length,
      };
      // The body is not sent: the response does not wait for it.
      await connection.write(rawRequest('POST', `/api/users/${owner.name}/apps`, headers));
      expect(refusalOf(await connection.answer(), 403).message).toBe(reached);
      connection.destroy();
    }
  });

  it('abort a file larger than the remaining quota, and keep nothing of it', async () => {
    const owner = await newOwner({ maxStorageBytes: mebibyte });
    const refused = await leavesNothing(slipway, () => owner.send({ file: apk(2 * mebibyte) }));
    expect(refusalOf(refused, 403).message).toBe(reached);
    const both = await leavesNothing(slipway, () =>
      owner.send({
        parts: [
          {
            name: 'file',
            content: buildIpa({ bundleIdentifier: 'a.b', files: filler(700_000) }),
            fileName: 'a.ipa',
          },
          { name: 'ios_simulator_zip', content: simulatorZip('a.b', 700_000), fileName: 'a.zip' },
        ],
      }),
    );
    expect(refusalOf(both, 403).message).toBe(reached);
  });

  it('apply to a key in the form, too', async () => {
    const owner = await newOwner({ maxBuilds: 1 });
    resultsOf(await owner.send());
    const parts = [
      { name: 'token', value: slipway.adminKey },
      { name: 'file', content: apk(0), fileName: 'a.apk' },
    ];
    const refused = await leavesNothing(slipway, () => owner.send({ key: null, parts }));
    expect(refusalOf(refused, 403).message).toBe(reached);
    const late = await leavesNothing(slipway, () => owner.send({ key: null, parts: [...parts].reverse() }));
    expect(refusalOf(late, 403).message).toBe(reached);
  });

  it('return the first result to a retried upload, even if the quota is used up', async () => {
    const owner = await newOwner({ maxBuilds: 1 });
    const headers = { 'Idempotency-Key': 'job-1' };
    const first = resultsOf(await owner.send({ headers }));
    expect(resultsOf(await owner.send({ headers })).revision).toBe(first.revision);
    const other = await leavesNothing(slipway, () => owner.send({ headers: { 'Idempotency-Key': 'job-2' } }));
    expect(refusalOf(other, 403).message).toBe(reached);
  });

  it('do not affect others', async () => {
    await newOwner({ maxBuilds: 1 });
    const other = await newOwner({});
    for (let revision = 1; revision <= 3; revision++) {
      expect((await uploaded(slipway, { owner: other.name })).revision).toBe(revision);
    }
  });
});
