/** Single-use values on PostgreSQL, where requests of several nodes run at the same time. The suites of each feature prove it on SQLite. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxOpenInvitations } from '../../src/accounts/invitations/invitation.ts';
import { type AccountsService, type Browser, startAccountsService } from '../support/accounts-service.ts';
import { postForm, sessionCookieOf } from '../support/browser-session.ts';
import { type Answer, json, send } from '../support/http-client.ts';
import { formOf } from '../support/page-forms.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { afterPassword, readApp, setUpApp } from '../support/second-factors.ts';
import { testPassword } from '../support/test-service.ts';

const fresh = { password: 'seven grey gulls', again: 'seven grey gulls' };

describe.runIf(runsEverything)('of concurrent requests on postgres, only one', () => {
  let slipway: AccountsService;
  let olga: Browser;
  beforeAll(async () => {
    slipway = await startAccountsService('postgres', ['olga', 'mina', 'pia', 'rosa', 'tess']);
    await slipway.project('crew', { members: { olga: 'owner' } });
    olga = await slipway.browser('olga');
  });
  afterAll(() => slipway.close());

  const statusesOf = async (requests: Promise<{ status: number }>[]) =>
    (await Promise.all(requests)).map(({ status }) => status).sort();

  it('sets a password with a reset link', async () => {
    await slipway.stranger.post('/forgot-password', { login: 'mina' });
    const link = await slipway.linkInEmail('mina@example.com');
    const set = () => postForm(slipway, link, fresh);
    expect(await statusesOf([set(), set(), set()])).toEqual([303, 404, 404]);
  });

  it('creates an account with an invitation', async () => {
    const page = '/organizations/crew/invitations';
    const made = await olga.submit(page, 'create', { team: 'tester', proof: testPassword });
    const link = /\/invitation\/[\w-]{43}/.exec(made.text)?.[0];
    const names = ['rush-one', 'rush-two', 'rush-three'];
    const join = (name: string) =>
      slipway.stranger.post(`${link}/create-account`, { name, email: '', ...fresh });
    expect(await statusesOf(names.map(join))).toEqual([303, 404, 404]);
    const found = await Promise.all(names.map((name) => slipway.data.owners.findOwner(name)));
    expect(found.filter((user) => user !== null)).toHaveLength(1);
  });

  it('gets the last open invitation', async () => {
    const [project, inviter] = await Promise.all(
      ['crew', 'olga'].map((name) => slipway.data.owners.findOwner(name)),
    );
    const { now } = slipway.clock;
    const projectId = project?.id ?? '';
    const open = await slipway.data.invitations.countInvitations(projectId, now);
    for (let at = open; at < maxOpenInvitations - 1; at++) {
      await slipway.data.invitations.insertInvitation({
        tokenHash: `filler ${at}`,
        email: null,
        invitedBy: inviter?.id ?? '',
        createdAt: now,
        into: { kind: 'project', id: projectId, team: 'tester' },
        expiresAt: now + 86_400_000,
      });
    }
    const csrf = await olga.csrf();
    const invite = () => olga.post('/organizations/crew/invitations/create', { csrf, team: 'tester' });
    expect(await statusesOf([invite(), invite(), invite()])).toEqual([200, 409, 409]);
  });

  it('signs in with a code of an app, and with a recovery code', async () => {
    const app = await setUpApp(slipway, await slipway.browser('pia'));
    slipway.clock.now += 10 * 60_000;
    for (const [way, code] of [
      ['code', app.code()],
      ['recovery', app.recoveryCodes[0] ?? ''],
    ] as const) {
      const browsers = await Promise.all([1, 2, 3].map(() => afterPassword(slipway, 'pia')));
      expect(await statusesOf(browsers.map((browser) => browser.prove(way, code)))).toEqual([303, 401, 401]);
    }
  });

  it('changes a password, of two that know it', async () => {
    const [one, other] = [await slipway.browser('rosa'), await slipway.browser('rosa')];
    const change = async (browser: Browser, at: number) =>
      browser.post('/settings/password', {
        csrf: await browser.csrf(),
        current: testPassword,
        password: `seven grey gulls ${at}`,
        again: `seven grey gulls ${at}`,
      });
    const answers = await Promise.all([change(one, 1), change(other, 2)]);
    const changed = answers.filter(({ headers }) => headers.location?.startsWith('/settings/password?done'));
    expect(changed).toHaveLength(1);
  });

  it('leaves no session of a password that was replaced, or that no longer suffices, meanwhile', async () => {
    const headers = { Accept: 'text/html' };
    const survivors = async (answers: Promise<Answer>[]) => {
      const cookies = (await Promise.all(answers)).flatMap((answer) => sessionCookieOf(answer) ?? []);
      const opened = cookies.map((Cookie) =>
        send(slipway.port, '/settings', { headers: { ...headers, Cookie } }),
      );
      return (await Promise.all(opened)).filter(({ status }) => status === 200).length;
    };
    let password = testPassword;
    for (let round = 0; round < 6; round++) {
      const tess = await slipway.browser('tess', password);
      const fields = {
        current: password,
        password: `seven grey gulls ${round}`,
        again: `seven grey gulls ${round}`,
      };
      const signIns = Array.from({ length: 6 }, () =>
        postForm(slipway, '/sign-in', { login: 'tess', password }),
      );
      const changed = await tess.submit('/settings/password', 'password', fields);
      expect(changed.headers.location).toMatch(/done=changed/);
      expect(await survivors(signIns)).toBe(0);
      password = fields.password;
    }
    const tess = await slipway.browser('tess', password);
    const shown = await tess.get('/settings/security/app');
    const { action, fields } = formOf(shown.text, 'enable');
    const signIns = Array.from({ length: 6 }, () =>
      postForm(slipway, '/sign-in', { login: 'tess', password }),
    );
    const enabled = await tess.post(action, { ...fields, code: readApp(slipway, shown.text).code() });
    expect(enabled.status).toBe(200);
    expect(await survivors(signIns)).toBe(0);
  });

  it('receives the key of a terminal', async () => {
    const post = (path: string, fields: Record<string, string>) =>
      send(slipway.port, path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      });
    const { device_code: code, user_code: shown } = json<{ device_code: string; user_code: string }>(
      await post('/oauth/device_authorization', { client_id: 'slipway-cli' }),
    );
    await olga.submit(`/device?code=${shown}`, 'approve', { days: '30', proof: testPassword });
    const grant = 'urn:ietf:params:oauth:grant-type:device_code';
    const poll = () => post('/oauth/token', { grant_type: grant, device_code: code });
    expect(await statusesOf([poll(), poll(), poll()])).toEqual([200, 400, 400]);
  });
});
