/** Delivery of one email from creation to its final state: at most once, even if servers and nodes fail. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { App, Build } from '../../src/apps/app.ts';
import { lanes } from '../../src/jobs/outbox.ts';
import { createOutboxRunner, type OutboxRunner } from '../../src/jobs/outbox-runner.ts';
import { createAnnounceBuild } from '../../src/mail/announce-build.ts';
import { maxMailAgeMs } from '../../src/mail/mail.ts';
import type { Mailer, MailMessage, SendOutcome } from '../../src/mail/mailer.ts';
import { createMemoryMailer } from '../../src/mail/memory-mailer.ts';
import type { ComposeMail } from '../../src/mail/messages/compose-mail.ts';
import { createSendMail } from '../../src/mail/send-mail.ts';
import type { User } from '../../src/owners/owner.ts';
import { sampleMessage } from '../contracts/mailer.ts';
import type { TestQueries } from '../support/every-query.ts';
import { idleHandlers } from '../support/idle-handlers.ts';
import { mailStatesOf } from '../support/mail-service.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { addApp, addProject, addUser } from '../support/sample-rows.ts';
import { closeTestClaims, createTestClaims } from '../support/test-claims.ts';
import { dialects } from '../support/test-database.ts';

const hour = 60 * 60_000;

describe.each(dialects)('email delivery on %s', (dialect) => {
  let test: TestData;
  let data: TestQueries;
  let clock: number;
  let app: App;
  let build: Build;
  let people: User[];
  let runners: OutboxRunner[];
  let logged: string[];
  let outcome: (message: MailMessage) => SendOutcome | Promise<SendOutcome>;
  beforeEach(async () => {
    test = await openTestData(dialect);
    data = test.data;
    runners = [];
    logged = [];
    mailer.sent.length = 0;
    outcome = () => ({ kind: 'sent' });
    const project = await addProject(data, 'harbour');
    people = [];
    for (const name of ['ada', 'ben', 'cleo']) {
      const user = await addUser(data, name);
      await data.owners.addTeamMember(project.id, 'tester', user.id, 1);
      people.push(user);
    }
    const made = await addApp(data, project.id, { platform: 'ios' });
    const [first] = made.builds;
    const found = await data.apps.findAppById(made.appId);
    if (!first || !found) throw new Error('nothing was made');
    [app, build] = [found, first];
    clock = build.createdAt + 1000;
  });
  afterEach(async () => {
    for (const runner of runners) await runner.stop();
    await closeTestClaims();
    await test.close();
  });

  /** A separate node that sends to the same mailboxes as the others. */
  const mailer = createMemoryMailer((message) => outcome(message));
  const compose: ComposeMail = async (mail) =>
    sampleMessage({
      messageId: `${mail.buildId}.${mail.userId}@example.com`,
      to: { name: mail.userId, address: mail.address },
    });
  const startNode = (
    on: TestQueries = data,
    options: { mailer?: Mailer | null; compose?: ComposeMail } = {},
  ) => {
    const by = options.mailer === undefined ? mailer : options.mailer;
    const delivery = by && { mailer: by, compose: options.compose ?? compose };
    const now = () => clock;
    const runner: OutboxRunner = createOutboxRunner({
      data: on,
      claims: createTestClaims(on),
      handlers: {
        ...idleHandlers,
        'announce-build': createAnnounceBuild({
          data: on,
          canSend: delivery !== null,
          now,
          wakeOutbox: () => runner.wake(),
        }),
        'send-mail': createSendMail({ data: on, delivery, now }),
      },
      now,
      log: { error: (_fields, message) => logged.push(message) },
    });
    runners.push(runner);
    return runner;
  };
  const run = async (runner: OutboxRunner) => {
    runner.wake();
    await runner.idle();
  };
  const announce = () => data.outbox.add({ kind: 'announce-build', buildId: build.id, pageId: null }, clock);
  const states = () => mailStatesOf(test);
  const addressees = () => mailer.sent.map(({ to }) => to.address).sort();
  const everybody = ['ada@example.com', 'ben@example.com', 'cleo@example.com'];

  it('is retried with backoff after a temporary failure, and sends the email once', async () => {
    let tries = 0;
    outcome = (message) => {
      if (message.to.address !== 'ben@example.com') return { kind: 'sent' };
      tries += 1;
      return tries < 4 ? { kind: 'later', reason: '451 greylisted' } : { kind: 'sent' };
    };
    const node = startNode();
    await announce();
    await run(node);
    expect(addressees()).toEqual(['ada@example.com', 'cleo@example.com']);
    expect((await states())['ben@example.com']).toEqual({
      state: 'waiting',
      attempts: 1,
      lastError: '451 greylisted',
    });
    for (const [index, pause] of [2000, 4000, 8000].entries()) {
      clock += pause - 1;
      await run(node);
      expect(tries).toBe(index + 1);
      clock += 1;
      await run(node);
      expect(tries).toBe(index + 2);
    }
    expect(addressees()).toEqual(everybody);
    expect((await states())['ben@example.com']).toEqual({ state: 'sent', attempts: 4, lastError: null });
    expect(await data.outbox.nextRunAt(lanes.mail)).toBeNull();
  });

  it('fails immediately after a permanent rejection, without affecting other emails', async () => {
    outcome = ({ to }) =>
      to.address === 'ben@example.com'
        ? { kind: 'refused', reason: '550 no such mailbox' }
        : { kind: 'sent' };
    const node = startNode();
    await announce();
    await run(node);
    clock += hour;
    await run(node);
    expect(addressees()).toEqual(['ada@example.com', 'cleo@example.com']);
    expect((await states())['ben@example.com']).toEqual({
      state: 'dead',
      attempts: 1,
      lastError: '550 no such mailbox',
    });
    expect(await data.outbox.nextRunAt(lanes.mail)).toBeNull();
  });

  it('is never repeated when the email may have arrived', async () => {
    outcome = ({ to }) =>
      to.address === 'ben@example.com' ? { kind: 'uncertain', reason: 'no answer' } : { kind: 'sent' };
    const node = startNode();
    await announce();
    await run(node);
    outcome = () => ({ kind: 'sent' });
    clock += 10 * hour;
    await run(node);
    expect(addressees()).toEqual(['ada@example.com', 'cleo@example.com']);
    expect((await states())['ben@example.com']).toMatchObject({ state: 'uncertain', lastError: 'no answer' });
  });

  it('reaches everyone when the server recovers after an hour or after twenty', async () => {
    for (const away of [1, 20]) {
      outcome = () => ({ kind: 'later', reason: 'connect ECONNREFUSED' });
      mailer.sent.length = 0;
      const { builds } = await addApp(data, app.owner.id, {
        platform: 'ios',
        packageName: `com.away${away}`,
      });
      const buildId = builds[0]?.id ?? '';
      clock = 1000;
      await data.outbox.add({ kind: 'announce-build', buildId, pageId: null }, clock);
      const node = startNode();
      for (const end = clock + away * hour; clock < end; ) {
        await run(node);
        clock = Math.min((await data.outbox.nextRunAt(lanes.mail)) ?? end, end);
      }
      outcome = () => ({ kind: 'sent' });
      clock += hour;
      await run(node);
      expect(addressees(), `after ${away} hours`).toEqual(everybody);
      clock += 2 * 24 * hour;
      await run(node);
      expect(mailer.sent).toHaveLength(3);
    }
  });

  it('fails after a day of attempts, with the last reason', async () => {
    outcome = () => ({ kind: 'later', reason: 'connect ECONNREFUSED' });
    const node = startNode();
    await announce();
    for (let rounds = 0; rounds < lanes.mail.maxAttempts; rounds++) {
      await run(node);
      const due = await data.outbox.nextRunAt(lanes.mail);
      if (due === null) break;
      clock = due;
    }
    expect(clock).toBeGreaterThan(build.createdAt + maxMailAgeMs);
    expect(clock).toBeLessThan(build.createdAt + maxMailAgeMs + 2 * hour);
    for (const { state, attempts, lastError } of Object.values(await states())) {
      expect({ state, lastError }).toEqual({ state: 'dead', lastError: 'connect ECONNREFUSED' });
      expect(attempts).toBeGreaterThan(30);
    }
    outcome = () => ({ kind: 'sent' });
    clock += 1000 * hour;
    await run(node);
    expect(mailer.sent).toEqual([]);
  });

  it('is closed without an attempt a day after the upload', async () => {
    const node = startNode();
    await announce();
    clock = build.createdAt + maxMailAgeMs + 1;
    await run(node);
    expect(mailer.sent).toEqual([]);
    expect(new Set(Object.values(await states()).map(({ state }) => state))).toEqual(new Set(['closed']));
    expect(await data.outbox.nextRunAt(lanes.mail)).toBeNull();
  });

  it('is attempted until the end of that day', async () => {
    const node = startNode();
    await announce();
    clock = build.createdAt + maxMailAgeMs;
    await run(node);
    expect(addressees()).toEqual(everybody);
  });

  it('is uncertain when the node dies while sending, and is not repeated by another node', async () => {
    await announce();
    await startNode(data, { mailer: createMemoryMailer(() => ({ kind: 'later', reason: 'first' })) });
    const [runner] = runners;
    if (!runner) throw new Error('no runner');
    await run(runner);
    await runner.stop();
    // The state after a node dies while sending: the job is leased, the email claimed.
    clock += hour;
    const jobs = await data.outbox.claim(lanes.mail, clock, 9);
    expect(jobs).toHaveLength(3);
    for (const { job } of jobs) if (job.kind === 'send-mail') await data.mails.takeMail(job.mailId, clock);
    const next = startNode();
    await run(next);
    expect(new Set(Object.values(await states()).map(({ state }) => state))).toEqual(new Set(['sending']));
    // From here on, other processes treat this one as dead.
    await data.claims.releaseAll();
    await run(next);
    for (const { state, lastError } of Object.values(await states())) {
      expect(state).toBe('uncertain');
      expect(lastError).toBe('interrupted');
    }
    clock += 24 * hour;
    await run(next);
    expect(mailer.sent).toEqual([]);
  });

  it('waits for a slow node that is still sending', async () => {
    let proceed: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    let waiting = 0;
    outcome = async () => {
      waiting += 1;
      await gate;
      return { kind: 'sent' };
    };
    await announce();
    const slow = startNode();
    const other = startNode((await test.openSecond()).data);
    slow.wake();
    while (waiting < 3) await new Promise((resolve) => setImmediate(resolve));
    clock += hour;
    await run(other);
    expect(mailer.sent).toEqual([]);
    expect(await data.mails.countMails('sending', 9)).toBe(3);
    proceed();
    await slow.idle();
    clock += hour;
    await run(other);
    expect(addressees()).toEqual(everybody);
    expect(await data.mails.countMails('sent', 9)).toBe(3);
  });

  it('reaches each of 520 people once from two concurrent nodes', async () => {
    await data.transaction(async (tx) => {
      for (let index = 3; index < 520; index++) {
        const user = await addUser(tx, `person-${index}`);
        await tx.owners.addTeamMember(app.owner.id, 'tester', user.id, 1);
      }
    });
    const first = startNode();
    const second = startNode((await test.openSecond()).data);
    await announce();
    await Promise.all([run(first), run(second)]);
    await Promise.all([run(first), run(second)]);
    expect(mailer.sent).toHaveLength(520);
    expect(new Set(addressees()).size).toBe(520);
    expect(await data.mails.countMails('sent', 1000)).toBe(520);
    expect(await data.outbox.nextRunAt(lanes.mail)).toBeNull();
    expect(logged).toEqual([]);
  });

  it('stores emails when the mail server is removed, even after it is configured again', async () => {
    outcome = () => ({ kind: 'later', reason: 'come back' });
    await announce();
    const before = startNode();
    await run(before);
    await before.stop();
    clock += hour;
    await run(startNode(data, { mailer: null }));
    for (const state of Object.values(await states())) {
      expect(state).toEqual({ state: 'kept', attempts: 1, lastError: 'come back' });
    }
    outcome = () => ({ kind: 'sent' });
    clock += hour;
    await run(startNode());
    expect(mailer.sent).toEqual([]);
  });

  it('is closed when the email is no longer wanted, and waits when it cannot be rendered', async () => {
    let works = false;
    const [ada] = people;
    const picky: ComposeMail = async (mail) => {
      if (mail.userId === ada?.id) return null;
      if (!works) throw new Error('the store is away');
      return compose(mail);
    };
    const node = startNode(data, { compose: picky });
    await announce();
    await run(node);
    expect(await states()).toMatchObject({
      'ada@example.com': { state: 'closed', attempts: 0 },
      'ben@example.com': { state: 'waiting', attempts: 0 },
    });
    works = true;
    clock += hour;
    await run(node);
    expect(addressees()).toEqual(['ben@example.com', 'cleo@example.com']);
  });

  it('removes its records after ninety days', async () => {
    const node = startNode();
    await announce();
    await run(node);
    const { builds } = await addApp(data, app.owner.id, { platform: 'android', packageName: 'com.later' });
    const later = { kind: 'announce-build', buildId: builds[0]?.id ?? '', pageId: null } as const;
    clock += 90 * 24 * hour - 1;
    await data.outbox.add(later, clock);
    await run(node);
    expect(Object.keys(await states())).toEqual(everybody);
    clock += 2;
    await data.outbox.add(later, clock);
    await run(node);
    expect(await states()).toEqual({});
  });
});
