/** Sign-in with the password of Active Directory, and people who leave it: a real Samba. Skipped without it (`npm run setup:test-tools`). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLdapDirectory } from '../../src/accounts/ldap/ldap-directory.ts';
import { type AccountsService, browserAfter, startAccountsService } from '../support/accounts-service.ts';
import { settleOutbox } from '../support/mail-service.ts';
import {
  accountDn,
  accountEntry,
  changeEntry,
  domainDn,
  domainGroupEntry,
  domainPassword,
  enabledAccount,
  hasSamba,
  type Samba,
  startSamba,
} from '../support/samba.ts';
import { testPassword } from '../support/test-service.ts';

const hour = 60 * 60_000;
const noHours = Buffer.alloc(21).toString('base64');
/** NORMAL_ACCOUNT with ACCOUNTDISABLE. */
const disabledAccount = 0x200 + 0x2;

const refusals: readonly (readonly [string, string[], string, string])[] = [
  ['night', [`logonHours:: ${noHours}`], 'does not allow you to sign in at this time', '530'],
  ['desk', ['userWorkstations: OTHER'], 'does not allow you to sign in from here', '531'],
  ['gone', [`userAccountControl: ${disabledAccount}`], 'is disabled', '533'],
  ['former', ['accountExpires: 1'], 'has expired', '701'],
  ['fresh', ['userAccountControl: 512', 'pwdLastSet: 0'], 'must be changed first', '773'],
];

describe.skipIf(!hasSamba)('Active Directory', () => {
  let samba: Samba;
  let slipway: AccountsService;
  const logged: { reason?: string }[] = [];
  beforeAll(async () => {
    samba = await startSamba(
      [
        ...['ada', 'bob', 'carol', 'locked'].map((name) => accountEntry(name)),
        ...refusals.map(([name, attributes]) => accountEntry(name, attributes)),
        domainGroupEntry('team', [accountDn('ada')]),
        domainGroupEntry('department', [accountDn('team'), accountDn('bob')]),
        domainGroupEntry('company', [accountDn('department')]),
        changeEntry('department', 'member', accountDn('company')).replace('replace', 'add'),
        `dn: ${domainDn}
changetype: modify
replace: lockoutThreshold
lockoutThreshold: 2

`,
      ].join(''),
    );
    slipway = await startAccountsService('sqlite', ['olga'], {
      settings: {
        ...samba.settings,
        SLIPWAY_LDAP_NAME: 'Example directory',
        SLIPWAY_LDAP_SIGN_UP: 'open',
        SLIPWAY_LDAP_CONFIRMS_EMAIL: 'on',
        SLIPWAY_LDAP_MAX_DEACTIVATED_PERCENT: '100',
      },
    });
  }, 120_000);
  afterAll(async () => {
    await slipway?.close();
    await samba?.close();
  });

  const submit = (login: string, password = domainPassword) =>
    slipway.stranger.post('/sign-in', { login, password, to: '/settings' });
  const directory = () => {
    const { ldap } = slipway.config;
    if (!ldap) throw new Error('not configured');
    return createLdapDirectory(ldap, { warn: (fields) => void logged.push(fields) });
  };
  const disabled = async () => {
    const all = await slipway.data.identities.listHolders('ldap:');
    return all.filter(({ isDisabled }) => isDisabled).map(({ user }) => user.name);
  };
  const round = async () => {
    slipway.clock.now += hour;
    await settleOutbox(slipway);
  };
  const groupsOf = (login: string) =>
    directory().read(async (reader) => {
      const person = (await reader.listPeople()).find(({ identity }) => identity.names[0] === login);
      return person ? (await reader.groupsOf(person))?.sort() : null;
    });

  it('knows a person by each of the logins, and by objectGUID after all of them changed', async () => {
    for (const login of ['ada', 'ADA@login.example.com', 'ada@example.com'])
      expect((await submit(login)).headers.location, login).toBe('/settings');
    const user = await slipway.data.owners.findUser('ada');
    const [identity] = await slipway.data.identities.listIdentities(user?.id ?? '');
    expect(identity?.subject).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    samba.modify(
      [
        changeEntry('ada', 'sAMAccountName', 'lovelace'),
        changeEntry('ada', 'userPrincipalName', 'lovelace@login.example.com'),
        changeEntry('ada', 'mail', 'lovelace@example.com'),
        `dn: ${accountDn('ada')}\nchangetype: modrdn\nnewrdn: CN=lovelace\ndeleteoldrdn: 1\n`,
      ].join(''),
    );
    const page = await browserAfter(slipway, await submit('lovelace')).get('/settings');
    expect(page.text).toContain('ada@example.com');
    expect(await slipway.data.owners.findUser('lovelace')).toBeNull();
  });

  it('finds groups in groups, cycles, and the primary group', async () => {
    const own = ['company', 'department'].map((name) => accountDn(name).toLowerCase());
    const everyone = ['cn=domain users,cn=users', 'cn=users,cn=builtin'].map(
      (name) => `${name},${domainDn.toLowerCase()}`,
    );
    expect(await groupsOf('bob')).toEqual([...own, ...everyone].sort());
    expect(await groupsOf('lovelace')).toEqual([accountDn('team').toLowerCase(), ...own, ...everyone].sort());
  });

  it('signs in over StartTLS as well', async () => {
    const { ldap } = slipway.config;
    if (!ldap) throw new Error('not configured');
    const upgraded = createLdapDirectory({ ...ldap, port: 389, tls: 'starttls' }, { warn: () => undefined });
    expect(await upgraded.authenticate({ login: 'bob' }, domainPassword)).toMatchObject({
      kind: 'known',
      identity: { names: ['bob', 'bob@example.com'] },
    });
  });

  it.each(refusals)('says why it refuses %s, only with the right password', async (name, _, text, code) => {
    const wrong = await submit(name, 'wrong password');
    expect(wrong.status).toBe(401);
    expect(wrong.text).toContain('Wrong name or password.');
    const refused = await submit(name);
    expect(refused.status).toBe(403);
    expect(refused.text).toContain(text);
    expect(refused.text).toContain('Example directory');
    expect(await slipway.data.owners.findUser(name)).toBeNull();
    await directory().authenticate({ login: name }, domainPassword);
    expect(logged.at(-1)?.reason).toContain(code);
  });

  it('tells nobody that an account is locked, except in the log', async () => {
    for (let attempt = 0; attempt < 3; attempt++) await submit('locked', `wrong ${attempt}`);
    const refused = await submit('locked');
    expect(refused.status).toBe(401);
    expect(refused.text).toContain('Wrong name or password.');
    await directory().authenticate({ login: 'locked' }, domainPassword);
    expect(logged.at(-1)?.reason).toBe('ERROR_ACCOUNT_LOCKED_OUT (775)');
  });

  it('names the reason if it refuses the account of Slipway', async () => {
    const { ldap } = slipway.config;
    if (!ldap) throw new Error('not configured');
    const reader = { dn: accountDn('gone'), password: domainPassword };
    const refused = createLdapDirectory({ ...ldap, reader }, { warn: () => undefined });
    await expect(refused.authenticate({ login: 'bob' }, domainPassword)).rejects.toThrow(
      'SLIPWAY_LDAP_BIND_DN: ERROR_ACCOUNT_DISABLED (533)',
    );
  });

  it('says why it refuses to confirm access', async () => {
    const browser = browserAfter(slipway, await submit('carol'));
    slipway.clock.now += hour;
    samba.modify(changeEntry('carol', 'accountExpires', 1));
    const form = { csrf: await browser.csrf(), name: 'CI', expires: 'never', until: '', scope: 'upload' };
    const refused = await browser.post('/settings/keys/create', { ...form, proof: domainPassword });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('Your account at Example directory has expired.');
    samba.modify(changeEntry('carol', 'accountExpires', 0));
  });

  it('disables accounts of people who are disabled there or left, and enables those who come back', async () => {
    await submit('bob');
    samba.modify(changeEntry('bob', 'userAccountControl', disabledAccount));
    await round();
    expect(await disabled()).toEqual(['bob']);
    samba.modify(changeEntry('bob', 'userAccountControl', enabledAccount));
    await round();
    expect(await disabled()).toEqual([]);
    samba.modify(`dn: ${accountDn('bob')}\nchangetype: delete\n`);
    await round();
    expect(await disabled()).toEqual(['bob']);
  });

  it('lets local administrators in while it is down', async () => {
    await samba.close();
    const down = await submit('lovelace');
    expect(down.status).toBe(503);
    expect(down.text).toContain('Example directory can’t be reached');
    expect((await submit('admin', testPassword)).headers.location).toBe('/settings');
  });
});
