/** Successful and refused sign-ins in the audit log and the server log. */
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSignInLog, maxRefusedRows } from '../../src/accounts/sign-in/sign-in-log-http.ts';
import { createLogger } from '../../src/operations/observability/logger.ts';
import type { AuditRow } from '../../src/owners/audit.ts';
import { auditSubjects } from '../../src/owners/audit.ts';
import { browserWith } from '../support/accounts-service.ts';
import { postForm, signIn } from '../support/browser-session.ts';
import { openTestData } from '../support/open-test-data.ts';
import { addUser } from '../support/sample-rows.ts';
import { afterPassword, setUpApp } from '../support/second-factors.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';

const patience = { timeout: 20_000, interval: 5 };
const hour = 60 * 60_000;

describe('the log of sign-ins', () => {
  let slipway: TestService;
  const clock = { now: Date.UTC(2026, 10, 21) };
  let text = '';
  beforeAll(async () => {
    const stream = new PassThrough({ encoding: 'utf8' }).on('data', (chunk) => {
      text += chunk;
    });
    slipway = await startTestService({
      blobs: 'memory',
      // Rows of the same millisecond have no order.
      now: () => ++clock.now,
      logger: createLogger('info', stream),
      settings: { SLIPWAY_TRUST_PROXY: '127.0.0.1' },
    });
    for (const name of ['mina', 'olga', 'pia', 'rosa', 'tess', 'vera']) await slipway.user(name);
  });
  afterAll(() => slipway.close());

  const from = (address: string) => ({ 'X-Forwarded-For': address });
  const tryFrom = (address: string, login: string, password = 'not the password') =>
    postForm(slipway, '/sign-in', { login, password }, from(address));
  const rowsAbout = async (name: string): Promise<Omit<AuditRow, 'id'>[]> => {
    const owner = await slipway.data.owners.findOwner(name);
    const rows = await slipway.data.audit.list(owner?.id ?? '', 50);
    return rows.filter(({ action }) => /^sign-in|^sessions/.test(action)).reverse();
  };
  const refusals = (limit = 500) =>
    slipway.data.audit.page({ ownerId: null, action: 'sign-in.refused' }, { limit });
  const nobodys = async () =>
    (await refusals()).filter(({ subject }) => subject === auditSubjects.unknownName);
  const lineOf = (answer: { headers: Record<string, unknown> }) =>
    vi.waitFor(() => {
      const lines = text.split('\n').filter((line) => line !== '');
      const id = answer.headers['x-request-id'];
      const found = lines
        .map((line) => JSON.parse(line))
        .filter((line) => line.request === id && 'event' in line);
      expect(found).toHaveLength(1);
      return found[0];
    }, patience);

  it('records who signed in and out, the method and the network, with the request id', async () => {
    const answer = await tryFrom('2001:db8:1:2:3::4', 'mina', testPassword);
    const network = '2001:db8:1:2::/64';
    expect(await rowsAbout('mina')).toMatchObject([
      { actorName: 'mina', action: 'sign-in.accepted', details: { way: 'password', network } },
    ]);
    expect(await lineOf(answer)).toMatchObject({
      level: 30,
      event: 'sign-in.accepted',
      user: 'mina',
      way: 'password',
      network,
    });
    const browser = browserWith(slipway, answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '');
    const csrf = await browser.csrf();
    const left = await browser.post('/sign-out', { csrf });
    expect((await rowsAbout('mina')).at(-1)).toMatchObject({ actorName: 'mina', action: 'sign-in.ended' });
    expect(await lineOf(left)).toMatchObject({ event: 'sign-in.ended', user: 'mina' });
    expect((await browser.post('/sign-out', { csrf })).status).toBe(303);
    expect(await rowsAbout('mina')).toHaveLength(2);
  });

  it('records which account an attempt was for, by its name or address', async () => {
    const answer = await tryFrom('192.0.2.1', 'OLGA');
    expect(await lineOf(answer)).toMatchObject({ level: 40, event: 'sign-in.refused', user: 'olga' });
    await tryFrom('192.0.2.2', 'Olga@example.com');
    const details = { way: 'password', why: 'wrong', tries: 1 };
    const row = { actorName: 'sign-in', action: 'sign-in.refused', subject: 'olga' };
    await vi.waitFor(async () => {
      const rows = await rowsAbout('olga');
      expect(rows).toHaveLength(2);
      for (const network of ['192.0.2.1', '192.0.2.2'])
        expect(rows).toContainEqual({ ...row, at: expect.any(Number), details: { ...details, network } });
    }, patience);
  });

  it('contains a row for the first and tenth attempt within an hour, with the count, and none for a pause', async () => {
    for (let tries = 1; tries <= 12; tries++) {
      expect((await tryFrom('192.0.2.3', 'pia')).status).toBe(tries <= 10 ? 401 : 429);
    }
    const tries = async () => (await rowsAbout('pia')).map(({ details }) => details.tries);
    await vi.waitFor(async () => expect((await tries()).sort()).toEqual([1, 10]), patience);
    expect(await lineOf(await tryFrom('192.0.2.3', 'pia'))).toMatchObject({ why: 'paused', user: 'pia' });
    clock.now += hour;
    await tryFrom('192.0.2.3', 'pia');
    await vi.waitFor(async () => expect((await tries()).sort()).toEqual([1, 1, 10]), patience);
  });

  it('keeps only a keyed hash of an unknown name: it may be a password', async () => {
    const submitted = 'my secret pass phrase';
    for (const [address, login] of [
      ['192.0.2.10', submitted],
      ['192.0.2.11', ` ${submitted.toUpperCase()}`],
      ['192.0.2.12', 'another@example.com'],
    ] as const) {
      expect(await lineOf(await tryFrom(address, login))).toMatchObject({ user: null });
    }
    await vi.waitFor(async () => expect(await nobodys()).toHaveLength(3), patience);
    const marks = new Map((await nobodys()).map(({ details }) => [details.network, details.mark]));
    expect(marks.get('192.0.2.10')).toMatch(/^[\w-]{6}$/);
    expect(marks.get('192.0.2.11')).toBe(marks.get('192.0.2.10'));
    expect(marks.get('192.0.2.12')).not.toBe(marks.get('192.0.2.10'));
    const kept = `${JSON.stringify(await slipway.data.audit.page({ ownerId: null }, { limit: 500 }))}${text}`;
    expect(kept.toLowerCase()).not.toMatch(/secret pass|another@/);
  });

  it('records refused second steps and passkeys, with the method', async () => {
    const browser = browserWith(slipway, (await signIn(slipway, 'rosa')).cookie);
    const app = await setUpApp({ clock }, browser);
    const step = await afterPassword(slipway, 'rosa');
    expect(await lineOf(await step.prove('code', '000000'))).toMatchObject({ way: 'password and code' });
    const refused = await lineOf(await step.prove('recovery', 'aaaa-bbbb-cccc-dddd'));
    expect(refused).toMatchObject({ way: 'password and recovery code', why: 'wrong', user: 'rosa' });
    expect((await step.prove('code', app.code(1))).status).toBe(303);
    const again = await afterPassword(slipway, 'rosa');
    expect((await again.prove('recovery', app.recoveryCodes[0] ?? '')).status).toBe(303);
    await vi.waitFor(async () => {
      const rows = await rowsAbout('rosa');
      expect(rows.filter(({ action }) => action === 'sign-in.refused')).toHaveLength(1);
      const accepted = rows.filter(({ action }) => action === 'sign-in.accepted');
      const ways = ['password', 'password and code', 'password and recovery code'];
      expect(accepted.map(({ details }) => details.way)).toEqual(ways);
    }, patience);
    const host = { Host: `localhost:${slipway.port}` };
    const passkey = await postForm(slipway, '/sign-in/passkey', { ticket: 't', credential: 'c' }, host);
    expect([passkey.status, (await lineOf(passkey)).way]).toEqual([401, 'passkey']);
  });

  it('records who ended sessions in their list, and how many', async () => {
    const browsers = await Promise.all([1, 2, 3].map(() => signIn(slipway, 'tess')));
    const own = browserWith(slipway, browsers[0]?.cookie ?? '');
    await own.submit('/settings/sessions', 'end');
    await own.submit('/settings/sessions', 'end-others');
    await own.post('/settings/sessions/end-others', { csrf: await own.csrf() });
    const ended = (await rowsAbout('tess')).filter(({ action }) => action === 'sessions.ended');
    expect(ended.map(({ actorName, details }) => [actorName, details.sessions])).toEqual([
      ['tess', 1],
      ['tess', 1],
    ]);
  });

  it('is filtered and exported by administrators like the rest of the audit log', async () => {
    const admin = browserWith(slipway, (await signIn(slipway, 'admin')).cookie);
    const page = await admin.get('/administration/audit?action=sign-in.refused&actor=sign-in');
    expect(page.text).toContain('failed to sign in as <strong><bdi>olga</bdi></strong>');
    expect(page.text).toContain('Sign-ins are kept for a limited time');
    const file = await admin.get('/administration/audit.csv?action=sign-in.refused');
    expect(file.text).toContain('"sign-in","sign-in.refused","olga"');
  });
});

describe('a flood of refused sign-ins', () => {
  it('writes a limited number of rows per hour, and does not hide other accounts', async () => {
    const test = await openTestData('sqlite');
    try {
      const mina = await addUser(test.data, 'mina');
      const signIns = createSignInLog({ data: test.data, secret: 's', now: () => 0 });
      const log = createLogger('error', new PassThrough());
      const refuse = async (at: number, login: string) => {
        const address = `198.51.${Math.trunc(at / 250)}.${at % 250}`;
        signIns.refused({ address, log }, { way: 'password', why: 'wrong', claimed: { login } });
        if (at % 20 === 0) await signIns.settled();
      };
      for (let at = 0; at < maxRefusedRows.nobody + 40; at++) await refuse(at, `nobody-${at}`);
      for (let at = 0; at < maxRefusedRows.account + 10; at++) await refuse(at, 'mina');
      await signIns.settled();
      const rows = await test.data.audit.page({ ownerId: null }, { limit: 500 });
      const subjects = rows.map(({ subject }) => subject);
      expect(subjects.filter((subject) => subject === auditSubjects.unknownName)).toHaveLength(
        maxRefusedRows.nobody,
      );
      expect(subjects.filter((subject) => subject === mina.name)).toHaveLength(maxRefusedRows.account);
    } finally {
      await test.close();
    }
  });
});
