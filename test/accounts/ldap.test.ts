/** Signing in with the password of a directory: a real OpenLDAP. Skipped without it (`npm run setup:test-tools`). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noPolicies } from '../../src/owners/policies/policies.ts';
import { policyQueries } from '../../src/owners/policies/policy-queries.ts';
import { type AccountsService, browserAfter, startAccountsService } from '../support/accounts-service.ts';
import { setUpApp } from '../support/second-factors.ts';
import {
  directoryPassword,
  groupEntry,
  hasSlapd,
  personDn,
  personEntry,
  type Slapd,
  startSlapd,
} from '../support/slapd.ts';
import { testPassword } from '../support/test-service.ts';

const people = ['ada', 'bob', 'carol', 'dave', 'erin', 'olga', 'st*r', 'par(en'];

describe.skipIf(!hasSlapd)('sign-in with the password of a directory', () => {
  let slapd: Slapd;
  let slipway: AccountsService;
  beforeAll(async () => {
    slapd = await startSlapd(
      [
        ...people.map((uid) => personEntry(uid)),
        personEntry('twin-1', ['mail: twin@example.com']),
        personEntry('twin-2', ['mail: twin@example.com']),
        `dn: uid=far,ou=people,dc=example,dc=com
objectClass: referral
objectClass: extensibleObject
uid: far
ref: ldap://127.0.0.1:1/uid=far,dc=elsewhere

`,
        groupEntry('developers', [personDn('ada')]),
      ].join(''),
    );
    slipway = await startAccountsService('sqlite', ['olga', 'mina'], {
      settings: {
        ...slapd.settings,
        SLIPWAY_LDAP_NAME: 'Example directory',
        SLIPWAY_LDAP_SIGN_UP: 'open',
        SLIPWAY_LDAP_CONFIRMS_EMAIL: 'on',
      },
    });
  });
  afterAll(async () => {
    await slipway.close();
    await slapd.close();
  });

  const enter = (login: string, password = directoryPassword, to = '/settings') =>
    slipway.stranger.submit(`/sign-in?to=${encodeURIComponent(to)}`, 'sign-in', { login, password });
  const identitiesOf = async (name: string) => {
    const owner = await slipway.data.owners.findOwner(name);
    return owner ? slipway.data.identities.listIdentities(owner.id) : null;
  };

  it('creates an account, and recognizes the person by the entry from then on', async () => {
    const entered = await enter('ada');
    expect(entered.headers.location).toBe('/settings');
    const page = await browserAfter(slipway, entered).get('/settings');
    expect(page.text).toContain('ada@example.com');
    expect(page.text).toContain('Example directory');
    const [identity] = (await identitiesOf('ada')) ?? [];
    expect(identity).toMatchObject({ issuer: 'ldap:', label: 'ada@example.com' });
    expect(identity?.subject).toMatch(/^[0-9a-f-]{36}$/);
    slapd.modify(`dn: ${personDn('ada')}\nchangetype: modrdn\nnewrdn: uid=ada2\ndeleteoldrdn: 1\n`);
    const again = await enter('ADA@example.com');
    expect((await browserAfter(slipway, again).get('/settings')).text).toContain('ada@example.com');
    expect(await identitiesOf('ada2')).toBeNull();
  });

  it('links to the account with the confirmed address, whose own password stays valid', async () => {
    const entered = await enter('olga');
    expect(entered.headers.location).toBe('/settings');
    expect(await identitiesOf('olga')).toMatchObject([{ issuer: 'ldap:' }]);
    expect((await enter('olga', testPassword)).headers.location).toBe('/settings');
  });

  it('refuses wrong, empty and overlong passwords in the same way as those of unknown people', async () => {
    for (const [login, password] of [
      ['bob', 'wrong password'],
      ['bob', ''],
      ['bob', 'x'.repeat(5_000)],
      ['nobody', directoryPassword],
      ['', directoryPassword],
    ] as const) {
      const refused = await slipway.stranger.post('/sign-in', { login, password });
      expect(refused.status, `${login} ${password.slice(0, 20)}`).toBe(401);
      expect(refused.text).toContain('Wrong name or password.');
    }
    expect(await identitiesOf('bob')).toBeNull();
  });

  it.each([
    '*',
    'b*b',
    'bob)(uid=*',
    '*)(|(uid=*',
    'bob)(objectClass=*))(|(uid=x',
    'bob\\2a',
    '\\62ob',
    'uid=bob,ou=people,dc=example,dc=com',
    '(uid=bob)',
  ])('does not read %j as a filter or a name', async (login) => {
    expect((await slipway.stranger.post('/sign-in', { login, password: directoryPassword })).status).toBe(
      401,
    );
  });

  it('finds logins that contain characters of filters', async () => {
    for (const login of ['st*r', 'par(en']) expect((await enter(login)).headers.location).toBe('/settings');
  });

  it('refuses a login that names two entries', async () => {
    expect(
      (await slipway.stranger.post('/sign-in', { login: 'twin@example.com', password: directoryPassword }))
        .status,
    ).toBe(401);
  });

  it('does not follow referrals', async () => {
    const refused = await slipway.stranger.post('/sign-in', { login: 'far', password: directoryPassword });
    expect(refused.status).toBe(401);
  });

  it('counts its password as one that a policy wants a second factor for', async () => {
    await slipway.workspace('fleet', 'admin');
    const { id = '' } = (await slipway.data.owners.findWorkspace('fleet')) ?? {};
    const dave = browserAfter(slipway, await enter('dave'));
    await slipway.project('boat', { workspace: 'fleet', members: { dave: 'tester' } });
    expect((await dave.get('/organizations/boat')).status).toBe(200);
    await policyQueries(slipway.data).set(id, { ...noPolicies, secondFactor: true });
    const refused = await dave.get('/organizations/boat');
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('/settings/security')]);
  });

  it('asks for the second factor of the account', async () => {
    const browser = browserAfter(slipway, await enter('bob'));
    await setUpApp(slipway, browser);
    expect((await enter('bob')).headers.location).toBe('/sign-in/second-factor?to=%2Fsettings');
  });

  it('accepts the password to confirm access', async () => {
    const browser = browserAfter(slipway, await enter('dave'));
    slipway.clock.now += 60 * 60_000;
    const form = { csrf: await browser.csrf(), name: 'CI', expires: 'never', until: '', scope: 'upload' };
    const create = (proof: string) => browser.post('/settings/keys/create', { ...form, proof });
    for (const wrong of ['wrong password', '']) {
      const refused = await create(wrong);
      expect(refused.status).toBe(403);
      expect(refused.text).toContain('Confirm access');
    }
    expect((await create(directoryPassword)).status).toBe(200);
  });

  it('limits guesses, across the logins of one person', async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 14; attempt++) {
      const login = attempt % 2 === 0 ? 'carol' : 'carol@example.com';
      statuses.push(
        (await slipway.stranger.post('/sign-in', { login, password: `wrong ${attempt}` })).status,
      );
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(statuses.slice(10)).toEqual(Array(4).fill(429));
    expect(
      (await slipway.stranger.post('/sign-in', { login: 'carol', password: directoryPassword })).status,
    ).toBe(429);
  });

  it('says that the directory is down, and lets local people in', async () => {
    await slapd.stop();
    const down = await slipway.stranger.post('/sign-in', { login: 'erin', password: directoryPassword });
    expect(down.status).toBe(503);
    expect(down.text).toContain('Example directory can’t be reached');
    expect((await enter('admin', testPassword)).headers.location).toBe('/settings');
    expect((await enter('mina', testPassword)).headers.location).toBe('/settings');
    await slapd.start();
    expect((await enter('erin')).headers.location).toBe('/settings');
  });
});
