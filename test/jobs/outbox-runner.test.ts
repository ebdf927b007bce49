import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Job, type JobHandlers, lanes, NotReady, retryDelay } from '../../src/jobs/outbox.ts';
import { alarmDelayMs, createOutboxRunner, type OutboxRunner } from '../../src/jobs/outbox-runner.ts';
import { createFailingQueries } from '../support/failing-queries.ts';
import { idleHandlers } from '../support/idle-handlers.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { closeTestClaims, createTestClaims } from '../support/test-claims.ts';
import { dialects } from '../support/test-database.ts';

type BuildJob = Extract<Job, { buildId: string }>;

const { maxAttempts } = lanes.builds;

/** The same handler for every kind of job about a build. */
function handlersOf(handle: (job: BuildJob) => Promise<void>): JobHandlers {
  return {
    ...idleHandlers,
    'draw-icon': handle,
    'verify-signature': handle,
    'announce-build': handle,
    'remove-build': handle,
  };
}

it.each([
  ['none', null, 10_000],
  ['one that is overdue', 500, 250],
  ['one in half a second', 1_500, 500],
  ['one in an hour', 3_601_000, 10_000],
])('the outbox runner waits for %s', (_, due, delayMs) => {
  expect(alarmDelayMs(due, 1_000)).toBe(delayMs);
});

describe.each(dialects)('the outbox runner on %s', (dialect) => {
  let test: TestData;
  let clock: number;
  let logged: string[];
  let runners: OutboxRunner[];
  beforeEach(async () => {
    test = await openTestData(dialect);
    clock = 1_000_000;
    logged = [];
    runners = [];
  });
  afterEach(async () => {
    for (const runner of runners) await runner.stop();
    await closeTestClaims();
    await test.close();
  });

  const start = (handle: (job: BuildJob) => Promise<void>, data = test.data) =>
    startWith(handlersOf(handle), data);
  const startWith = (handlers: JobHandlers, data = test.data) => {
    const runner = createOutboxRunner({
      data,
      claims: createTestClaims(data),
      handlers,
      now: () => clock,
      log: { error: (_fields, message) => logged.push(message) },
    });
    runners.push(runner);
    return runner;
  };
  const add = (buildId: string) => test.data.outbox.add({ kind: 'draw-icon', buildId }, clock);
  const run = async (runner: OutboxRunner) => {
    runner.wake();
    await runner.idle();
  };

  it('runs each job once and deletes it', async () => {
    const done: string[] = [];
    const runner = start(async (job) => {
      done.push(job.buildId);
    });
    for (let index = 0; index < 9; index++) await add(`b${index}`);
    await run(runner);
    await run(runner);
    expect(done.sort()).toEqual(Array.from({ length: 9 }, (_, index) => `b${index}`));
    expect(await test.data.outbox.nextRunAt(lanes.builds)).toBeNull();
    expect(logged).toEqual([]);
  });

  it('passes a job to the handler of its kind', async () => {
    const done: string[] = [];
    const runner = startWith({
      'draw-icon': async (job) => void done.push(`draw ${job.buildId}`),
      'verify-signature': async (job) => void done.push(`verify ${job.buildId}`),
      'analyze-build': async (job) => void done.push(`analyze ${job.buildId}`),
      'convert-bundle': async (job) => void done.push(`convert ${job.buildId}`),
      'announce-build': async (job) => void done.push(`announce ${job.buildId} ${job.pageId}`),
      'send-mail': async (job) => void done.push(`send ${job.mailId} until ${job.until}`),
      'send-feedback-reply': async (job) => void done.push(`reply ${job.replyId}`),
      'announce-feedback': async (job) => void done.push(`feedback ${job.appId}`),
      'send-feedback-mail': async (job) => void done.push(`feedback mail ${job.userId}`),
      'send-account-email': async (job) => void done.push(`write about ${job.accountEmail.about}`),
      'key-expiry': async (job) => void done.push(`expire ${job.keyId}`),
      'dispatch-event': async (job) => void done.push(`dispatch ${job.event.type}`),
      'send-webhook': async (job) => void done.push(`send ${job.deliveryId}`),
      'send-last-webhook': async (job) => void done.push(`say goodbye of ${job.owner.name}`),
      'remove-build': async (job) => void done.push(`remove ${job.buildId} of ${job.deletedAt}`),
      'remove-builds': async (job) => void done.push(`remove ${job.buildIds} of ${job.deletedAt}`),
      'remove-app': async (job) => void done.push(`remove ${job.appId}`),
      'retention-round': async (job) => void done.push(`round of ${job.scope.kind} after ${job.after}`),
      'retain-builds': async (job) => void done.push(`retain in ${job.appId} after ${job.after}`),
      'check-files': async (job) => void done.push(`check files after ${job.after}`),
      'analyze-builds': async (job) => void done.push(`analyze builds after ${job.after}`),
      'store-rule-round': async (job) => void done.push(`remind after ${job.after}`),
      'directory-round': async () => void done.push('look into the directory'),
      'send-store-rule-mail': async (job) => void done.push(`remind ${job.userId} of ${job.day}`),
      'privacy-round': async () => void done.push('privacy'),
      'seal-audit': async () => void done.push('seal'),
      'stream-audit': async () => void done.push('stream'),
      'remove-blobs': async (job) => void done.push(`remove ${job.blobs.join()}`),
    });
    await add('a');
    await test.data.outbox.add({ kind: 'verify-signature', buildId: 'b' }, clock);
    await test.data.outbox.add({ kind: 'analyze-build', buildId: 'r' }, clock);
    await test.data.outbox.add({ kind: 'announce-build', buildId: 'c', pageId: 'p' }, clock);
    await test.data.outbox.add({ kind: 'send-mail', mailId: 'd', until: 7 }, clock);
    await test.data.outbox.add({ kind: 'remove-build', buildId: 'e', deletedAt: 8 }, clock);
    await test.data.outbox.add({ kind: 'remove-app', appId: 'f' }, clock);
    await test.data.outbox.add({ kind: 'remove-builds', buildIds: ['i', 'j'], deletedAt: 8 }, clock);
    await test.data.outbox.add({ kind: 'retention-round', scope: { kind: 'everything' }, after: 'k' }, clock);
    await test.data.outbox.add({ kind: 'retain-builds', appId: 'l', after: 9 }, clock);
    await test.data.outbox.add({ kind: 'check-files', after: 'm' }, clock);
    await test.data.outbox.add({ kind: 'analyze-builds', after: 'b' }, clock);
    await test.data.outbox.add({ kind: 'store-rule-round', after: 's' }, clock);
    await test.data.outbox.add({ kind: 'privacy-round' }, clock);
    await test.data.outbox.add({ kind: 'seal-audit' }, clock);
    await test.data.outbox.add({ kind: 'stream-audit' }, clock);
    await test.data.outbox.add({ kind: 'directory-round' }, clock);
    const reminder = { userId: 't', ownerId: 'u', day: '2027-02-01', at: 1, until: 2 };
    await test.data.outbox.add({ kind: 'send-store-rule-mail', ...reminder }, clock);
    const event = { type: 'page.edited', pageId: 'p' } as const;
    await test.data.outbox.add({ kind: 'dispatch-event', eventId: 'n', at: 1, event }, clock);
    await test.data.outbox.add({ kind: 'send-webhook', deliveryId: 'q' }, clock);
    const sealed = { sealedAddress: 'a', sealedSecret: 's', oldSecretUntil: null };
    const hook = { id: 'o', kind: 'json', ...sealed, app: null };
    const owner = { kind: 'project', name: 'p', apps: 1, builds: 1, by: 'q' } as const;
    await test.data.outbox.add({ kind: 'send-last-webhook', at: 1, hook, owner }, clock);
    const accountEmail = { about: 'password-reset', login: 'mina' } as const;
    await test.data.outbox.add({ kind: 'send-account-email', accountEmail, until: 9 }, clock);
    await test.data.outbox.add({ kind: 'remove-blobs', blobs: ['g', 'h'] }, clock);
    await run(runner);
    expect(done.sort()).toEqual([
      'analyze builds after b',
      'analyze r',
      'announce c p',
      'check files after m',
      'dispatch page.edited',
      'draw a',
      'look into the directory',
      'privacy',
      'remind after s',
      'remind t of 2027-02-01',
      'remove e of 8',
      'remove f',
      'remove g,h',
      'remove i,j of 8',
      'retain in l after 9',
      'round of everything after k',
      'say goodbye of p',
      'seal',
      'send d until 7',
      'send q',
      'stream',
      'verify b',
      'write about password-reset',
    ]);
  });

  it('runs no job twice on two nodes', async () => {
    const done: string[] = [];
    const handle = async (job: BuildJob) => void done.push(job.buildId);
    const first = start(handle);
    const second = start(handle, (await test.openSecond()).data);
    for (let index = 0; index < 30; index++) await add(`b${index}`);
    await Promise.all([run(first), run(second)]);
    await run(first);
    expect(done).toHaveLength(30);
    expect(new Set(done).size).toBe(30);
  });

  it('retries a failed job with growing delays, and stops after the last attempt', async () => {
    let tries = 0;
    const runner = start(async () => {
      tries += 1;
      throw new Error('no luck');
    });
    await add('b');
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      await run(runner);
      expect(tries).toBe(attempt);
      clock += retryDelay(attempt) - 1;
      await run(runner);
      expect(tries).toBe(attempt);
      clock += 1;
    }
    clock += 1000 * 60 * 60_000;
    await run(runner);
    expect(tries).toBe(maxAttempts);
    expect(logged.filter((line) => line === 'job draw-icon failed and will be retried')).toHaveLength(
      maxAttempts - 1,
    );
    expect(logged.at(-1)).toBe('job draw-icon failed for the last time');
  });

  it('postpones a job at the request of its handler', async () => {
    let tries = 0;
    const runner = start(async () => {
      tries += 1;
      if (tries <= 2 * maxAttempts) throw new NotReady(clock + 5000);
    });
    await add('b');
    for (let attempt = 1; attempt <= 2 * maxAttempts; attempt++) {
      await run(runner);
      expect(tries).toBe(attempt);
      clock += 4999;
      await run(runner);
      expect(tries).toBe(attempt);
      clock += 1;
    }
    await run(runner);
    expect(await test.data.outbox.nextRunAt(lanes.builds)).toBeNull();
    expect(logged).toEqual([]);
  });

  it('runs other jobs when one fails', async () => {
    const done: string[] = [];
    const runner = start(async (job) => {
      if (job.buildId === 'bad') throw new Error('no luck');
      done.push(job.buildId);
    });
    for (const buildId of ['a', 'bad', 'b', 'c']) await add(buildId);
    await run(runner);
    expect(done.sort()).toEqual(['a', 'b', 'c']);
  });

  it('finds a job that is added while it works', async () => {
    const done: string[] = [];
    const runner = start(async (job) => {
      done.push(job.buildId);
      if (job.buildId !== 'first') return;
      await add('second');
      runner.wake();
    });
    await add('first');
    await run(runner);
    expect(done).toEqual(['first', 'second']);
  });

  it('waits for running jobs when it stops, and starts no more', async () => {
    const done: string[] = [];
    let started: () => void = () => undefined;
    let proceed: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const gate = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const runner = start(async (job) => {
      started();
      await gate;
      done.push(job.buildId);
    });
    for (const buildId of ['a', 'b', 'c', 'd']) await add(buildId);
    runner.wake();
    await running;
    let stopped = false;
    const stop = runner.stop().then(() => {
      stopped = true;
    });
    await test.data.ping();
    expect(stopped).toBe(false);
    proceed();
    await stop;
    expect(done).toHaveLength(2);
    await run(runner);
    const rest = (await test.data.outbox.claim(lanes.builds, clock, 9)).map(
      ({ job }) => (job as BuildJob).buildId,
    );
    expect([...done, ...rest].sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(rest).toHaveLength(2);
  });

  it('waits for the other job too when the database rejects the result of one', async () => {
    const done: string[] = [];
    let proceed: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    let finishing = false;
    const refusing = createFailingQueries(test.database, ({ kind, table }) => {
      finishing ||= kind === 'delete' && table === 'outbox';
      return finishing ? new Error('gone') : null;
    });
    const begun = new Set<string>();
    let bothBegan: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      bothBegan = resolve;
    });
    const runner = start(async (job) => {
      begun.add(job.buildId);
      if (begun.size === 2) bothBegan();
      if (job.buildId === 'slow') await gate;
      else await both;
      done.push(job.buildId);
    }, refusing);
    await add('slow');
    await add('quick');
    runner.wake();
    await both;
    const stop = runner.stop();
    await test.data.ping();
    proceed();
    await stop;
    expect(done.sort()).toEqual(['quick', 'slow']);
  });

  it('starts after the given promise, and is not idle before', async () => {
    const done: string[] = [];
    const runner = start(async (job) => {
      done.push(job.buildId);
    });
    await add('b');
    let answer: () => void = () => undefined;
    runner.wakeAfter(
      new Promise((resolve) => {
        answer = resolve;
      }),
    );
    let idle = false;
    const rest = runner.idle().then(() => {
      idle = true;
    });
    expect(await test.data.outbox.nextRunAt(lanes.builds)).not.toBeNull();
    expect([done, idle]).toEqual([[], false]);
    answer();
    await rest;
    expect(done).toEqual(['b']);
  });

  it('never makes mail and build jobs wait for each other', async () => {
    const done: string[] = [];
    let proceed: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const waiting = { builds: 0, mail: 0 };
    const slow = async (lane: 'builds' | 'mail', name: string) => {
      waiting[lane] += 1;
      if (name.startsWith('slow')) await gate;
      done.push(name);
    };
    const runner = startWith({
      ...handlersOf((job) => slow('builds', job.buildId)),
      'send-mail': (job) => slow('mail', job.mailId),
    });
    for (let index = 0; index < 20; index++) {
      await test.data.outbox.add({ kind: 'send-mail', mailId: `slow ${index}`, until: clock }, clock);
    }
    runner.wake();
    await until(() => waiting.mail === lanes.mail.jobsAtOnce);
    await add('quick');
    runner.wake();
    await until(() => done.includes('quick'));
    for (let index = 0; index < 20; index++) await add(`slow ${index}`);
    runner.wake();
    await until(() => waiting.builds === 1 + lanes.builds.jobsAtOnce);
    expect(waiting.mail).toBe(lanes.mail.jobsAtOnce);
    proceed();
    await runner.idle();
    expect(done).toHaveLength(41);
  });

  it('keeps a place for owners without a running job', async () => {
    const { jobsAtOnce } = lanes.webhooks;
    const done: string[] = [];
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    const runner = startWith({
      ...idleHandlers,
      'send-webhook': async ({ deliveryId }, ownerId) => {
        waiting += 1;
        if (ownerId === 'busy') await gate.promise;
        waiting -= 1;
        done.push(deliveryId);
      },
    });
    const jobs = Array.from(
      { length: 3 * jobsAtOnce },
      (_, index) => ({ kind: 'send-webhook', deliveryId: `slow ${index}` }) as const,
    );
    await test.data.outbox.addAll(jobs, clock, clock, 'busy');
    runner.wake();
    await until(() => waiting === jobsAtOnce);
    for (const owner of ['ann', 'zoe'])
      await test.data.outbox.add({ kind: 'send-webhook', deliveryId: owner }, clock, owner);
    runner.wake();
    await until(() => done.length === 2);
    expect(done.sort()).toEqual(['ann', 'zoe']);
    expect(waiting).toBe(jobsAtOnce);
    gate.resolve();
    await runner.idle();
    expect(done).toHaveLength(jobs.length + 2);
  });

  it('retries a mail for more than a day, and other jobs for less', async () => {
    const tries: string[] = [];
    const fail = (name: string) => async () => {
      tries.push(name);
      throw new Error('no luck');
    };
    const runner = startWith({ ...handlersOf(fail('build')), 'send-mail': fail('mail') });
    await add('b');
    await test.data.outbox.add({ kind: 'send-mail', mailId: 'm', until: 0 }, clock);
    const began = clock;
    for (let attempt = 1; attempt < lanes.mail.maxAttempts; attempt++) {
      await run(runner);
      clock += retryDelay(attempt);
    }
    await run(runner);
    expect(clock - began).toBeGreaterThan(24 * 60 * 60_000);
    expect(tries.filter((name) => name === 'build')).toHaveLength(maxAttempts);
    expect(tries.filter((name) => name === 'mail')).toHaveLength(lanes.mail.maxAttempts);
    clock += 1000 * 60 * 60_000;
    await run(runner);
    expect(tries).toHaveLength(maxAttempts + lanes.mail.maxAttempts);
  });
});

/** Waits for a condition that other work fulfills, up to the timeout of the test. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
