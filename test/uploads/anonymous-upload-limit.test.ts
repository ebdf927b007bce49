/** Slots and bytes of uploads that send a file before their key, shared among networks so that none is excluded. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../src/config.ts';
import { AppError } from '../../src/core/errors.ts';
import {
  type AnonymousUploadLimits,
  createAnonymousUploadLimit,
  maxWaitingPerNetwork,
} from '../../src/uploads/anonymous-upload-limit.ts';

const gibibyte = 1024 ** 3;

describe('uploads without a key in the header', () => {
  const open = (limits: Partial<AnonymousUploadLimits> = {}) =>
    createAnonymousUploadLimit({ ...defaultLimits, ...limits }, () => 0);
  const fileWithBytes = () => {
    const file = new PassThrough();
    file.write('PK');
    return file;
  };
  const enter = async (limit: ReturnType<typeof open>, network: string) => {
    const upload = limit.begin(network);
    await upload.enter(fileWithBytes());
    return upload;
  };
  const refused = (work: () => unknown) =>
    expect(Promise.try(work)).rejects.toSatisfy(
      (error) => error instanceof AppError && error.kind === 'too_many' && error.retryAfterSeconds !== null,
    );

  it.each([
    ['networks of one site', (index: number) => `2001:db8:0:${index.toString(16)}::/64`, 256],
    ['sites', (index: number) => `2001:db8:${index.toString(16)}:0::/64`, 400],
  ])('leave slots and bytes for the next network, however many %s stall', async (_what, network, max) => {
    const limit = open({ anonymousUploadWaitSeconds: 0 });
    const perNetwork = max === 400 ? 1 : 16;
    let entered = 0;
    for (let index = 0; index < 400 * perNetwork; index++) {
      const upload = await enter(limit, network(Math.floor(index / perNetwork))).catch(() => null);
      upload?.count(1024 ** 2);
      if (upload) entered++;
    }
    expect(entered).toBe(max);
    const honest = await Promise.all(Array.from({ length: 16 }, () => enter(limit, '203.0.113.7')));
    for (const upload of honest) upload.count(gibibyte / 4);
    for (const upload of honest) upload.leave();
  });

  it('never exhaust a total from one network', async () => {
    const limit = open({ anonymousUploads: 8, anonymousSpoolBytes: 1000, anonymousUploadWaitSeconds: 0 });
    for (let index = 0; index < 4; index++) await enter(limit, 'greedy');
    await refused(() => enter(limit, 'greedy'));
    const [one, two] = [await enter(limit, 'one'), await enter(limit, 'one')];
    one.count(500);
    await refused(() => one.count(1));
    const other = await enter(limit, 'two');
    other.count(249);
    await refused(() => other.count(10));
    one.leave();
    two.leave();
    other.count(200);
  });

  it('wait in order of arrival, and release their slots and bytes', async () => {
    const limit = open({ anonymousUploadsPerNetwork: 1, anonymousUploadWaitSeconds: 60 });
    const first = await enter(limit, 'a');
    const admitted: string[] = [];
    const waiting = ['second', 'third'].map((name) =>
      enter(limit, 'a').then((upload) => {
        admitted.push(name);
        return upload;
      }),
    );
    const elsewhere = await enter(limit, 'b');
    elsewhere.leave();
    expect(admitted).toEqual([]);
    first.leave();
    const second = await waiting[0];
    expect(admitted).toEqual(['second']);
    second?.leave();
    second?.leave();
    (await waiting[1])?.leave();
    (await enter(limit, 'a')).leave();
  });

  it('stop waiting when the key arrives or the connection ends', async () => {
    const limit = open({ anonymousUploadsPerNetwork: 1, anonymousUploadWaitSeconds: 60 });
    const first = await enter(limit, 'a');
    const known = limit.begin('a');
    const wait = known.enter(fileWithBytes());
    const gone = limit.begin('a');
    const file = fileWithBytes();
    const broken = gone.enter(file);
    known.leave();
    await wait;
    file.destroy();
    await broken;
    gone.leave();
    first.leave();
    (await enter(limit, 'a')).leave();
  });

  it('wait in a queue of bounded length', async () => {
    const limit = open({ anonymousUploadsPerNetwork: 1, anonymousUploadWaitSeconds: 60 });
    const first = await enter(limit, 'a');
    const line = Array.from({ length: maxWaitingPerNetwork }, () => enter(limit, 'a'));
    // Each waits for the first bytes of its file.
    await Promise.resolve();
    await refused(() => enter(limit, 'a'));
    first.leave();
    for (const waiting of line) (await waiting).leave();
  });

  it('take no slot for an empty file', async () => {
    const limit = open({ anonymousUploadsPerNetwork: 1, anonymousUploadWaitSeconds: 0 });
    const empty = new PassThrough();
    const upload = limit.begin('a');
    const entered = upload.enter(empty);
    empty.end();
    await entered;
    const closed = new PassThrough();
    const gone = limit.begin('a').enter(closed);
    closed.destroy();
    await gone;
    (await enter(limit, 'a')).leave();
  });
});
