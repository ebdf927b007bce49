/** The head of error pages: it shows the signed-in user, who is not asked to sign in again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { type Answer, send } from '../support/http-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

describe('error pages', () => {
  let slipway: TestService;
  let admin: BrowserSession;
  beforeAll(async () => {
    slipway = await startTestService({
      blobs: 'memory',
      settings: { SLIPWAY_REQUESTS_PER_MINUTE: '10', SLIPWAY_TRUST_PROXY: '127.0.0.1' },
    });
    admin = await signIn(slipway, 'admin');
  });
  afterAll(() => slipway.close());

  const headOf = ({ text }: Answer) => {
    expect(text).toMatch(/^<!doctype html>/);
    const head = text.slice(text.indexOf('<header'), text.indexOf('</header>'));
    return {
      person: head.includes('href="/users/admin"'),
      signOut: head.includes('/sign-out'),
      signIn: head.includes('/sign-in'),
    };
  };
  const signedIn = { person: true, signOut: true, signIn: false };
  const neutral = { person: false, signOut: false, signIn: false };
  const nobody = { person: false, signOut: false, signIn: true };
  const form = (length: number) => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'x'.repeat(length),
  });

  it.each([
    [400, '/%zz', {}],
    [403, '/settings/email/change', form(3)],
    [404, '/nothing-here', {}],
    [404, `/users/${'a'.repeat(3000)}`, {}],
    [405, '/docs', form(3)],
    [413, '/settings/email/change', form(2 * 1024 * 1024)],
  ])('show the signed-in user with %d at %.20s', async (status, address, options) => {
    const answer = await admin.get(address, options);
    expect(answer.status).toBe(status);
    expect(headOf(answer)).toEqual(signedIn);
    const headers = { Accept: 'text/html', ...('headers' in options ? options.headers : {}) };
    const anybody = await send(slipway.port, address, { ...options, headers });
    if (anybody.status >= 400) expect(headOf(anybody)).toEqual(nobody);
  });

  it('skip identification for rate-limited requests', async () => {
    const busy = await signIn(slipway, 'admin');
    const from = { headers: { 'X-Forwarded-For': '198.51.100.7' } };
    let answer = await busy.get('/', from);
    for (let more = 0; more < 100 && answer.status === 200; more++) answer = await busy.get('/', from);
    const { sessions } = slipway.data;
    const { findSession } = sessions;
    let askedForSession = 0;
    sessions.findSession = (...question) => {
      askedForSession += 1;
      return findSession(...question);
    };
    answer = await busy.get('/', from);
    sessions.findSession = findSession;
    expect(answer.status).toBe(429);
    expect(headOf(answer)).toEqual(neutral);
    expect(askedForSession).toBe(0);
    const elsewhere = { 'X-Forwarded-For': '198.51.100.8', Accept: 'text/html' };
    let stranger = await send(slipway.port, '/sign-in', { headers: elsewhere });
    for (let more = 0; more < 100 && stranger.status === 200; more++)
      stranger = await send(slipway.port, '/sign-in', { headers: elsewhere });
    expect([stranger.status, headOf(stranger)]).toEqual([429, nobody]);
  });

  it('show no user when the database is down', async () => {
    const { sessions } = slipway.data;
    const { findSession } = sessions;
    sessions.findSession = () => Promise.reject(new Error('the database is away'));
    const answer = await admin.get('/');
    expect(answer.status).toBe(500);
    expect(headOf(answer)).toEqual(neutral);
    expect(answer.text).not.toContain('/sign-in');
    const missing = await admin.get('/nothing-here');
    expect([missing.status, headOf(missing)]).toEqual([404, neutral]);
    expect(missing.text).not.toContain('/sign-in');
    sessions.findSession = findSession;
    const anybody = await send(slipway.port, '/nothing-here', { headers: { Accept: 'text/html' } });
    expect(headOf(anybody)).toEqual(nobody);
  });

  it('suggest signing in again after the session has ended', async () => {
    await slipway.data.sessions.deleteSessionsOf(
      (await slipway.data.owners.findOwner('admin'))?.id ?? '',
      '',
    );
    const answer = await admin.get('/nothing-here');
    expect([answer.status, headOf(answer)]).toEqual([404, nobody]);
  });
});
