/** Access to an account ends as a whole: sessions, keys, terminal codes, links, remembered browsers, sign-ins in progress. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stampOf } from '../../src/accounts/access/account-state.ts';
import { endAccess } from '../../src/accounts/access/end-access.ts';
import { hashApiKey } from '../../src/accounts/keys/api-key.ts';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import { requireWithin } from '../../src/accounts/keys/key-powers.ts';
import { createSetPassword } from '../../src/accounts/passwords/set-password.ts';
import { changeEmail } from '../../src/accounts/profile/change-email.ts';
import { createSecondFactorChanges } from '../../src/accounts/second-factor/second-factor-changes.ts';
import { hashSessionToken } from '../../src/accounts/sessions/session.ts';
import type { SignInProof } from '../../src/accounts/sessions/sign-in-proof.ts';
import { createStartSession } from '../../src/accounts/sessions/start-session-http.ts';
import { createKnownBrowsers } from '../../src/accounts/sign-in/known-browser-http.ts';
import { createSignInLog } from '../../src/accounts/sign-in/sign-in-log-http.ts';
import { createSingleSignOn, installationRules } from '../../src/accounts/single-sign-on/single-sign-on.ts';
import { createDeviceCodes } from '../../src/accounts/terminal-sign-in/device-codes.ts';
import type { Connection } from '../../src/db/data.ts';
import type { Database } from '../../src/db/database.ts';
import { describeTables } from '../../src/db/describe-tables.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import type { Client } from '../../src/http/routes/client.ts';
import { type AccountsService, type Browser, startAccountsService } from '../support/accounts-service.ts';
import { json, send } from '../support/http-client.ts';
import { get } from '../support/interface-client.ts';
import { afterPassword, setUpApp } from '../support/second-factors.ts';
import { dialects } from '../support/test-database.ts';
import { hashCheaply, testPassword } from '../support/test-service.ts';

const fresh = 'seven grey gulls';
const grant = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * Every column that could hold something that grants access: `ended` with the access of an account, `factor` stays until its owner
 * removes it, and a reason for all others. A new column must be entered here, and in `endAccess`.
 */
const credentials: Readonly<Record<string, string>> = {
  'api_keys.key_hash': 'ended',
  'api_keys.previous_hash': 'ended',
  'apps.secret_rotations': 'a number',
  'apps.secret': 'belongs to an app: a trigger rotates it when a key that could see it ends',
  'attempts.subject': 'counts',
  'device_codes.secret_hash': 'ended',
  'device_codes.user_code_hash': 'ended',
  'device_codes.state': 'ended',
  'device_codes.key_days': 'a number',
  'build_libraries.name_key': 'a name',
  'distribution_pages.access_key': 'belongs to a page',
  'distribution_pages.passcode_hash': 'belongs to a page',
  'groups.name_key': 'a name',
  'audit_seals.entry_hash': 'a digest',
  'audit_seals.hash': 'a digest',
  'hooks.sealed_secret': 'belongs to a webhook',
  'hooks.old_secret_until': 'a time',
  'idempotency_keys.key': 'works only with the credential in it, which ends',
  'idempotent_requests.encrypted_answer': 'is given only to the credential that asked, which ends',
  'idempotent_requests.key': 'works only with that credential',
  'identities.subject': 'factor',
  'invitations.token_hash': 'belongs to whom it invites',
  'owners.name_key': 'a name',
  'passkeys.credential_id': 'factor',
  'key_sign_ons.key_id': 'names a key',
  'passkeys.public_key': 'factor',
  'password_resets.token_hash': 'ended',
  'recovery_codes.code_hash': 'factor',
  'resumable_uploads.idempotency_key': 'works only with the key that sent it',
  'resumable_uploads.key_id': 'names a key, whose end ends the upload',
  'claimed_groups.name_key': 'a name',
  'scim_groups.display_key': 'a name',
  'scim_tokens.token_hash': 'belongs to a Workspace, whose owners revoke it',
  'scim_users.display_key': 'a name',
  'scim_users.email_key': 'an address',
  'scim_users.family_key': 'a name',
  'scim_users.given_key': 'a name',
  'scim_users.user_name_key': 'a name',
  'sessions.token_hash': 'ended',
  'sessions.proven_at': 'ended',
  'signing_keys.encrypted_key': 'signs packages and signs nobody in',
  'trusted_publishers.rules': 'ended',
  'used_saml_ids.id_hash': 'is refused from then on',
  'used_id_tokens.token_id': 'is refused from then on',
  'users.access_epoch': 'ended',
  'users.email_key': 'an address',
  'users.must_change_password': 'a flag',
  'users.password_hash': 'factor',
  'users.totp_secret': 'factor',
  'workspaces.name_key': 'a name',
};
/** Tables with people in them that grant access to no account. */
const harmlessTables =
  /^(app_testers|apps|audit_rows|builds|devices|events|feedback\w*|claimed_group_members|granted_memberships|group_managers|group_members|hooks|idempotency_keys|idempotent_requests|invitation_exclusions|invitations|mail_choices|mails|member_activity|owners|page_groups|projects|provider_accounts|refused_visits|scim_group_members|signing_keys|stored_totals|team_members|tester_groups|workspace_(members|owners))$/;

describe.each(dialects)('ending the access of an account on %s', (dialect) => {
  let slipway: AccountsService;
  let database: Database;
  beforeAll(async () => {
    slipway = await startAccountsService(dialect, []);
    database = await openDatabase(slipway.config.database);
  });
  afterAll(async () => {
    await database?.close();
    await slipway?.close();
  });

  const post = (path: string, fields: Record<string, string>) =>
    send(slipway.port, path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
  const poll = async (code: string) => {
    const answer = await post('/oauth/token', { grant_type: grant, device_code: code });
    return json<{ error?: string; access_token?: string }>(answer);
  };
  const userNamed = async (name: string) => {
    const user = await slipway.data.owners.findOwner(name);
    if (user?.kind !== 'user') throw new Error(`there is no ${name}`);
    return user;
  };
  const opens = async ({ cookie }: Browser) =>
    (await get(slipway, '/settings', null, { headers: { Cookie: cookie, Accept: 'text/html' } })).status ===
    200;
  const stampFor = async (id: string) => {
    const state = await slipway.data.accountState.find(id);
    return state && stampOf(state);
  };
  const approved = async (browser: Browser) => {
    const started = json<{ device_code: string; user_code: string }>(
      await post('/oauth/device_authorization', { client_id: 'slipway-cli' }),
    );
    await browser.submit(`/device?code=${started.user_code}`, 'approve', { days: '365' });
    return started.device_code;
  };
  const publisher = {
    name: 'tide',
    app: null,
    pageNamePattern: null,
    provider: 'github',
    issuer: 'https://token.actions.githubusercontent.com',
    rules: [{ claim: 'repository', equals: 'acme/tide' }],
    pinned: {},
    allowsSelfHosted: false,
  } as const;
  /** Someone with one of everything. */
  const make = async (name: string) => {
    const key = await slipway.user(name);
    const mine = await slipway.browser(name);
    const other = await slipway.browser(name);
    const code = await approved(other);
    const user = await userNamed(name);
    const now = slipway.clock.now;
    await slipway.data.trustedPublishers.insert(user.id, publisher, user, now);
    const reset = { userId: user.id, tokenHash: `reset of ${name}`, expiresAt: now + 60_000 };
    await slipway.data.accounts.insertReset(reset);
    const stamp = await stampFor(user.id);
    const held = async () => ({
      mine: await opens(mine),
      other: await opens(other),
      key: (await get(slipway, '/api/v1/me', key)).status === 200,
      publisher: (await slipway.data.trustedPublishers.list(user.id)).length > 0,
      link: (await slipway.data.accounts.findReset(`reset of ${name}`, now)) !== null,
      // Remembered browsers, and second steps that are open.
      marks: (await stampFor(user.id)) === stamp,
    });
    return { name, user, key, mine, other, code, held };
  };
  type Person = Awaited<ReturnType<typeof make>>;
  const admin = async (action: string, { name }: Person) => {
    const browser = await slipway.browser('admin');
    return browser.post(`/administration/people/${name}/${action}`, { csrf: await browser.csrf() });
  };

  const nothing = { mine: false, other: false, key: false, publisher: false, link: false, marks: false };
  const programs = { key: true, publisher: true };
  const ways: Record<string, { end: (person: Person) => Promise<unknown>; left: typeof nothing }> = {
    'changing the password': {
      end: ({ mine }) =>
        mine.submit('/settings/password', 'password', {
          current: testPassword,
          password: fresh,
          again: fresh,
        }),
      left: { ...nothing, ...programs },
    },
    'a password reset link': {
      end: async ({ name }) => {
        await slipway.stranger.post('/forgot-password', { login: name });
        const link = await slipway.linkInEmail(`${name}@example.com`);
        return slipway.stranger.post(link, { password: fresh, again: fresh });
      },
      left: { ...nothing, ...programs },
    },
    'a new password with revoked keys, as the command line sets it': {
      end: ({ user }) =>
        createSetPassword({
          data: slipway.data,
          now: () => slipway.clock.now,
          refuseBreached: async () => undefined,
        })({ user, password: fresh, mustChange: true, by: 'command-line', revokeKeys: true }),
      left: nothing,
    },
    'revoking all keys': {
      end: ({ mine }) => mine.submit('/settings/keys?review=reset', 'revoke-all'),
      left: { ...nothing, mine: true, other: true, link: true, marks: true },
    },
    'ending all other sessions': {
      end: ({ mine }) => mine.submit('/settings/sessions', 'end-others'),
      left: { ...nothing, mine: true, ...programs },
    },
    'ending one session': {
      end: async ({ mine, other, user }) => {
        const { now } = slipway.clock;
        const lines = await slipway.data.sessions.listSessions(
          user.id,
          hashSessionToken(other.cookie.split('=')[1] ?? ''),
          now,
        );
        const id = lines.find(({ current }) => current)?.id;
        return mine.post(`/settings/sessions/${id}/end`, { csrf: await mine.csrf() });
      },
      left: { ...nothing, mine: true, ...programs },
    },
    'an administrator who ends the sessions': {
      end: (person) => admin('sessions/end', person),
      left: { ...nothing, ...programs },
    },
    'an administrator who disables the account, and enables it again': {
      end: async (person) => {
        await admin('disable', person);
        await admin('enable', person);
      },
      left: { ...nothing, ...programs },
    },
    'the first second factor': {
      end: ({ mine }) => setUpApp(slipway, mine),
      left: { ...nothing, mine: true, ...programs },
    },
    'deleting the account': {
      end: async ({ mine, name }) => mine.submit(`/users/${name}/delete`, 'delete', { confirmation: name }),
      left: nothing,
    },
  };

  it.each(Object.keys(ways))('%s leaves no approved code, and nothing else that it ends', async (way) => {
    const { end, left } = ways[way] as (typeof ways)[string];
    const person = await make(`person-${Object.keys(ways).indexOf(way)}`);
    expect(Object.values(await person.held())).not.toContain(false);
    await end(person);
    expect(await person.held()).toEqual(left);
    const { error, access_token: token } = await poll(person.code);
    expect([way, token]).toEqual([way, undefined]);
    expect(['access_denied', 'expired_token']).toContain(error);
  });

  it('ends second steps that are open, also when the password and the factors stay', async () => {
    await slipway.user('stepper');
    const app = await setUpApp(slipway, await slipway.browser('stepper'));
    slipway.clock.now += 60_000;
    const step = await afterPassword(slipway, 'stepper');
    const { id } = await userNamed('stepper');
    await slipway.data.transaction((tx) => endAccess(tx, id, { sessions: 'all', at: slipway.clock.now }));
    const late = await step.prove('code', app.code());
    expect([late.status, late.headers.location]).toEqual([303, '/sign-in']);
  });

  it('covers every column of the database that may grant access', async () => {
    const tables = await describeTables(database);
    const suspects = tables.flatMap(({ name, columns }) =>
      columns
        .filter((column) =>
          /hash|secret|token|password|credential|proven|code|epoch|encrypted|(^|_)keys?($|_)/.test(column),
        )
        .filter((column) => !/^(version_code|commit_id)$/.test(column))
        .map((column) => `${name}.${column}`),
    );
    const known = Object.keys(credentials);
    expect(suspects.filter((column) => !known.includes(column))).toEqual([]);
    const all = tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`));
    expect(known.filter((column) => !all.includes(column))).toEqual([]);
    // Whatever belongs to a person is either harmless, or has a credential in the list.
    const ofPeople = tables
      .filter(({ columns }) => columns.some((column) => /user_id|owner_id|^invited_by$/.test(column)))
      .map(({ name }) => name)
      .filter((name) => !harmlessTables.test(name));
    const listed = new Set(known.map((column) => column.split('.')[0]));
    expect(ofPeople.filter((name) => !listed.has(name))).toEqual([]);
  });

  it('leaves no row of a deleted account in the tables of credentials', async () => {
    const { user, mine, name } = await make('leaver');
    await setUpApp(slipway, mine);
    await mine.submit(`/users/${name}/delete`, 'delete', { confirmation: name });
    for (const { name: table, columns } of await describeTables(database)) {
      if (!Object.keys(credentials).some((column) => column.startsWith(`${table}.`))) continue;
      for (const column of columns.filter(
        (one) => one === 'user_id' || (one === 'owner_id' && table !== 'apps'),
      )) {
        const rows = await database.queries
          .selectFrom(table as 'sessions')
          .selectAll()
          .where(column as 'user_id', '=', user.id)
          .execute();
        expect([table, rows]).toEqual([table, []]);
      }
    }
  });

  describe('while something is in progress', () => {
    const client = {
      cookies: {},
      origin: 'https://apps.example.com',
      address: '192.0.2.1',
      userAgent: '',
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    } as unknown as Client;
    const startSession = (userId: string, proof: SignInProof) => {
      const shared = { data: slipway.data, secret: 's', now: () => slipway.clock.now };
      return createStartSession({
        ...shared,
        passwords: true,
        requiredFactor: 'off',
        sessionIdleMs: 60_000,
        signIns: createSignInLog(shared),
        knownBrowsers: createKnownBrowsers(shared),
        wakeOutbox: () => undefined,
        onSignedIn: async () => undefined,
      })(client, { userId, to: null, way: 'password', proof });
    };
    const sessionsOf = (id: string) => slipway.data.sessions.listSessions(id, '', slipway.clock.now);

    it.each<[string, (id: string) => Promise<unknown>]>([
      [
        'another password',
        async (id) => slipway.data.accounts.setPassword(id, await hashCheaply(fresh), false),
      ],
      ['an authenticator app', (id) => slipway.data.secondFactors.insertTotp(id, '1.x', 1)],
      [
        'a passkey',
        (id) =>
          slipway.data.secondFactors.insertPasskey(
            {
              userId: id,
              credentialId: `new ${id}`,
              publicKey: '',
              signatureCount: 0,
              transports: [],
              name: '',
            },
            slipway.clock.now,
          ),
      ],
      ['an end of access', (id) => slipway.data.accountState.beginEpoch(id)],
    ])('a password that was right before %s signs nobody in', async (name, change) => {
      await slipway.user(name.replaceAll(' ', '-'));
      const { id } = await userNamed(name.replaceAll(' ', '-'));
      const proof = { kind: 'password', stamp: (await stampFor(id)) ?? '' } as const;
      const before = (await sessionsOf(id)).length;
      await startSession(id, proof);
      expect(await sessionsOf(id)).toHaveLength(before + 1);
      await change(id);
      await expect(startSession(id, proof)).rejects.toMatchObject({ kind: 'conflict' });
      expect(await sessionsOf(id)).toHaveLength(before + 1);
    });

    it('a passkey that was removed, a link that was cut, and a password that was replaced sign nobody in', async () => {
      await slipway.user('proofs');
      const { id } = await userNamed('proofs');
      const { secondFactors, identities } = slipway.data;
      const key = { credentialId: 'c', publicKey: '', signatureCount: 0, transports: [], name: '' };
      await secondFactors.insertPasskey({ ...key, userId: id }, slipway.clock.now);
      const passkeyId = (await secondFactors.findPasskey('c'))?.id ?? '';
      const identity = { issuer: 'https://id.example.com', subject: 'proofs' };
      await identities.insertIdentity({ ...identity, label: '', userId: id, createdAt: slipway.clock.now });
      const passwordHash = await hashCheaply(fresh);
      await slipway.data.accounts.setPassword(id, passwordHash, false);
      const proofs: SignInProof[] = [
        { kind: 'passkey', passkeyId },
        { kind: 'identity', ...identity },
        { kind: 'new password', passwordHash },
      ];
      for (const proof of proofs) await startSession(id, proof);
      await secondFactors.deletePasskey(id, passkeyId);
      await identities.deleteIdentity(id, identity.issuer, identity.subject);
      await slipway.data.accounts.setPassword(id, await hashCheaply(fresh), false);
      for (const proof of proofs)
        await expect(startSession(id, proof)).rejects.toMatchObject({ kind: 'conflict' });
      // Proof of another person is not accepted either.
      await slipway.user('stranger');
      await identities.insertIdentity({
        ...identity,
        label: '',
        userId: (await userNamed('stranger')).id,
        createdAt: 1,
      });
      await expect(startSession(id, { kind: 'identity', ...identity })).rejects.toMatchObject({
        kind: 'conflict',
      });
    });

    it('a password is replaced only if it is still the one that was verified', async () => {
      await slipway.user('twice');
      const user = await userNamed('twice');
      const setPassword = createSetPassword({
        data: slipway.data,
        now: () => slipway.clock.now,
        refuseBreached: async () => undefined,
      });
      const replaces = (await slipway.data.accounts.findAccount(user.id))?.passwordHash ?? null;
      const change = {
        user,
        password: fresh,
        mustChange: false,
        by: { kind: 'user', user },
        replaces,
      } as const;
      expect(await setPassword(change)).toMatch(/^\$argon2id\$/);
      expect(await setPassword(change)).toBeNull();
    });

    it('a session that has ended approves no code, and changes no factor, link or address', async () => {
      const { user, mine, other } = await make('late');
      const sessionToken = mine.cookie.split('=')[1] ?? '';
      const now = () => slipway.clock.now;
      const { data } = slipway;
      const codes = createDeviceCodes({ data, issueKey: createIssueKey({ data, now }), now });
      const program = {
        client: 'x',
        network: '192.0.2.5',
        scopes: ['read'],
        secretOf: () => 'late',
      } as const;
      const code = await codes.create(program);
      await other.submit('/settings/sessions', 'end-others');
      const by = { user, actor: { kind: 'user' as const, user }, sessionToken };
      await expect(codes.approve(by, code, 30)).rejects.toMatchObject({ kind: 'unauthenticated' });
      await expect(codes.createApproved(program, by, 30)).rejects.toMatchObject({ kind: 'unauthenticated' });
      expect((await codes.find(code))?.state).toBe('pending');
      const shared = { data, now, secret: 's', wakeOutbox: () => undefined };
      const changes = createSecondFactorChanges(shared);
      const change = { user, keep: hashSessionToken(sessionToken) };
      const passkey = { credentialId: 'late', publicKey: '', signatureCount: 0, transports: [] };
      const people = createSingleSignOn({
        ...shared,
        rules: installationRules({ signUp: 'invited', domains: [] }),
        signUpQuota: null,
      });
      const identity = { issuer: 'https://id.example.com', subject: 'late', label: '' };
      const proven = { ...identity, email: null, emailConfirmed: false, names: [] };
      const mail = {
        email: 'thief@example.com',
        confirmed: true,
        by: { kind: 'user', user },
        sessionToken,
      } as const;
      for (const late of [
        () => changes.addPasskey({ ...change, passkey, name: 'late' }),
        () => changes.disableApp(change),
        () => changes.createRecoveryCodes(change),
        () => people.link(by, proven),
        () => changeEmail(shared, user, mail),
      ])
        await expect(late()).rejects.toMatchObject({ kind: 'unauthenticated' });
    });

    it('a key that was revoked creates no key', async () => {
      await slipway.user('revoker');
      const user = await userNamed('revoker');
      const { data } = slipway;
      const now = () => slipway.clock.now;
      const issueKey = createIssueKey({ data, now });
      const owner = { ownerName: 'revoker', ownerKind: 'user', name: 'k', expiresAt: null } as const;
      const first = await issueKey({ ...owner, by: 'command-line' });
      const keyHash = hashApiKey(first.key);
      const wanted = { scopes: first.record.scopes, restriction: null, expiresAt: null };
      const recheck = (tx: Connection) => requireWithin(tx, { keyHash }, wanted, now());
      const by = { kind: 'user', user } as const;
      await issueKey({ ...owner, by, recheck });
      await data.transaction((tx) => endAccess(tx, user.id, { keys: by, at: now() }));
      await expect(issueKey({ ...owner, by, recheck })).rejects.toMatchObject({ kind: 'unauthenticated' });
      expect(await data.keys.countUsableKeys(user.id, now())).toBe(0);
    });
  });
});
