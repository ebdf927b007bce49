/** Ways to an account, and back into one: made passwords, emails, invitations, signing up. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxOpenInvitations } from '../../src/accounts/invitations/invitation.ts';
import { lanes, leaseMs } from '../../src/jobs/outbox.ts';
import {
  type AccountsService,
  type Browser,
  browserAfter,
  startAccountsService,
} from '../support/accounts-service.ts';
import { postForm, signIn } from '../support/browser-session.ts';
import { get } from '../support/interface-client.ts';
import { addPerson, settleOutbox } from '../support/mail-service.ts';
import { formOf, postedForms } from '../support/page-forms.ts';
import { dialects } from '../support/test-database.ts';
import { testPassword } from '../support/test-service.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const fresh = { password: 'seven grey gulls', again: 'seven grey gulls' };

describe.each(dialects)('coming in on %s', (dialect) => {
  let slipway: AccountsService;
  let olga: Browser;
  beforeAll(async () => {
    slipway = await startAccountsService(dialect, ['olga', 'mina', 'tess'], {
      settings: { SLIPWAY_SIGN_UP: 'open' },
    });
    await slipway.project('crew', { members: { olga: 'owner', tess: 'tester' } });
    olga = await slipway.browser('olga');
  });
  afterAll(() => slipway.close());

  const findUser = async (name: string) => {
    const owner = await slipway.data.owners.findOwner(name);
    return owner?.kind === 'user' ? owner : null;
  };
  const teamsOf = async (name: string) => {
    const project = await slipway.data.owners.findOwner('crew');
    return slipway.data.owners.teamsOf(project?.id ?? '', (await findUser(name))?.id ?? '');
  };
  const mustChange = async (name: string) => {
    const user = await findUser(name);
    const account = await slipway.data.accounts.findAccount(user?.id ?? '');
    await slipway.data.accounts.setPassword(user?.id ?? '', account?.passwordHash ?? '', true);
  };
  describe('with a password that was made', () => {
    it('opens one page, until another password is chosen', async () => {
      const key = await slipway.user('newcomer');
      await mustChange('newcomer');
      const answer = await postForm(slipway, '/sign-in', {
        ...{ login: 'newcomer', password: testPassword, to: '/users/newcomer?page=1' },
      });
      expect(answer.status).toBe(303);
      const welcome = '/welcome?to=%2Fusers%2Fnewcomer%3Fpage%3D1';
      expect(answer.headers.location).toBe(welcome);
      const newcomer = browserAfter(slipway, answer);
      for (const path of [
        '/users/newcomer',
        '/settings',
        '/settings/keys',
        '/settings/password',
        '/administration/mail',
      ]) {
        const led = await newcomer.get(path);
        expect(led.status, path).toBe(303);
        expect(led.headers.location, path).toBe(`/welcome?to=${encodeURIComponent(path)}`);
      }
      expect((await newcomer.get('/sign-in')).headers.location).toBe('/welcome');
      expect((await newcomer.get('/')).text).not.toContain('/users/newcomer');
      const [signOut] = postedForms((await newcomer.get('/welcome')).text);
      const csrf = signOut?.fields.csrf ?? '';
      expect(signOut?.action).toBe('/sign-out');
      const making = { csrf, name: 'x', expires: 'never' };
      expect((await newcomer.post('/settings/keys/create', making)).status).toBe(303);
      expect(await slipway.data.keys.listKeys((await findUser('newcomer'))?.id ?? '')).toHaveLength(1);
      expect((await get(slipway, '/api/organizations', key)).status).toBe(200);
      expect((await get(slipway, '/settings', null, { headers: { Cookie: newcomer.cookie } })).status).toBe(
        401,
      );

      const choose = (fields: Record<string, string>) => newcomer.submit(welcome, 'welcome', fields);
      expect((await newcomer.post(welcome, { ...fresh, csrf: 'x' })).status).toBe(403);
      expect((await choose({ password: 'short', again: 'short' })).status).toBe(400);
      const same = await choose({ password: testPassword, again: testPassword });
      expect(same.text).toContain('the password that you had');
      expect((await newcomer.get('/settings')).headers.location).toContain('/welcome');
      const chosen = await choose(fresh);
      expect(chosen.headers.location).toBe('/users/newcomer?page=1');
      expect((await newcomer.get('/welcome')).headers.location).toContain('/sign-in');
      const now = browserAfter(slipway, chosen);
      expect((await now.get('/settings')).status).toBe(200);
      expect((await now.get('/welcome')).headers.location).toBe('/');
      await expect(signIn(slipway, 'newcomer')).rejects.toThrow('401');
    });

    it('never leads to another site', async () => {
      await slipway.user('led');
      await mustChange('led');
      const led = await slipway.browser('led');
      for (const to of ['//evil.example', 'https://evil.example', '/\\evil.example']) {
        const page = await led.get(`/welcome?to=${encodeURIComponent(to)}`);
        expect(page.text).not.toContain('evil.example');
      }
      expect((await slipway.stranger.get('/welcome?to=//evil.example')).headers.location).toBe(
        '/sign-in?to=%2F',
      );
    });
  });

  describe('by an email', () => {
    const ask = (login: string) => slipway.stranger.post('/forgot-password', { login });
    const withoutToken = (html: string) => html.replace(/name="csrf" value="[^"]*"/g, '');

    it('answers everybody alike, and orders an email whoever is asked for', async () => {
      const answers = [await ask('mina'), await ask('nobody'), await ask('nobody@example.com')];
      for (const { status, text } of answers) {
        expect(status).toBe(200);
        expect(withoutToken(text)).toBe(withoutToken(answers[0]?.text ?? ''));
      }
      const keys = answers.map(({ headers }) => Object.keys(headers));
      expect(keys[1]).toEqual(keys[0]);
      expect(await slipway.linkInLetter('mina@example.com')).toMatch(/^\/reset-password\/[\w-]{43}$/);
    });

    it('sets a password once, ends every session, and signs nobody in', async () => {
      const mina = await slipway.browser('mina');
      await ask('MINA@example.com');
      const link = await slipway.linkInLetter('mina@example.com');
      const page = await slipway.stranger.get(link);
      expect(page.text).toContain('mina');
      expect(page.headers['referrer-policy']).toBe('no-referrer');
      const set = (fields: Record<string, string>, headers = {}) => postForm(slipway, link, fields, headers);
      expect((await set({ ...fresh, again: 'another one' })).status).toBe(400);
      expect((await set(fresh, { Origin: 'https://evil.example' })).status).toBe(403);
      const answers = await Promise.all([set(fresh), set(fresh), set(fresh)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404]);
      const done = answers.find(({ status }) => status === 303);
      // Anyone who had the old password may have created keys.
      expect(done?.headers.location).toBe(
        `/sign-in?done=password&to=${encodeURIComponent('/settings/keys?review=reset')}`,
      );
      expect(done?.headers['set-cookie']).toBeUndefined();
      expect((await slipway.stranger.get('/sign-in?done=password')).text).toContain(
        'The new password is set.',
      );
      expect((await mina.get('/settings')).status).toBe(303);
      await expect(signIn(slipway, 'mina')).rejects.toThrow('401');
      const again = await signIn(slipway, 'mina', fresh.password);
      expect(again.cookie).toBeTruthy();
      expect((await slipway.stranger.get(link)).status).toBe(404);
    });

    it('is good for an hour, and only the newest', async () => {
      await ask('tess');
      const first = await slipway.linkInLetter('tess@example.com');
      await ask('tess@example.com');
      const second = await slipway.linkInLetter('tess@example.com');
      expect((await slipway.stranger.get(first)).status).toBe(404);
      slipway.clock.now += hour - 1;
      expect((await slipway.stranger.get(second)).status).toBe(200);
      slipway.clock.now += 1;
      expect((await slipway.stranger.get(second)).status).toBe(404);
      const late = await slipway.stranger.post(second, fresh);
      expect(late.status).toBe(404);
      expect((await signIn(slipway, 'tess')).cookie).toBeTruthy();
    });

    it('is void once the password has changed otherwise', async () => {
      await slipway.user('other-way');
      await ask('other-way');
      const link = await slipway.linkInLetter('other-way@example.com');
      const browser = await slipway.browser('other-way');
      await browser.submit('/settings/password', 'password', { ...fresh, current: testPassword });
      expect((await slipway.stranger.get(link)).status).toBe(404);
    });

    it('is not to be had too often, known or not, nor for what is no login', async () => {
      await addPerson(slipway, 'asked-often');
      for (const login of ['asked-often', 'nobody-often']) {
        for (let at = 0; at < 5; at++) expect((await ask(login)).status, login).toBe(200);
        expect((await ask(login.toUpperCase())).status, login).toBe(429);
      }
      expect(await slipway.letters()).toBe(5);
      slipway.clock.now += hour;
      for (let at = 0; at < 20; at++) expect((await ask(`nobody-${at}`)).status).toBe(200);
      expect((await ask('nobody-20')).status).toBe(429);
      slipway.clock.now += hour;
      for (const login of ['', ' ', 'x'.repeat(255)]) expect((await ask(login)).status).toBe(400);
      const foreign = { Origin: 'https://evil.example' };
      expect((await postForm(slipway, '/forgot-password', { login: 'mina' }, foreign)).status).toBe(403);
      expect(await slipway.letters()).toBe(0);
    });
  });

  describe('by invitation', () => {
    const page = '/organizations/crew/invitations';
    const linkIn = (text: string) =>
      /https:\/\/apps\.example\.com(\/invitation\/[\w-]{43})/.exec(text)?.[1] ?? '';
    const invite = async (fields: Record<string, string>, address = page) => {
      const answer = await olga.submit(address, 'create', { ...fields, proof: testPassword });
      expect(answer.status).toBe(200);
      return linkIn(answer.text);
    };

    it('by a link joins the team with the account that somebody has, once', async () => {
      const link = await invite({ team: 'developer' });
      expect((await olga.get(page)).text).not.toContain(link);
      const stranger = await slipway.stranger.get(link);
      expect(stranger.text).toContain('olga invited you to the Project crew.');
      expect(stranger.text).toContain(`/sign-in?to=${encodeURIComponent(link)}`);
      await slipway.user('joiner');
      const joiner = await slipway.browser('joiner');
      expect((await joiner.post(`${link}/join`, { csrf: 'x' })).status).toBe(403);
      expect(await teamsOf('joiner')).toEqual([]);
      const joined = await joiner.submit(link, 'join');
      expect(joined.headers.location).toBe('/organizations/crew');
      expect(await teamsOf('joiner')).toEqual(['developer']);
      for (const later of [await joiner.get(link), await slipway.stranger.get(link)]) {
        expect(later.status).toBe(404);
        expect(later.text).toContain('no longer works');
      }
      const project = await slipway.data.owners.findOwner('crew');
      const log = await slipway.data.audit.list(project?.id ?? '', 9);
      expect(log.map(({ action }) => action)).toEqual(
        expect.arrayContaining(['invitation.made', 'team.joined']),
      );
      expect(JSON.stringify(log)).not.toContain(link.slice(12));
    });

    it('by mail goes there alone, and makes an account with that address', async () => {
      expect(await invite({ team: 'tester', email: 'guest@example.com' })).toBe('');
      const link = await slipway.linkInLetter('guest@example.com');
      const form = await slipway.stranger.get(link);
      expect(form.text).toContain('value="guest@example.com"');
      const made = await slipway.stranger.submit(link, 'create-account', { name: 'guest', ...fresh });
      expect(made.headers.location).toBe('/organizations/crew');
      expect((await browserAfter(slipway, made).get('/organizations/crew')).status).toBe(200);
      expect(await findUser('guest')).toMatchObject({ email: 'guest@example.com', administrator: false });
      expect(await teamsOf('guest')).toEqual(['tester']);
      expect(await slipway.letters()).toBe(0);
    });

    it('takes no account over: an address that somebody has stays with them', async () => {
      await invite({ team: 'owner', email: 'mina@example.com' });
      const link = await slipway.linkInLetter('mina@example.com');
      const before = await findUser('mina');
      const made = await slipway.stranger.submit(link, 'create-account', { name: 'not-mina', ...fresh });
      expect(made.status).toBe(303);
      expect(await findUser('mina')).toEqual(before);
      expect(await teamsOf('mina')).toEqual([]);
      expect(await findUser('not-mina')).toMatchObject({ email: null });
      expect((await signIn(slipway, 'mina@example.com', fresh.password)).cookie).toBeTruthy();
      expect(await slipway.linkInLetter('mina@example.com')).toBe('/forgot-password');
    });

    it('lets one in of many who come at once', async () => {
      const link = await invite({ team: 'tester' });
      const names = ['rush-one', 'rush-two', 'rush-three'];
      const answers = await Promise.all(
        names.map((name) => slipway.stranger.post(`${link}/create-account`, { name, email: '', ...fresh })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404]);
      const found = (await Promise.all(names.map(findUser))).filter((user) => user !== null);
      expect(found).toHaveLength(1);
    });

    it('says what is wrong with a new account, and stays open', async () => {
      const link = await invite({ team: 'tester' });
      const make = (fields: Record<string, string>) =>
        slipway.stranger.submit(link, 'create-account', { name: 'well-named', ...fresh, ...fields });
      for (const [fields, sentence] of [
        [{ name: 'MINA' }, 'This name is taken.'],
        [{ name: 'crew' }, 'This name is taken.'],
        [{ name: 'a b' }, 'A user name has'],
        [{ name: 'admin/..' }, 'A user name has'],
        [{ name: 'settings' }, 'reserved'],
        [{ email: 'x' }, 'not an e-mail address'],
        [{ again: 'x' }, 'not the same'],
      ] as const) {
        const answer = await make(fields);
        expect(answer.status).toBe(400);
        expect(answer.text).toContain(sentence);
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
      for (let at = 0; at < 25; at++) expect((await make({ name: 'mina' })).status).toBe(400);
      expect((await make({})).status).toBe(429);
      slipway.clock.now += hour;
      expect((await make({})).status).toBe(303);
    });

    it('ends after seven days, and when it is taken back', async () => {
      const link = await invite({ team: 'tester' });
      slipway.clock.now += 1;
      await invite({ team: 'tester', email: 'back@example.com' });
      const mailed = await slipway.linkInLetter('back@example.com');
      const { action: revoke, fields } = formOf((await olga.get(page)).text, 'revoke');
      const other = await slipway.browser('tess');
      expect((await other.post(revoke, { csrf: await other.csrf() })).status).toBe(404);
      expect((await slipway.stranger.get(mailed)).status).toBe(200);
      expect((await olga.post(revoke, fields)).status).toBe(303);
      expect((await slipway.stranger.get(mailed)).status).toBe(404);
      expect((await olga.post(revoke, fields)).status).toBe(404);
      const crew = (await slipway.data.owners.findOwner('crew'))?.id ?? '';
      const action = 'invitation.revoked';
      const invitation = revoke.split('/').at(-2);
      const rows = await slipway.data.audit.page({ ownerId: crew, action }, { most: 9 });
      const details = { invitation, mailed: true };
      expect(rows).toMatchObject([{ actorName: 'olga', subject: 'tester team', details }]);
      const { text } = await olga.get('/organizations/crew/audit');
      expect(text).toContain('took back an invitation: <strong><bdi>tester team</bdi></strong>');
      expect(text).not.toContain('back@example.com');
      slipway.clock.now += 7 * day - 2;
      expect((await slipway.stranger.get(link)).status).toBe(200);
      slipway.clock.now += 1;
      expect((await slipway.stranger.get(link)).status).toBe(404);
      expect((await slipway.stranger.post(`${link}/create-account`, { name: 'late', ...fresh })).status).toBe(
        404,
      );
      expect(await findUser('late')).toBeNull();
      expect((await slipway.stranger.get('/invitation/x')).status).toBe(404);
      olga = await slipway.browser('olga');
    });

    it('is for the owner team; the installation invites through administrators', async () => {
      await slipway.project('elsewhere', { members: { mina: 'owner' } });
      const pages = [page, '/administration/invitations', '/organizations/elsewhere/invitations'];
      const tess = await slipway.browser('tess');
      for (const address of pages) {
        expect((await tess.get(address)).status, address).toBe(404);
        const posted = await tess.post(`${address}/create`, { csrf: await tess.csrf(), team: 'owner' });
        expect(posted.status, address).toBe(404);
        expect((await slipway.stranger.get(address)).status, address).toBe(303);
        const byKey = await get(slipway, address, slipway.adminKey, { headers: { Accept: 'text/html' } });
        expect(byKey.status, address).toBe(404);
      }
      expect((await olga.get('/organizations/elsewhere/invitations')).status).toBe(404);
      const admin = await slipway.browser('admin');
      const answer = await admin.submit('/administration/invitations', 'create', { proof: testPassword });
      const link = linkIn(answer.text);
      expect((await slipway.stranger.get(link)).text).toContain('admin invited you to this Slipway server.');
      expect((await olga.get(link)).text).toContain('You have an account here already.');
      expect((await olga.post(`${link}/join`, { csrf: await olga.csrf() })).status).toBe(303);
      expect((await get(slipway, `${link}/join`, slipway.adminKey, { method: 'POST' })).status).toBe(404);
      const made = await slipway.stranger.submit(link, 'create-account', { name: 'invited-here', ...fresh });
      expect(made.headers.location).toBe('/');
      expect(await findUser('invited-here')).not.toBeNull();
    });

    it('is refused with a team that is none, an address that is none, or too many open', async () => {
      const csrf = await olga.csrf();
      const post = (fields: Record<string, string>) => olga.post(`${page}/create`, { csrf, ...fields });
      expect((await post({ team: 'admins' })).text).toContain('Choose a team.');
      expect((await post({ team: 'tester', email: 'x' })).text).toContain('not an e-mail address');
      const project = await slipway.data.owners.findOwner('crew');
      const invitedBy = (await findUser('olga'))?.id ?? '';
      const open = await slipway.data.invitations.countInvitations(project?.id ?? '', slipway.clock.now);
      for (let at = open; at < maxOpenInvitations - 1; at++) {
        await slipway.data.invitations.insertInvitation({
          ...{ tokenHash: `filler ${at}`, email: null, invitedBy, createdAt: slipway.clock.now },
          ...{ into: { projectId: project?.id ?? '', team: 'tester' }, expiresAt: slipway.clock.now + day },
        });
      }
      const answers = await Promise.all([post({ team: 'tester' }), post({ team: 'tester' })]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    });
  });

  describe('by signing up', () => {
    const signUp = (fields: Record<string, string>) =>
      slipway.stranger.submit('/sign-up', 'sign-up', { ...fresh, ...fields });

    it('makes an account and signs it in; the address counts once its email is opened', async () => {
      expect((await slipway.stranger.get('/sign-in')).text).toContain('href="/sign-up"');
      const made = await signUp({ name: 'Walker', email: 'walker@example.com' });
      expect(made.headers.location).toBe('/');
      const walker = browserAfter(slipway, made);
      const user = await findUser('walker');
      expect(user).toMatchObject({ name: 'Walker', email: null, administrator: false });
      expect(await slipway.data.quotas.find(user?.id ?? '')).toEqual({
        ...{ maxStorageBytes: 5 * 1024 ** 3, maxBuilds: 100, maxProjects: 5 },
      });
      const link = await slipway.linkInLetter('walker@example.com');
      expect((await walker.submit(link, 'confirm')).status).toBe(303);
      expect(await findUser('walker')).toMatchObject({ email: 'walker@example.com' });
      expect((await walker.get('/sign-up')).headers.location).toBe('/');
    });

    it('says nothing of who has an address', async () => {
      const taken = await signUp({ name: 'spy-one', email: 'MINA@example.com' });
      expect(await slipway.linkInLetter('mina@example.com')).toBe('/forgot-password');
      const free = await signUp({ name: 'spy-two', email: 'free@example.com' });
      expect([taken.status, taken.headers.location]).toEqual([free.status, free.headers.location]);
      expect((await findUser('spy-one'))?.email).toBe((await findUser('spy-two'))?.email);
      await slipway.letters();
    });

    it('is limited, and refuses forms of other sites', async () => {
      slipway.clock.now += hour;
      const foreign = { Origin: 'https://evil.example' };
      const fields = { name: 'foreign', email: '', ...fresh };
      expect((await postForm(slipway, '/sign-up', fields, foreign)).status).toBe(403);
      for (let at = 0; at < 20; at++) {
        expect((await signUp({ name: 'mina' })).text).toContain('This name is taken.');
      }
      expect((await signUp({ name: 'one-too-many' })).status).toBe(429);
      expect(await findUser('one-too-many')).toBeNull();
    });
  });
});

describe('a server that is closed', () => {
  it('has no page to sign up', async () => {
    const slipway = await startAccountsService('sqlite', []);
    expect((await slipway.stranger.get('/sign-in')).text).not.toContain('/sign-up');
    expect((await slipway.stranger.get('/sign-up')).status).toBe(404);
    const posted = await slipway.stranger.post('/sign-up', { name: 'x', ...fresh });
    expect(posted.status).toBe(404);
    await slipway.close();
  });
});

describe('emails', () => {
  it('wait without the secret that their link will carry', async () => {
    const slipway = await startAccountsService('sqlite', []);
    await addPerson(slipway, 'mina');
    const waiting: unknown[] = [];
    slipway.mailer.send = async () => {
      // As another node would take the job over when this one were gone.
      const later = slipway.clock.now + leaseMs + 1;
      waiting.push(...(await slipway.data.outbox.claim(lanes.mail, later, 9)));
      return { kind: 'sent' };
    };
    await slipway.stranger.post('/forgot-password', { login: 'mina' });
    await settleOutbox(slipway);
    const job = { kind: 'send-letter', letter: { about: 'password-reset', login: 'mina' } };
    expect(waiting).toMatchObject([{ job }]);
    expect(JSON.stringify(waiting)).not.toMatch(/[\w-]{40}/);
    await slipway.close();
  });

  it('are tried again when the mail server has no time, and then with another link', async () => {
    const slipway = await startAccountsService('sqlite', []);
    await addPerson(slipway, 'mina');
    const tried: string[] = [];
    const send = slipway.mailer.send;
    slipway.mailer.send = async (message) => {
      tried.push(/\/reset-password\/[\w-]+/.exec(message.text)?.[0] ?? '');
      return tried.length === 1 ? { kind: 'later', reason: 'busy' } : send(message);
    };
    await slipway.stranger.post('/forgot-password', { login: 'mina' });
    await settleOutbox(slipway);
    expect((await slipway.stranger.get(tried[0] ?? '')).status).toBe(200);
    slipway.clock.now += minute;
    const link = await slipway.linkInLetter('mina@example.com');
    expect(tried).toEqual([expect.any(String), link]);
    expect((await slipway.stranger.get(tried[0] ?? '')).status).toBe(404);
    expect((await slipway.stranger.get(link)).status).toBe(200);
    await slipway.close();
  });

  it('are not sent when they come too late, and given up when they are refused', async () => {
    const slipway = await startAccountsService('sqlite', []);
    await addPerson(slipway, 'mina');
    let tries = 0;
    slipway.mailer.send = async () => {
      tries += 1;
      return { kind: tries === 1 ? 'later' : 'refused', reason: 'no' };
    };
    await slipway.stranger.post('/forgot-password', { login: 'mina' });
    await settleOutbox(slipway);
    slipway.clock.now += hour + 1;
    await settleOutbox(slipway);
    expect(tries).toBe(1);
    await slipway.stranger.post('/forgot-password', { login: 'mina' });
    await settleOutbox(slipway);
    slipway.clock.now += hour / 2;
    await settleOutbox(slipway);
    expect(tries).toBe(2);
    await slipway.close();
  });
});
