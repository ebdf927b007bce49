/** Account creation and recovery: temporary passwords, reset emails, invitations and sign-up. */
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hashInvitationToken, maxOpenInvitations } from '../../src/accounts/invitations/invitation.ts';
import { lanes } from '../../src/jobs/outbox.ts';
import {
  type AccountsService,
  type Browser,
  browserAfter,
  startAccountsService,
} from '../support/accounts-service.ts';
import { postForm, signIn } from '../support/browser-session.ts';
import { countEarlierAttempts } from '../support/earlier-attempts.ts';
import { send } from '../support/http-client.ts';
import { bearer, get } from '../support/interface-client.ts';
import { addPerson, settleOutbox } from '../support/mail-service.ts';
import { formOf, postedForms } from '../support/page-forms.ts';
import { startTestService, testAdminKey, testPassword } from '../support/test-service.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const fresh = { password: 'seven grey gulls', again: 'seven grey gulls' };

describe('account onboarding', () => {
  let slipway: AccountsService;
  let olga: Browser;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['olga', 'mina', 'tess'], {
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
  describe('with a temporary password', () => {
    it('opens only the page that replaces it', async () => {
      const key = await slipway.user('newcomer');
      await mustChange('newcomer');
      const answer = await postForm(slipway, '/sign-in', {
        login: 'newcomer',
        password: testPassword,
        to: '/users/newcomer?page=1',
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
      const accountRequest = { csrf, name: 'x', expires: 'never' };
      expect((await newcomer.post('/settings/keys/create', accountRequest)).status).toBe(303);
      expect(await slipway.data.keys.listKeys((await findUser('newcomer'))?.id ?? '')).toHaveLength(1);
      expect((await get(slipway, '/api/organizations', key)).status).toBe(200);
      expect((await get(slipway, '/settings', null, { headers: { Cookie: newcomer.cookie } })).status).toBe(
        401,
      );

      const choose = (fields: Record<string, string>) => newcomer.submit(welcome, 'welcome', fields);
      expect((await newcomer.post(welcome, { ...fresh, csrf: 'x' })).status).toBe(403);
      expect((await choose({ password: 'short', again: 'short' })).status).toBe(400);
      const same = await choose({ password: testPassword, again: testPassword });
      expect(same.text).toContain('your current password');
      expect((await newcomer.get('/settings')).headers.location).toContain('/welcome');
      const chosen = await choose(fresh);
      expect(chosen.headers.location).toBe('/users/newcomer?page=1');
      expect((await newcomer.get('/welcome')).headers.location).toContain('/sign-in');
      const now = browserAfter(slipway, chosen);
      expect((await now.get('/settings')).status).toBe(200);
      expect((await now.get('/welcome')).headers.location).toBe('/');
      await expect(signIn(slipway, 'newcomer')).rejects.toThrow('401');
    });

    it('never redirects to another site', async () => {
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

  describe('by password reset email', () => {
    const ask = (login: string) => slipway.stranger.post('/forgot-password', { login });
    const withoutToken = (html: string) => html.replace(/name="csrf" value="[^"]*"/g, '');

    it('returns the same response for every login, and queues an email for each', async () => {
      const answers = [await ask('mina'), await ask('nobody'), await ask('nobody@example.com')];
      for (const { status, text } of answers) {
        expect(status).toBe(200);
        expect(withoutToken(text)).toBe(withoutToken(answers[0]?.text ?? ''));
      }
      const keys = answers.map(({ headers }) => Object.keys(headers));
      expect(keys[1]).toEqual(keys[0]);
      expect(await slipway.linkInEmail('mina@example.com')).toMatch(/^\/reset-password\/[\w-]{43}$/);
    });

    it('sets a password once, ends every session, and creates none', async () => {
      const mina = await slipway.browser('mina');
      await ask('MINA@example.com');
      const link = await slipway.linkInEmail('mina@example.com');
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
      expect((await slipway.stranger.get('/sign-in?done=password')).text).toContain('Password changed.');
      expect((await mina.get('/settings')).status).toBe(303);
      await expect(signIn(slipway, 'mina')).rejects.toThrow('401');
      const again = await signIn(slipway, 'mina', fresh.password);
      expect(again.cookie).toBeTruthy();
      expect((await slipway.stranger.get(link)).status).toBe(404);
    });

    it('is valid for an hour, and only the newest link works', async () => {
      await ask('tess');
      const first = await slipway.linkInEmail('tess@example.com');
      await ask('tess@example.com');
      const second = await slipway.linkInEmail('tess@example.com');
      expect((await slipway.stranger.get(first)).status).toBe(404);
      slipway.clock.now += hour - 1;
      expect((await slipway.stranger.get(second)).status).toBe(200);
      slipway.clock.now += 1;
      expect((await slipway.stranger.get(second)).status).toBe(404);
      const late = await slipway.stranger.post(second, fresh);
      expect(late.status).toBe(404);
      expect((await signIn(slipway, 'tess')).cookie).toBeTruthy();
    });

    it('is invalidated when the password changes in another way', async () => {
      await slipway.user('other-way');
      await ask('other-way');
      const link = await slipway.linkInEmail('other-way@example.com');
      const browser = await slipway.browser('other-way');
      await browser.submit('/settings/password', 'password', { ...fresh, current: testPassword });
      expect((await slipway.stranger.get(link)).status).toBe(404);
    });

    it('limits requests per login, existing or not, and refuses an invalid login', async () => {
      await addPerson(slipway, 'asked-often');
      for (const login of ['asked-often', 'nobody-often']) {
        for (let at = 0; at < 5; at++) expect((await ask(login)).status, login).toBe(200);
        expect((await ask(login.toUpperCase())).status, login).toBe(429);
      }
      expect(await slipway.letters()).toBe(5);
      slipway.clock.now += hour;
      await countEarlierAttempts(slipway, slipway.clock.now, ['forgotten password', '127.0.0.1'], 18);
      for (const [at, status] of [200, 200, 429].entries())
        expect((await ask(`nobody-${at}`)).status).toBe(status);
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

    it('offers nothing to someone who is in the Project already', async () => {
      const link = await invite({ team: 'tester' });
      const page = (await (await slipway.browser('tess')).get(link)).text;
      expect(page).toContain('You are already in crew');
      expect(page).not.toContain(`${link}/join`);
      const more = await invite({ team: 'developer' });
      expect((await (await slipway.browser('tess')).get(more)).text).toContain(`${more}/join`);
    });

    it('adds an existing account to the team by link, once', async () => {
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

    it('emails a link to one address only, and creates an account with it', async () => {
      expect(await invite({ team: 'tester', email: 'guest@example.com' })).toBe('');
      const link = await slipway.linkInEmail('guest@example.com');
      const form = await slipway.stranger.get(link);
      expect(form.text).toContain('value="guest@example.com"');
      const made = await slipway.stranger.submit(link, 'create-account', { name: 'guest', ...fresh });
      expect(made.headers.location).toBe('/organizations/crew');
      expect((await browserAfter(slipway, made).get('/organizations/crew')).status).toBe(200);
      expect(await findUser('guest')).toMatchObject({ email: 'guest@example.com', administrator: false });
      expect(await teamsOf('guest')).toEqual(['tester']);
      expect(await slipway.letters()).toBe(0);
    });

    it('does not take an address from an existing account', async () => {
      await invite({ team: 'owner', email: 'mina@example.com' });
      const link = await slipway.linkInEmail('mina@example.com');
      const before = await findUser('mina');
      const made = await slipway.stranger.submit(link, 'create-account', { name: 'not-mina', ...fresh });
      expect(made.status).toBe(303);
      expect(await findUser('mina')).toEqual(before);
      expect(await teamsOf('mina')).toEqual([]);
      expect(await findUser('not-mina')).toMatchObject({ email: null });
      expect((await signIn(slipway, 'mina@example.com', fresh.password)).cookie).toBeTruthy();
      expect(await slipway.linkInEmail('mina@example.com')).toBe('/forgot-password');
    });

    it('refuses an address that mail cannot reach, in the form, a list of people and the API', async () => {
      const email = 'guest@lan';
      const proof = testPassword;
      expect((await olga.submit(page, 'create', { team: 'tester', email, proof })).status).toBe(400);
      const added = await olga.submit('/organizations/crew/people', 'add', {
        login: email,
        team: 'tester',
        proof,
      });
      expect(added.status).toBe(400);
      const byKey = await send(slipway.port, '/api/v1/projects/crew/invitations', {
        method: 'POST',
        headers: { ...bearer(testAdminKey), 'Content-Type': 'application/json' },
        body: JSON.stringify({ team: 'tester', email }),
      });
      expect(byKey.status).toBe(400);
    });

    it('admits exactly one of many concurrent users', async () => {
      const link = await invite({ team: 'tester' });
      const names = ['rush-one', 'rush-two', 'rush-three'];
      const answers = await Promise.all(
        names.map((name) => slipway.stranger.post(`${link}/create-account`, { name, email: '', ...fresh })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404]);
      const found = (await Promise.all(names.map(findUser))).filter((user) => user !== null);
      expect(found).toHaveLength(1);
    });

    it('reports errors of the new account, and remains valid', async () => {
      const link = await invite({ team: 'tester' });
      const make = (fields: Record<string, string>) =>
        slipway.stranger.submit(link, 'create-account', { name: 'well-named', ...fresh, ...fields });
      for (const [fields, sentence] of [
        [{ name: 'MINA' }, 'This name is already taken.'],
        [{ name: 'crew' }, 'This name is already taken.'],
        [{ name: 'a b' }, 'A user name must have'],
        [{ name: 'admin/..' }, 'A user name must have'],
        [{ name: 'settings' }, 'reserved'],
        [{ email: 'x' }, 'Enter a valid email address'],
        [{ again: 'x' }, 'do not match'],
      ] as const) {
        const answer = await make(fields);
        expect(answer.status).toBe(sentence.includes('taken') ? 409 : 400);
        expect(answer.text).toContain(sentence);
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
      const hash = hashInvitationToken(link.split('/')[2] ?? '');
      const { id = '' } = (await slipway.data.invitations.findInvitation(hash, slipway.clock.now)) ?? {};
      await countEarlierAttempts(slipway, slipway.clock.now, ['sign up', 'by', id], 29);
      expect((await make({ name: 'mina' })).status).toBe(409);
      expect((await make({})).status).toBe(429);
      slipway.clock.now += hour;
      expect((await make({})).status).toBe(303);
    });

    it('expires after seven days, and when it is revoked', async () => {
      const link = await invite({ team: 'tester' });
      slipway.clock.now += 1;
      await invite({ team: 'tester', email: 'back@example.com' });
      const mailed = await slipway.linkInEmail('back@example.com');
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
      const rows = await slipway.data.audit.page({ ownerId: crew, action }, { limit: 9 });
      const details = { invitation, mailed: true };
      expect(rows).toMatchObject([{ actorName: 'olga', subject: 'tester team', details }]);
      const { text } = await olga.get('/organizations/crew/audit');
      expect(text).toContain(
        'canceled the invitation of <strong><bdi>b…@example.com</bdi></strong> to <strong><bdi>the tester team</bdi></strong>',
      );
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

    it('requires the owner team, or an administrator for invitations to the installation', async () => {
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
      expect((await olga.get(link)).text).toContain('You already have an account here.');
      expect((await olga.post(`${link}/join`, { csrf: await olga.csrf() })).status).toBe(303);
      expect((await get(slipway, `${link}/join`, slipway.adminKey, { method: 'POST' })).status).toBe(404);
      const made = await slipway.stranger.submit(link, 'create-account', { name: 'invited-here', ...fresh });
      expect(made.headers.location).toBe('/');
      expect(await findUser('invited-here')).not.toBeNull();
    });

    it('refuses an invalid team or address, and too many open invitations', async () => {
      const csrf = await olga.csrf();
      const post = (fields: Record<string, string>) => olga.post(`${page}/create`, { csrf, ...fields });
      expect((await post({ team: 'admins' })).text).toContain('Choose a team.');
      expect((await post({ team: 'tester', email: 'x' })).text).toContain('Enter a valid email address');
      const project = await slipway.data.owners.findOwner('crew');
      const invitedBy = (await findUser('olga'))?.id ?? '';
      const open = await slipway.data.invitations.countInvitations(project?.id ?? '', slipway.clock.now);
      for (let at = open; at < maxOpenInvitations - 1; at++) {
        await slipway.data.invitations.insertInvitation({
          tokenHash: `filler ${at}`,
          email: null,
          invitedBy,
          createdAt: slipway.clock.now,
          into: { kind: 'project', id: project?.id ?? '', team: 'tester' },
          expiresAt: slipway.clock.now + day,
        });
      }
      const answers = await Promise.all([post({ team: 'tester' }), post({ team: 'tester' })]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    });
  });

  describe('by sign-up', () => {
    const signUp = (fields: Record<string, string>) =>
      slipway.stranger.submit('/sign-up', 'sign-up', { ...fresh, ...fields });

    it('creates an account and signs it in; the address takes effect once its email is opened', async () => {
      expect((await slipway.stranger.get('/sign-in')).text).toContain('href="/sign-up"');
      const made = await signUp({ name: 'Walker', email: 'walker@example.com' });
      expect(made.headers.location).toBe('/');
      const walker = browserAfter(slipway, made);
      const user = await findUser('walker');
      expect(user).toMatchObject({ name: 'Walker', email: null, administrator: false });
      expect(await slipway.data.quotas.find(user?.id ?? '')).toEqual({
        maxStorageBytes: 5 * 1024 ** 3,
        maxBuilds: 100,
        maxProjects: 5,
      });
      const link = await slipway.linkInEmail('walker@example.com');
      expect((await walker.submit(link, 'confirm')).status).toBe(303);
      expect(await findUser('walker')).toMatchObject({ email: 'walker@example.com' });
      expect((await walker.get('/sign-up')).headers.location).toBe('/');
    });

    it('reports every error at once, and keeps a password only if it was accepted', async () => {
      const errorsOf = (html: string) =>
        [...html.matchAll(/<input[^>]* id="(\w+)"[^>]*aria-invalid/g)].map(([, id]) => id);
      const wrong = await signUp({
        name: 'no blanks',
        email: 'x@example',
        password: 'short',
        again: 'shirt',
      });
      expect([wrong.status, errorsOf(wrong.text)]).toEqual([400, ['name', 'email', 'password', 'again']]);
      expect(wrong.text).not.toMatch(/short|shirt/);
      const taken = await signUp({ name: 'mina', email: 'mina2@example.com' });
      expect(errorsOf(taken.text)).toEqual(['name']);
      expect(taken.text.match(/value="seven grey gulls"/g)).toHaveLength(2);
      expect(taken.headers['cache-control']).toContain('no-store');
      const other = await signUp({ name: 'fine', email: 'fine@example', again: 'seven gray gulls' });
      expect(errorsOf(other.text)).toEqual(['email', 'again']);
      expect(other.text).not.toContain('seven grey gulls');
    });

    it('does not reveal whether an address has an account', async () => {
      const taken = await signUp({ name: 'spy-one', email: 'MINA@example.com' });
      expect(await slipway.linkInEmail('mina@example.com')).toBe('/forgot-password');
      const free = await signUp({ name: 'spy-two', email: 'free@example.com' });
      expect([taken.status, taken.headers.location]).toEqual([free.status, free.headers.location]);
      expect((await findUser('spy-one'))?.email).toBe((await findUser('spy-two'))?.email);
      await slipway.letters();
    });

    it('limits requests, and refuses forms from other sites', async () => {
      slipway.clock.now += hour;
      const foreign = { Origin: 'https://evil.example' };
      const fields = { name: 'foreign', email: '', ...fresh };
      expect((await postForm(slipway, '/sign-up', fields, foreign)).status).toBe(403);
      await countEarlierAttempts(slipway, slipway.clock.now, ['sign up', 'from', '127.0.0.1'], 18);
      for (let at = 0; at < 2; at++)
        expect((await signUp({ name: 'mina' })).text).toContain('This name is already taken.');
      expect((await signUp({ name: 'one-too-many' })).status).toBe(429);
      expect(await findUser('one-too-many')).toBeNull();
    });
  });
});

describe('a server without sign-up', () => {
  let slipway: AccountsService;
  let send: AccountsService['mailer']['send'];
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', []);
    send = slipway.mailer.send;
  });
  afterEach(() => {
    slipway.mailer.send = send;
  });
  afterAll(() => slipway.close());

  it('has no sign-up page', async () => {
    expect((await slipway.stranger.get('/sign-in')).text).not.toContain('/sign-up');
    expect((await slipway.stranger.get('/sign-up')).status).toBe(404);
    const posted = await slipway.stranger.post('/sign-up', { name: 'x', ...fresh });
    expect(posted.status).toBe(404);
  });

  it('keeps no secret of a link in the queue of emails', async () => {
    await addPerson(slipway, 'queued');
    const waiting: unknown[] = [];
    slipway.mailer.send = async () => {
      // As if another node took over the job of a dead one.
      await slipway.data.claims.releaseAll();
      waiting.push(...(await slipway.data.outbox.claim(lanes.mail, slipway.clock.now, 9)));
      return { kind: 'sent' };
    };
    await slipway.stranger.post('/forgot-password', { login: 'queued' });
    await settleOutbox(slipway);
    const job = { kind: 'send-account-email', accountEmail: { about: 'password-reset', login: 'queued' } };
    expect(waiting).toMatchObject([{ job }]);
    expect(JSON.stringify(waiting)).not.toMatch(/[\w-]{40}/);
  });

  it('retries an email after a temporary error, with a new link', async () => {
    await addPerson(slipway, 'retried');
    const tried: string[] = [];
    slipway.mailer.send = async (message) => {
      tried.push(/\/reset-password\/[\w-]+/.exec(message.text)?.[0] ?? '');
      return tried.length === 1 ? { kind: 'later', reason: 'busy' } : send(message);
    };
    await slipway.stranger.post('/forgot-password', { login: 'retried' });
    await settleOutbox(slipway);
    expect((await slipway.stranger.get(tried[0] ?? '')).status).toBe(200);
    slipway.clock.now += minute;
    const link = await slipway.linkInEmail('retried@example.com');
    expect(tried).toEqual([expect.any(String), link]);
    expect((await slipway.stranger.get(tried[0] ?? '')).status).toBe(404);
    expect((await slipway.stranger.get(link)).status).toBe(200);
  });

  it('sends no email late, and none again after a permanent error', async () => {
    await addPerson(slipway, 'late');
    let tries = 0;
    slipway.mailer.send = async () => {
      tries += 1;
      return { kind: tries === 1 ? 'later' : 'refused', reason: 'no' };
    };
    await slipway.stranger.post('/forgot-password', { login: 'late' });
    await settleOutbox(slipway);
    slipway.clock.now += hour + 1;
    await settleOutbox(slipway);
    expect(tries).toBe(1);
    await slipway.stranger.post('/forgot-password', { login: 'late' });
    await settleOutbox(slipway);
    slipway.clock.now += hour / 2;
    await settleOutbox(slipway);
    expect(tries).toBe(2);
  });
});

describe('a server without email', () => {
  it('takes the address of an invited person as it is, unless someone has it', async () => {
    const slipway = await startTestService();
    onTestFinished(() => slipway.close());
    await slipway.user('olga');
    const admin = await signIn(slipway, 'admin');
    const csrf = /name="csrf" value="([^"]*)"/.exec((await admin.get('/')).text)?.[1] ?? '';
    const fields = { proof: testPassword, csrf };
    const made = await postForm(slipway, '/administration/invitations/create', fields, {
      Cookie: admin.cookie,
    });
    const link = /(\/invitation\/[\w-]{43})/.exec(made.text)?.[1] ?? '';
    const create = (email: string) =>
      postForm(slipway, `${link}/create-account`, { name: 'ina', email, ...fresh });
    expect((await create('OLGA@example.com')).text).toContain('This email address can’t be used.');
    expect((await create('ina@example.com')).status).toBe(303);
    const login = { login: 'ina@example.com', password: fresh.password };
    expect((await postForm(slipway, '/sign-in', login)).status).toBe(303);
  });
});
