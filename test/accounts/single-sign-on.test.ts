/** Signing in at a real OpenID Connect provider, and the account that results. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/db/open-database.ts';
import {
  type AccountsService,
  type Browser,
  browserWith,
  leadsTo,
  startAccountsService,
} from '../support/accounts-service.ts';
import type { Answer } from '../support/http-client.ts';
import { type OidcServer, signInAtProvider, startOidcServer } from '../support/oidc-provider-server.ts';
import { formOf } from '../support/page-forms.ts';
import { testPassword } from '../support/test-service.ts';

const returnPath = '/sign-in/sso/callback';

describe('single sign-on', () => {
  let provider: OidcServer;
  let slipway: AccountsService;
  beforeAll(async () => {
    provider = await startOidcServer();
    slipway = await startAccountsService('sqlite', ['olga', 'mina', 'paul', 'quin'], {
      mail: false,
      settings: provider.settings,
    });
    provider.allow(`${slipway.origin}${returnPath}`);
    await slipway.project('crew', { members: { olga: 'owner' } });
  });
  afterAll(async () => {
    await slipway.close();
    await provider.close();
  });

  const user = async (name: string) => {
    const owner = await slipway.data.owners.findOwner(name);
    return owner?.kind === 'user' ? owner : null;
  };
  const identitiesOf = async (name: string) =>
    slipway.data.identities.listIdentities((await user(name))?.id ?? '');
  const auditOf = async (name: string) =>
    (await slipway.data.audit.list((await user(name))?.id ?? '', 9))
      .filter((row) => row.action !== 'sign-in.accepted')
      .map((row) => [row.actorName, row.action]);
  const person = (login: string, email: string, confirmed = true) =>
    provider.people.set(login, { email, email_verified: confirmed, preferred_username: login });
  const invite = async (into: string) => {
    const olga = await slipway.browser(into === '' ? 'admin' : 'olga');
    const page = into === '' ? '/administration/invitations' : `/organizations/${into}/invitations`;
    const answer = await olga.submit(page, 'create', into === '' ? {} : { team: 'tester' });
    const link = /https?:\/\/[^\s"<]+(\/invitation\/[\w-]+)/.exec(answer.text)?.[1];
    if (!link) throw new Error(`no link: ${answer.status}`);
    return link;
  };

  it('signs in a user with the same confirmed address, links the identity, and recognizes it from then on', async () => {
    person('mina-there', 'Mina@Example.com');
    const page = await slipway.stranger.get('/sign-in?to=/settings');
    expect(page.text).toContain('href="/sign-in/sso?to=%2Fsettings"');
    expect(page.text).toContain('Continue with Example');
    const way = await begin(slipway, '/settings');
    expect(way.cookie).toMatch(/^slipway_sso=1\./);
    expect(way.setCookie).toMatch(/; Max-Age=600; Path=\/sign-in\/sso; HttpOnly; SameSite=Lax$/);
    const sent = new URL(way.address).searchParams;
    expect(sent.get('code_challenge_method')).toBe('S256');
    expect(sent.get('redirect_uri')).toBe(`${slipway.origin}${returnPath}`);
    expect(way.cookie).not.toContain(sent.get('state'));
    const answer = await handleCallback(slipway, way, await signInAtProvider(way.address, 'mina-there'));
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe('/settings');
    const [cleared, session] = answer.headers['set-cookie'] ?? [];
    expect(cleared).toMatch(/^slipway_sso=; .*Path=\/sign-in\/sso; Expires=Thu, 01 Jan 1970/);
    expect(session).toMatch(/^slipway_session=.*HttpOnly; SameSite=Lax$/);
    const profile = await signedIn(slipway, answer).get('/settings');
    expect(profile.text).toContain('Mina@Example.com');
    expect(await identitiesOf('mina')).toMatchObject([
      { issuer: provider.issuer, subject: 'mina-there', label: 'Mina@Example.com' },
    ]);
    expect(await auditOf('mina')).toContainEqual(['mina', 'identity.linked']);

    // Whatever address the provider sends later: the subject identifies the person.
    person('mina-there', 'olga@example.com');
    const again = await enter(slipway, 'mina-there');
    expect((await signedIn(slipway, again).get('/settings')).text).toContain('mina');
    expect(await identitiesOf('olga')).toEqual([]);
    expect(await identitiesOf('mina')).toHaveLength(1);
  });

  it('refuses an address that the provider or this server has not confirmed', async () => {
    person('thief', 'paul@example.com', false);
    const unseen = await enter(slipway, 'thief');
    expect(unseen.status).toBe(403);
    expect(unseen.text).toContain('You don’t have an account here');
    await vi.waitFor(
      async () => {
        const refused = { ownerId: null, action: 'sign-in.refused' };
        const [row] = await slipway.data.audit.page(refused, { limit: 1 });
        expect(row).toMatchObject({ actorName: 'sign-in', details: { way: 'single sign-on' } });
      },
      { timeout: 20_000 },
    );
    // Without mail, an address takes effect immediately, although it is not confirmed.
    const quin = await slipway.browser('quin');
    const submitted = { email: 'rich@example.com', password: testPassword };
    expect((await quin.submit('/settings', 'change', submitted)).status).toBe(303);
    person('rich', 'rich@example.com');
    const rich = await enter(slipway, 'rich');
    expect(rich.status).toBe(403);
    expect(rich.text).toContain('An account with your email address exists');
    expect(rich.headers['set-cookie']?.join()).not.toContain('slipway_session');
    expect([...(await identitiesOf('paul')), ...(await identitiesOf('quin'))]).toEqual([]);
  });

  it('refuses an address whose account is already linked: it may have a new owner', async () => {
    person('paul-one', 'paul@example.com');
    expect((await enter(slipway, 'paul-one')).status).toBe(303);
    person('paul-two', 'paul@example.com');
    const other = await enter(slipway, 'paul-two');
    expect(other.status).toBe(403);
    expect(other.text).toContain('linked to another account at Example');
    expect(await identitiesOf('paul')).toMatchObject([{ subject: 'paul-one' }]);
  });

  it('creates an account with an available name for an invited person, and joins', async () => {
    person('olga', 'other.olga@example.com');
    const stranger = await enter(slipway, 'olga');
    expect(stranger.status).toBe(403);
    expect(await user('olga-2')).toBeNull();
    const link = await invite('crew');
    const page = await slipway.stranger.get(link);
    expect(page.text).toContain(`href="/sign-in/sso?to=${encodeURIComponent(link)}"`);
    const answer = await enter(slipway, 'olga', link);
    expect(answer.headers.location).toBe('/organizations/crew');
    const made = await user('olga-2');
    expect(made).toMatchObject({ email: 'other.olga@example.com', administrator: false });
    const project = await slipway.data.owners.findOwner('crew');
    expect(await slipway.data.owners.teamsOf(project?.id ?? '', made?.id ?? '')).toEqual(['tester']);
    expect((await auditOf('olga-2')).sort()).toEqual([
      ['olga-2', 'identity.linked'],
      ['single-sign-on', 'user.made'],
    ]);
    expect((await slipway.data.accounts.findAccount(made?.id ?? ''))?.passwordHash).toBeNull();
    // The link was valid once.
    person('late', 'late@example.com');
    expect((await enter(slipway, 'late', link)).status).toBe(403);
    expect(await user('late')).toBeNull();
    // Existing users decide on the invitation page.
    const another = await invite('crew');
    const known = await enter(slipway, 'mina-there', another);
    expect(known.headers.location).toBe(another);
    expect((await signedIn(slipway, known).get(another)).text).toContain('Join as mina');
  });

  it('creates an account for a person invited to the server, whatever their claims', async () => {
    provider.people.set('0815', { name: '—' });
    const answer = await enter(slipway, '0815', await invite(''));
    expect(answer.headers.location).toBe('/');
    const page = await signedIn(slipway, answer).get('/settings');
    expect(page.text).toContain('user-1');
    expect(page.text).toContain('0815');
    expect(await user('user-1')).toMatchObject({ email: null });
  });

  it('links and unlinks an identity for a signed-in person who proves it', async () => {
    await slipway.user('lina');
    person('lina-there', 'somewhere@else.example');
    const lina = await slipway.browser('lina');
    expect((await lina.get('/settings')).text).toContain('href="/sign-in/sso/link"');
    const way = await begin(slipway, null, lina, '/sign-in/sso/link');
    const address = await signInAtProvider(way.address, 'lina-there');
    // It is not valid in another person's browser.
    const olga = await slipway.browser('olga');
    expect((await handleCallback(slipway, way, address, olga)).status).toBe(400);
    const once = await begin(slipway, null, lina, '/sign-in/sso/link');
    const back = await handleCallback(
      slipway,
      once,
      await signInAtProvider(once.address, 'lina-there'),
      lina,
    );
    expect(back.headers.location).toBe('/sign-in/sso/confirm');
    expect(await identitiesOf('lina')).toEqual([]);
    const confirming = browserWith(slipway, `${lina.cookie}; ${cookieOf(back, 'slipway_sso')}`);
    const page = await confirming.get('/sign-in/sso/confirm');
    expect(page.text).toContain('somewhere@else.example can then be used to sign in as lina');
    expect((await confirming.post('/sign-in/sso/confirm/link', { csrf: 'x' })).status).toBe(403);
    slipway.clock.now += 10 * 60_000 - 1;
    const later = await begin(slipway, null, lina, '/sign-in/sso/link');
    const proven = await handleCallback(
      slipway,
      later,
      await signInAtProvider(later.address, 'lina-there'),
      lina,
    );
    slipway.clock.now += 1;
    const asking = browserWith(slipway, `${lina.cookie}; ${cookieOf(proven, 'slipway_sso')}`);
    const wrong = await asking.submit('/sign-in/sso/confirm', 'link', { proof: 'not mine at all' });
    expect(wrong.status).toBe(403);
    expect(await identitiesOf('lina')).toEqual([]);
    const linked = await asking.submit('/sign-in/sso/confirm', 'link', { proof: testPassword });
    expect(linked.headers.location).toBe('/settings?done=linked');
    expect(await identitiesOf('lina')).toMatchObject([{ label: 'somewhere@else.example' }]);
    // The proof of one person is not valid for another.
    const stolen = browserWith(slipway, `${olga.cookie}; ${cookieOf(proven, 'slipway_sso')}`);
    expect((await stolen.get('/sign-in/sso/confirm')).status).toBe(404);
    const taken = await begin(slipway, null, olga, '/sign-in/sso/link');
    const refused = await handleCallback(
      slipway,
      taken,
      await signInAtProvider(taken.address, 'lina-there'),
      olga,
    );
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('is linked to someone else here');

    const settings = await lina.get('/settings');
    expect(settings.text).not.toContain('/sign-in/sso/link');
    const unlink = formOf(settings.text, 'unlink');
    expect((await olga.post(unlink.action, { ...unlink.fields, csrf: await olga.csrf() })).status).toBe(404);
    expect((await lina.post(unlink.action, { ...unlink.fields, csrf: '' })).status).toBe(403);
    const gone = await lina.post(unlink.action, unlink.fields);
    expect(gone.headers.location).toBe('/settings?done=unlinked');
    expect(await identitiesOf('lina')).toEqual([]);
    const actions = await auditOf('lina');
    expect(actions).toContainEqual(['lina', 'identity.linked']);
    expect(actions).toContainEqual(['lina', 'identity.unlinked']);
    expect((await enter(slipway, 'lina-there')).status).toBe(403);
  });

  it('confirms access for users without a password only by a new sign-in at the provider', async () => {
    const browser = signedIn(slipway, await enter(slipway, 'olga'));
    const other = signedIn(slipway, await enter(slipway, 'mina-there'));
    const createKey = async (one: Browser) =>
      (await one.submit('/settings/keys', 'create', { name: 'ci', expires: 'never' })).status;
    // Signing in does not prove that the person was asked just now.
    expect(await createKey(browser)).toBe(403);
    const path = '/sign-in/sso/confirm-access';
    const way = await begin(slipway, '/settings/keys', browser, path);
    const asked = new URL(way.address).searchParams;
    expect([asked.get('max_age'), asked.get('prompt')]).toEqual(['0', 'login']);
    // The session of another person, or an anonymous one.
    for (const wrong of [other, slipway.stranger]) {
      const stolen = await begin(slipway, '/settings/keys', browser, path);
      const address = await signInAtProvider(stolen.address, 'olga');
      expect((await handleCallback(slipway, stolen, address, wrong)).status).toBe(400);
    }
    expect(await createKey(other)).toBe(403);
    const back = await handleCallback(slipway, way, await signInAtProvider(way.address, 'olga'), browser);
    expect(back.headers.location).toBe('/settings/keys');
    expect(cookieOf(back, 'slipway_session')).toBe('');
    expect(await createKey(browser)).toBe(200);
    slipway.clock.now += 10 * 60_000;
    expect(await createKey(browser)).toBe(403);
    // Neither another person at the provider nor one without an account here confirms access.
    for (const login of ['mina-there', 'nobody-here']) {
      person(login, `${login}@elsewhere.example`);
      const again = await begin(slipway, '/settings/keys', browser, path);
      const refused = await handleCallback(
        slipway,
        again,
        await signInAtProvider(again.address, login),
        browser,
      );
      expect(refused.status).toBe(403);
      expect(refused.text).toContain('isn’t linked to your account here');
      expect(refused.text).toContain(`href="${path}?to=%2Fsettings%2Fkeys"`);
    }
    expect(await createKey(browser)).toBe(403);
    expect(await user('nobody-here')).toBeNull();
    const elsewhere = await begin(slipway, '//evil.example', browser, path);
    const home = await handleCallback(
      slipway,
      elsewhere,
      await signInAtProvider(elsewhere.address, 'olga'),
      browser,
    );
    expect(home.headers.location).toBe('/');
    expect((await slipway.stranger.get(path)).headers.location).toBe(
      `/sign-in?to=${encodeURIComponent(path)}`,
    );
  });

  it('does not unlink the only way to sign in', async () => {
    const answer = await enter(slipway, 'olga');
    const olga2 = signedIn(slipway, answer);
    expect((await olga2.get('/settings')).text).toContain('It’s your only way to sign in');
    const [identity] = await identitiesOf('olga-2');
    const fields = { csrf: await olga2.csrf(), issuer: identity?.issuer ?? '' };
    const refused = await olga2.post('/settings/single-sign-on/unlink', {
      ...fields,
      subject: identity?.subject ?? '',
    });
    expect(refused.status).toBe(409);
    expect(await identitiesOf('olga-2')).toHaveLength(1);
  });

  it('is valid for the browser that started it, for ten minutes, and once', async () => {
    const fresh = await begin(slipway, '/settings');
    const address = await signInAtProvider(fresh.address, 'mina-there');
    const other = await begin(slipway, '/settings');
    for (const cookie of ['', other.cookie, `${fresh.cookie.slice(0, -2)}AA`]) {
      const answer = await handleCallback(slipway, { ...fresh, cookie }, address);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('Start again');
      expect(answer.headers['set-cookie']?.join()).not.toContain('slipway_session');
    }
    slipway.clock.now += 10 * 60_000;
    expect((await handleCallback(slipway, fresh, address)).text).toContain('Start again');
    slipway.clock.now -= 1;
    expect((await handleCallback(slipway, fresh, address)).status).toBe(303);
    // Again: the provider issued the code for one use.
    const replayed = await handleCallback(slipway, fresh, address);
    expect(replayed.status).toBe(400);
    expect(replayed.text).toContain('can’t be used to sign you in');
  });

  it('reports that the person or the provider declined', async () => {
    const way = await begin(slipway, '/settings');
    const answer = await handleCallback(slipway, way, await signInAtProvider(way.address, null));
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('Sign-in canceled');
    expect(answer.text).toContain('href="/sign-in/sso?to=%2Fsettings"');
    const { cookie, address } = await begin(slipway, null);
    const state = new URL(address).searchParams.get('state') ?? '';
    const odd = `${slipway.origin}${returnPath}?error=%3Cscript%3E&state=${state}&iss=${encodeURIComponent(provider.issuer)}`;
    const refused = await handleCallback(slipway, { cookie }, odd);
    expect(refused.status).toBe(400);
    expect(refused.text).not.toContain('<script>');
  });

  it('never redirects to another site', async () => {
    for (const to of ['//evil.example', 'https://evil.example', '/\\evil.example', `/${'x'.repeat(2000)}`]) {
      const answer = await enter(slipway, 'mina-there', to);
      expect(answer.headers.location).toBe('/');
    }
    const mina = signedIn(slipway, await enter(slipway, 'mina-there'));
    expect((await mina.get('/sign-in/sso?to=/docs')).headers.location).toBe('/docs');
    expect((await mina.get('/sign-in/sso?to=//evil.example')).headers.location).toBe('/');
  });

  it('does not sign in to a disabled account', async () => {
    const { id = '' } = (await user('paul')) ?? {};
    await slipway.data.accountState.setDisabled(id, slipway.clock.now);
    const refused = await enter(slipway, 'paul-one');
    expect(refused.status).toBe(403);
    expect(cookieOf(refused, 'slipway_session')).toBe('');
    await slipway.data.accountState.setDisabled(id, null);
    expect((await enter(slipway, 'paul-one')).status).toBe(303);
  });
});

describe('an unreachable provider', () => {
  it('does not prevent the server from starting, and is contacted again later', async () => {
    const provider = await startOidcServer();
    const settings = { ...provider.settings, SLIPWAY_OIDC_SIGN_UP: 'open' };
    const slipway = await startAccountsService('sqlite', ['mina'], { mail: false, settings });
    try {
      provider.allow(`${slipway.origin}${returnPath}`);
      provider.cut(true);
      const away = await slipway.stranger.get('/sign-in/sso?to=/docs');
      expect(away.status).toBe(503);
      expect(away.text).toContain('Example can’t be reached');
      expect(away.text).toContain('href="/sign-in/sso?to=%2Fdocs"');
      const database = await openDatabase(slipway.config.database);
      const attempts = await database.queries.selectFrom('attempts').select('count').execute();
      await database.close();
      expect(attempts).toEqual([{ count: 0 }]);
      expect((await slipway.browser('mina')).cookie).toContain('slipway_session');
      provider.cut(false);
      const way = await begin(slipway, '/docs');
      const address = await signInAtProvider(way.address, 'mina-there');
      provider.cut(true);
      expect((await handleCallback(slipway, way, address)).status).toBe(503);
      provider.cut(false);
      expect((await handleCallback(slipway, way, address)).headers.location).toBe('/docs');
    } finally {
      await slipway.close();
      await provider.close();
    }
  });
});

interface Way {
  address: string;
  cookie: string;
  setCookie: string;
}

async function begin(
  slipway: AccountsService,
  to: string | null,
  browser: Browser = slipway.stranger,
  path = '/sign-in/sso',
): Promise<Way> {
  const answer = await browser.get(to === null ? path : `${path}?to=${encodeURIComponent(to)}`);
  const setCookie = answer.headers['set-cookie']?.[0] ?? '';
  return { address: leadsTo(answer), cookie: setCookie.split(';')[0] ?? '', setCookie };
}

/** Opens the provider's redirect address in the browser. */
function handleCallback(
  slipway: AccountsService,
  { cookie }: Pick<Way, 'cookie'>,
  address: string,
  browser: Browser = slipway.stranger,
): Promise<Answer> {
  const { pathname, search } = new URL(address);
  if (pathname !== returnPath) throw new Error(`sent back to ${address}`);
  return browserWith(slipway, `${browser.cookie}; ${cookie}`).get(`${pathname}${search}`);
}

async function enter(slipway: AccountsService, login: string, to: string | null = null): Promise<Answer> {
  const way = await begin(slipway, to);
  return handleCallback(slipway, way, await signInAtProvider(way.address, login));
}

function cookieOf(answer: Answer, name: string): string {
  const cookie = answer.headers['set-cookie']?.findLast((one) => one.startsWith(`${name}=`));
  return cookie?.split(';')[0] ?? '';
}

function signedIn(slipway: AccountsService, answer: Answer): Browser {
  const cookie = cookieOf(answer, 'slipway_session');
  if (cookie === '') throw new Error(`nobody was signed in: ${answer.status}`);
  return browserWith(slipway, cookie);
}
