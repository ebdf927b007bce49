/** Every query about accounts at least once, on both dialects. The last test requires this. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InvitedTo } from '../../src/accounts/invitations/invitation.ts';
import { keyScopes } from '../../src/core/key-scope.ts';
import type { User } from '../../src/owners/owner.ts';
import { openRecordedQueries, type RecordedQueries } from '../support/recorded-queries.ts';
import { addApp, addProject, addUser } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('queries about accounts on %s', (dialect) => {
  let test: RecordedQueries;
  let data: RecordedQueries['data'];
  let ada: User;
  beforeAll(async () => {
    test = await openRecordedQueries(dialect);
    data = test.data;
    ada = await addUser(data, 'Ada');
  });
  afterAll(() => test.close());

  describe('access', () => {
    const key = (ownerId: string, keyHash: string) => ({
      ownerId,
      keyHash,
      name: 'ci',
      hint: 'slw_abcd',
      createdAt: 5,
      expiresAt: 50,
    });

    it('finds an API key with its owner, and keeps revoked keys', async () => {
      const project = await addProject(data, 'keyed', 'acme');
      const own = await data.keys.insertKey(key(ada.id, 'a1'));
      const other = await data.keys.insertKey(key(project.id, 'a2'));
      const expected = { id: own.id, expiresAt: 50, revokedAt: null, lastUsedAt: null };
      expect(await data.keys.findKey('a1', 1)).toEqual({
        ...expected,
        actor: { kind: 'user', user: ada, key: { id: own.id, name: own.name } },
        scopes: keyScopes,
      });
      expect(await data.keys.findKey('a2', 1)).toMatchObject({
        id: other.id,
        actor: { kind: 'project', project },
      });
      expect(await data.keys.findKey('a3', 1)).toBeNull();
      await data.keys.touchKey(own.id, 20, '192.0.2.1');
      expect(await data.keys.revokeKey(project.id, own.id, 21)).toBeNull();
      expect(await data.keys.revokeKey(ada.id, own.id, 22)).toBe(own.id);
      expect(await data.keys.revokeKey(ada.id, own.id, 23)).toBeNull();
      expect(await data.keys.findKey('a1', 1)).toMatchObject({ lastUsedAt: 20, revokedAt: 22 });
      expect(await data.keys.listKeys(ada.id)).toEqual([
        { ...own, lastUsedAt: 20, lastUsedNetwork: '192.0.2.1', revokedAt: 22 },
      ]);
    });

    it('replaces the secret of a key and gives the old one an expiry', async () => {
      const rotated = await data.keys.insertKey(key(ada.id, 'r1'));
      const next = { keyHash: 'r2', hint: 'slw_next', expiresAt: 90, now: 10, previousUntil: 20 };
      expect(await data.keys.rotateKey({ ...rotated, hint: 'slw_gone' }, next)).toBe(false);
      expect(await data.keys.rotateKey(rotated, next)).toBe(true);
      const found = async (hash: string, now: number) => [
        (await data.keys.findKey(hash, now))?.id ?? null,
        (await data.keys.holdKey(hash, now))?.id ?? null,
      ];
      const { id } = rotated;
      expect(await found('r2', 19)).toEqual([id, id]);
      expect(await found('r1', 19)).toEqual([id, id]);
      expect(await found('r1', 20)).toEqual([null, null]);
      expect(await data.keys.findKeyById(id)).toEqual({
        ...rotated,
        hint: 'slw_next',
        expiresAt: 90,
        rotatedAt: 10,
        previousUntil: 20,
      });
      expect(await data.keys.endPreviousSecret('nobody', id, 15)).toBe(false);
      expect(await data.keys.endPreviousSecret(ada.id, id, 20)).toBe(false);
      expect(await data.keys.endPreviousSecret(ada.id, id, 15)).toBe(true);
      expect(await found('r1', 15)).toEqual([null, null]);
      expect(await data.keys.findKeyById('none')).toBeNull();
    });

    const endExpired = async (at: number) => {
      for (const { id, ownerId } of await data.keys.listExpiredKeys(at))
        await data.keys.revokeKey(ownerId, id, at);
      await data.keys.endReplacedSecrets(at);
    };

    it('rotates the secret of an app once for each expired key', async () => {
      const owner = await addUser(data, 'rotating');
      const { appId } = await addApp(data, owner.id, { platform: 'ios' });
      expect(await data.apps.rotateSecret(appId, 'b'.repeat(40))).toBe(true);
      expect(await data.apps.rotateSecret('nowhere', 'b'.repeat(40))).toBe(false);
      const secretOf = async () => (await data.apps.findAppById(appId))?.secret;
      expect(await secretOf()).toBe('b'.repeat(40));
      await data.keys.insertKey({ ...key(owner.id, 'expiring'), expiresAt: 50 });
      await endExpired(49);
      expect(await secretOf()).toBe('b'.repeat(40));
      await endExpired(50);
      const rotated = await secretOf();
      expect(rotated).not.toBe('b'.repeat(40));
      await endExpired(51);
      expect(await secretOf()).toBe(rotated);
    });

    it('rotates the secret of an app when the replaced secret of a key expires', async () => {
      const owner = await addUser(data, 'replacing');
      const { appId } = await addApp(data, owner.id, { platform: 'ios' });
      const rotations = async () => (await data.apps.findAppById(appId))?.secretRotations;
      const { id } = await data.keys.insertKey(key(owner.id, 'replaced'));
      const rotate = async (to: string, previousUntil: number | null) => {
        const record = await data.keys.findKeyById(id);
        if (!record) throw new Error('the key is gone');
        const next = { keyHash: to, hint: to, expiresAt: null, now: 1, previousUntil };
        expect(await data.keys.rotateKey(record, next)).toBe(true);
      };
      await rotate('replaced-1', 50);
      await endExpired(49);
      expect(await rotations()).toBe(0);
      await endExpired(50);
      await endExpired(51);
      expect(await rotations()).toBe(1);
      await rotate('replaced-2', null);
      expect(await rotations()).toBe(2);
      await rotate('replaced-3', 90);
      expect(await data.keys.endPreviousSecret(owner.id, id, 60)).toBe(true);
      expect(await rotations()).toBe(3);
      await rotate('replaced-4', 90);
      await rotate('replaced-5', 90);
      expect(await rotations()).toBe(4);
      await data.keys.revokeKey(owner.id, id, 70);
      await endExpired(95);
      expect(await rotations()).toBe(5);
    });

    it('reports whether the creator of a Project’s key is still a member', async () => {
      const project = await addProject(data, 'creators');
      const mia = await addUser(data, 'key-maker');
      await data.owners.addTeamMember(project.id, 'owner', mia.id, 1);
      await data.owners.addTeamMember(project.id, 'tester', mia.id, 1);
      await data.keys.insertKey({ ...key(project.id, 'creator'), createdBy: mia });
      const creators = async () => (await data.keys.listKeys(project.id)).map(({ createdBy }) => createdBy);
      expect(await creators()).toEqual([{ name: 'key-maker', left: false }]);
      await data.owners.removeTeamMember(project.id, 'owner', mia.id);
      expect(await creators()).toEqual([{ name: 'key-maker', left: false }]);
      await data.owners.removeTeamMember(project.id, 'tester', mia.id);
      expect(await creators()).toEqual([{ name: 'key-maker', left: true }]);
    });

    it('refuses the same key twice', async () => {
      await data.keys.insertKey(key(ada.id, 'twice'));
      await expect(data.keys.insertKey(key(ada.id, 'twice'))).rejects.toThrow(/unique/i);
    });

    it('counts usable keys', async () => {
      const counted = await addUser(data, 'counted');
      expect(await data.keys.countUsableKeys(counted.id, 10)).toBe(0);
      const first = await data.keys.insertKey(key(counted.id, 'c1'));
      await data.keys.insertKey(key(counted.id, 'c2'));
      await data.keys.insertKey({ ...key(counted.id, 'c3'), expiresAt: null });
      await data.keys.revokeKey(counted.id, first.id, 9);
      expect(await data.keys.countUsableKeys(counted.id, 49)).toBe(2);
      expect(await data.keys.countUsableKeys(counted.id, 50)).toBe(1);
    });

    it('ends sessions on expiry, on sign-out and from another session', async () => {
      expect(await data.sessions.hasSessions()).toBe(false);
      const session = (tokenHash: string, expiresAt: number, createdAt = 1, userId = ada.id) => ({
        userId,
        tokenHash,
        createdAt,
        expiresAt,
        userAgent: `agent of ${tokenHash}`,
        address: '::1',
        authenticatedAt: null,
      });
      await data.sessions.insertSession(session('s1', 10));
      await data.sessions.insertSession(session('s2', 20));
      await data.sessions.insertSession(session('s3', 20));
      expect(await data.sessions.hasSessions()).toBe(true);
      const known = await data.sessions.findSession('s1', 9);
      expect(known).toEqual({
        id: expect.stringMatching(/^[0-9a-z]{26}$/),
        language: null,
        user: ada,
        mustChangePassword: false,
        passwordAlone: true,
        createdAt: 1,
        lastSeenAt: 1,
      });
      expect(await data.sessions.findProof('s1')).toBeNull();
      await data.sessions.recordProof('s1', 8);
      expect(await data.sessions.findProof('s1')).toBe(8);
      expect(await data.sessions.findProof('s9')).toBeNull();
      expect(await data.sessions.findSession('s1', 10)).toBeNull();
      await data.sessions.deleteExpiredSessions(10);
      expect(await data.sessions.findSession('s1', 0)).toBeNull();
      await data.sessions.deleteSession('s2');
      expect(await data.sessions.findSession('s2', 0)).toBeNull();
      const third = await data.sessions.findSession('s3', 0);
      await data.sessions.touchSession(third?.id ?? '', { at: 8, address: '10.0.0.9', endsAt: 25 });
      const listed = { id: third?.id, userAgent: 'agent of s3', address: '10.0.0.9' };
      const line = { ...listed, current: true, createdAt: 1, lastSeenAt: 8, endsAt: 25 };
      expect(await data.sessions.listSessions(ada.id, 's3', 24)).toEqual([line]);
      expect(await data.sessions.listSessions(ada.id, 's4', 24)).toEqual([{ ...line, current: false }]);
      expect(await data.sessions.listSessions(ada.id, 's3', 25)).toEqual([]);

      const other = await addUser(data, 'with-sessions');
      for (let at = 1; at <= 5; at++) {
        await data.sessions.insertSession(session(`o${at}`, 99, at, other.id));
      }
      const hashes = async () => {
        const found: string[] = [];
        for (let at = 1; at <= 5; at++) {
          if (await data.sessions.findSession(`o${at}`, 9)) found.push(`o${at}`);
        }
        return found;
      };
      await data.sessions.deleteSurplusSessions(other.id, 4);
      expect(await hashes()).toEqual(['o2', 'o3', 'o4', 'o5']);
      const fifth = await data.sessions.findSession('o5', 9);
      expect(await data.sessions.deleteSessionOf(ada.id, fifth?.id ?? '')).toBe(false);
      expect(await data.sessions.deleteSessionOf(other.id, fifth?.id ?? '')).toBe(true);
      expect(await data.sessions.deleteSessionsOf(other.id, 'o3')).toBe(2);
      expect(await hashes()).toEqual(['o3']);
      expect(await data.sessions.deleteSessionsOf(other.id, null)).toBe(1);
      expect(await data.sessions.findSession('s3', 0)).not.toBeNull();
    });
  });

  describe('accounts', () => {
    it('store passwords, passwords that must be changed, and addresses', async () => {
      const user = await addUser(data, 'account');
      await addUser(data, 'account-too');
      expect(await data.accounts.findAccount(user.id)).toEqual({
        passwordHash: 'hash of account',
        mustChangePassword: false,
      });
      await data.accounts.setPassword(user.id, 'another', true);
      expect(await data.accounts.findAccount(user.id)).toEqual({
        passwordHash: 'another',
        mustChangePassword: true,
      });
      expect(await data.accounts.findAccount('nobody')).toBeNull();
      expect(await data.accounts.hasSeveralPeople()).toBe(true);
      expect(await data.accounts.setEmail(user.id, 'New@Example.com', null, true)).toBe(false);
      expect(await data.accounts.setEmail(user.id, 'New@Example.com', user.email, true)).toBe(true);
      expect(await data.accounts.isEmailTaken('nEW@example.com')).toBe(true);
      expect(await data.accounts.isEmailTaken('account@example.com')).toBe(false);
      const taken = data.accounts.setEmail(user.id, 'ACCOUNT-too@example.com', 'New@Example.com', true);
      await expect(taken).rejects.toThrow(/unique/i);
      expect(await data.owners.findLanguage(user.id)).toBeNull();
      await data.accounts.setLanguage(user.id, 'ja');
      expect(await data.owners.findLanguage(user.id)).toBe('ja');
      await data.accounts.setLanguage(user.id, null);
      expect([await data.owners.findLanguage(user.id), await data.owners.findLanguage('nobody')]).toEqual([
        null,
        null,
      ]);
      const bare = await addUser(data, 'account-bare', { email: null });
      expect(await data.accounts.setEmail(bare.id, 'bare@example.com', null, false)).toBe(true);
    });

    it('accept a reset token once, while it is valid', async () => {
      const user = await addUser(data, 'forgetful');
      const reset = (tokenHash: string) => ({ userId: user.id, tokenHash, expiresAt: 10 });
      await data.accounts.insertReset(reset('r1'));
      expect(await data.accounts.findReset('r1', 9)).toEqual({ userId: user.id, userName: 'forgetful' });
      expect(await data.accounts.findReset('r1', 10)).toBeNull();
      expect(await data.accounts.findReset('r2', 9)).toBeNull();
      expect(await data.accounts.useReset('r1', 10)).toBe(false);
      expect(await data.accounts.useReset('r1', 9)).toBe(true);
      expect(await data.accounts.useReset('r1', 9)).toBe(false);
      await data.accounts.insertReset(reset('r3'));
      await data.accounts.deleteResetsOf(user.id);
      expect(await data.accounts.findReset('r3', 9)).toBeNull();
    });
  });

  describe('second factors', () => {
    it('store a TOTP secret and use each time step once, in order', async () => {
      const person = await addUser(data, 'two-steps');
      const none = { encryptedTotp: null, passkeys: 0, recoveryCodes: 0 };
      expect(await data.secondFactors.findFactors(person.id)).toEqual(none);
      expect(await data.secondFactors.findFactors('nobody')).toBeNull();
      expect(await data.secondFactors.insertTotp(person.id, 'sealed', 7)).toBe(true);
      expect(await data.secondFactors.insertTotp(person.id, 'other', 8)).toBe(false);
      expect(await data.secondFactors.insertTotp('nobody', 'other', 8)).toBe(false);
      const take = (encrypted: string, step: number) =>
        data.secondFactors.takeTotpStep(person.id, encrypted, step);
      const taken = [await take('sealed', 7), await take('other', 8), await take('sealed', 8)];
      expect([...taken, await take('sealed', 8)]).toEqual([false, false, true, false]);
      expect(await data.secondFactors.findFactors(person.id)).toEqual({ ...none, encryptedTotp: 'sealed' });
      const deleted = [
        await data.secondFactors.deleteTotp(person.id),
        await data.secondFactors.deleteTotp(person.id),
      ];
      expect(deleted).toEqual([true, false]);
      expect(await data.secondFactors.findFactors(person.id)).toEqual(none);
    });

    it('store recovery codes, each valid once and for one person', async () => {
      const [one, other] = [await addUser(data, 'codes-one'), await addUser(data, 'codes-other')];
      await data.secondFactors.replaceRecoveryCodes(one.id, ['h1', 'h2', 'h3']);
      await data.secondFactors.replaceRecoveryCodes(other.id, ['h1']);
      const take = (hash: string) => data.secondFactors.takeRecoveryCode(one.id, hash);
      expect([await take('h1'), await take('h1'), await take('h9')]).toEqual([true, false, false]);
      await data.secondFactors.replaceRecoveryCodes(one.id, ['h4']);
      expect([await take('h2'), await take('h4')]).toEqual([false, true]);
      await data.secondFactors.replaceRecoveryCodes(one.id, []);
      expect(await data.secondFactors.findFactors(other.id)).toMatchObject({ recoveryCodes: 1 });
    });

    it('store passkeys, whose signature counter only grows', async () => {
      const person = await addUser(data, 'passkeys');
      const key = {
        userId: person.id,
        credentialId: 'credential',
        publicKey: 'key',
        signatureCount: 0,
        transports: ['usb', 'nfc'],
        name: 'Laptop',
      };
      await data.secondFactors.insertPasskey(key, 5);
      await expect(data.secondFactors.insertPasskey({ ...key, userId: ada.id }, 6)).rejects.toThrow();
      const passkey = await data.secondFactors.findPasskey('credential');
      expect(passkey).toEqual({ ...key, id: expect.any(String) });
      expect(await data.secondFactors.findPasskey('other')).toBeNull();
      const id = passkey?.id ?? '';
      const uses: boolean[] = [];
      for (const count of [0, 0, 3, 3, 2, 0, 4]) uses.push(await data.secondFactors.usePasskey(id, count, 9));
      expect(uses).toEqual([true, true, true, false, false, false, true]);
      expect(await data.secondFactors.renamePasskey(ada.id, id, 'x')).toBe(false);
      expect(await data.secondFactors.renamePasskey(person.id, id, 'Phone')).toBe(true);
      expect(await data.secondFactors.listPasskeys(person.id)).toEqual([
        {
          id,
          credentialId: 'credential',
          transports: ['usb', 'nfc'],
          name: 'Phone',
          createdAt: 5,
          lastUsedAt: 9,
        },
      ]);
      expect(await data.secondFactors.deletePasskey(ada.id, id)).toBeNull();
      expect(await data.secondFactors.deletePasskey(person.id, id)).toBe('Phone');
      await data.secondFactors.insertPasskey(key, 6);
      expect(await data.secondFactors.deletePasskeysOf(person.id)).toBe(1);
      expect(await data.secondFactors.deletePasskeysOf(person.id)).toBe(0);
    });
  });

  describe('identities', () => {
    const issuer = 'https://login.example.com';

    it('store the owner of an identity, one per issuer and person', async () => {
      const user = await addUser(data, 'linked');
      const other = await addUser(data, 'linked-too');
      const identity = { issuer, subject: 's1', label: 'l@x', userId: user.id, createdAt: 5 };
      expect(await data.identities.findUserOfIdentity(issuer, 's1')).toBeNull();
      await data.identities.insertIdentity(identity);
      expect(await data.identities.findUserOfIdentity(issuer, 's1')).toEqual(user);
      expect(await data.identities.findUserOfIdentity('https://other.example', 's1')).toBeNull();
      const again = data.identities.insertIdentity({ ...identity, subject: 's2' });
      await expect(again).rejects.toThrow(/unique/i);
      const stolen = data.identities.insertIdentity({ ...identity, userId: other.id });
      await expect(stolen).rejects.toThrow(/unique/i);
      const elsewhere = { ...identity, issuer: 'https://other.example', createdAt: 6 };
      await data.identities.insertIdentity(elsewhere);
      const listed = { issuer, subject: 's1', label: 'l@x', createdAt: 5 };
      expect(await data.identities.listIdentities(user.id)).toEqual([
        listed,
        { ...listed, issuer: elsewhere.issuer, createdAt: 6 },
      ]);
      expect(await data.identities.deleteIdentity(other.id, issuer, 's1')).toBe(false);
      expect(await data.identities.deleteIdentity(user.id, issuer, 's1')).toBe(true);
      expect(await data.identities.findUserOfIdentity(issuer, 's1')).toBeNull();
    });

    it('find the owner of an address, and whether it was confirmed', async () => {
      const user = await addUser(data, 'holder');
      const holder = { ...user, email: 'Held@example.com' };
      expect(await data.identities.findHolderOfEmail('HOLDER@example.com')).toEqual({
        user,
        confirmed: false,
      });
      await data.accounts.setEmail(user.id, 'Held@example.com', user.email, true);
      expect(await data.identities.findHolderOfEmail('held@example.com')).toEqual({
        user: holder,
        confirmed: true,
      });
      expect(await data.identities.findHolderOfEmail('nobody@example.com')).toBeNull();
    });

    it('know one address however its domain is written', async () => {
      const anna = await addUser(data, 'anna', { email: 'anna@exa\u0308mple.com' });
      expect(anna.email).toBe('anna@xn--exmple-cua.com');
      for (const domain of ['exämple.com', 'EXÄMPLE.com', 'xn--exmple-cua.com']) {
        expect((await data.owners.findUserForSignIn(`Anna@${domain}`))?.user.id).toBe(anna.id);
        expect((await data.identities.findHolderOfEmail(`anna@${domain}`))?.user.id).toBe(anna.id);
        expect(await data.accounts.isEmailTaken(`anna@${domain}`)).toBe(true);
        await expect(addUser(data, 'another-anna', { email: `anna@${domain}` })).rejects.toThrow();
      }
      expect(await data.owners.findUserForSignIn('anna@exämple.com/x')).toBeNull();
      await data.accounts.setEmail(anna.id, 'anna@日本語.jp', anna.email, true);
      expect((await data.owners.findUserForSignIn('anna@xn--wgv71a119e.jp'))?.user.email).toBe(
        'anna@xn--wgv71a119e.jp',
      );
    });

    it('compare addresses and names in ASCII, so that no other letter stands for one of theirs', async () => {
      const kim = await addUser(data, 'Kim-ascii', { email: 'Kim-ascii@example.com' });
      const likeKim = '\u212aim-ascii';
      for (const find of [
        () => data.identities.findHolderOfEmail(`${likeKim}@example.com`),
        () => data.owners.findUserForSignIn(`${likeKim}@example.com`),
        () => data.owners.findUserForSignIn(likeKim),
        () => data.owners.findOwner(likeKim),
      ])
        expect(await find()).toBeNull();
      expect(await data.accounts.isEmailTaken(`${likeKim}@example.com`)).toBe(false);
      const other = await addUser(data, 'like-kim', { email: `${likeKim}@example.com` });
      const foundBy = async (login: string) => (await data.owners.findUserForSignIn(login))?.user.id;
      expect(await foundBy(`${likeKim}@EXAMPLE.com`)).toBe(other.id);
      expect(await foundBy('KIM-ASCII@example.com')).toBe(kim.id);
      expect(await foundBy('KIM-ASCII')).toBe(kim.id);
    });
  });

  it('store invitations, each valid once and until it expires', async () => {
    const project = await addProject(data, 'inviting');
    const into = { kind: 'project', id: project.id, team: 'tester' } as const;
    const put = (tokenHash: string, changes: object = {}) =>
      data.invitations.insertInvitation({
        tokenHash,
        email: null,
        into,
        invitedBy: ada.id,
        createdAt: 5,
        expiresAt: 50,
        ...changes,
      });
    expect(await data.invitations.findInvitation('i0', 9)).toBeNull();
    await put('i0');
    // An invitation by a user without permission to invite is invalid.
    expect(await data.invitations.findInvitation('i0', 9)).toBeNull();
    await data.invitations.deleteOldInvitations(project.id, 51);
    await data.owners.addTeamMember(project.id, 'owner', ada.id, 1);
    const root = await addUser(data, 'root-inviter', { administrator: true });
    const first = await put('i1');
    const second = await put('i2', { email: 'guest@example.com', createdAt: 6, expiresAt: 60 });
    const here = await put('i3', { into: null, invitedBy: root.id });
    expect(await data.invitations.findInvitation('i1', 49)).toEqual({
      id: first,
      email: null,
      invitedBy: 'Ada',
      createdAt: 5,
      expiresAt: 50,
      into: { kind: 'project', id: project.id, name: 'inviting', team: 'tester' },
      link: null,
    });
    expect(await data.invitations.findInvitation('i1', 50)).toBeNull();
    expect(await data.invitations.findInvitationById(here, 49)).toMatchObject({
      into: null,
      invitedBy: 'root-inviter',
    });
    const ids = async (projectId: string | null, now: number) =>
      (await data.invitations.listInvitations(projectId, now, 9)).map(({ id }) => id);
    expect(await ids(project.id, 9)).toEqual([second, first]);
    expect(await ids(project.id, 50)).toEqual([second]);
    expect(await ids(null, 9)).toEqual([here]);
    expect(await data.invitations.countInvitations(project.id, 9)).toBe(2);
    expect(await data.invitations.countInvitations(null, 9)).toBe(1);
    expect(await data.invitations.setInvitationToken(second, 'i4', 60)).toBe(false);
    expect(await data.invitations.setInvitationToken(second, 'i4', 59)).toBe(true);
    expect(await data.invitations.findInvitation('i2', 9)).toBeNull();
    expect(await data.invitations.useInvitation(second, 60)).toBe(false);
    await data.owners.removeTeamMember(project.id, 'owner', ada.id);
    expect(await data.invitations.useInvitation(second, 59)).toBe(false);
    await data.owners.addTeamMember(project.id, 'owner', ada.id, 1);
    expect(await data.invitations.useInvitation(second, 59)).toBe(true);
    expect(await data.invitations.useInvitation(second, 59)).toBe(false);
    expect(await data.invitations.findInvitation('i4', 9)).toBeNull();
    expect(await data.invitations.deleteInvitation(project.id, second)).toBeNull();
    expect(await data.invitations.deleteInvitation(null, first)).toBeNull();
    expect(await data.invitations.deleteInvitation(project.id, first)).toEqual({
      team: 'tester',
      email: null,
    });
    await data.invitations.deleteOldInvitations(null, 50);
    expect(await ids(null, 9)).toEqual([here]);
    await data.invitations.deleteOldInvitations(null, 51);
    expect(await ids(null, 9)).toEqual([]);
  });

  it('store invite links, each valid for several people', async () => {
    const { inviteLinks, invitations } = data;
    const project = await addProject(data, 'linking');
    await data.owners.addTeamMember(project.id, 'owner', ada.id, 1);
    const into = { kind: 'project', id: project.id, name: 'linking', team: 'tester' } as const;
    const groupId = await data.groups.insertGroup({ ownerId: project.id, name: 'QA', now: 1 });
    const put = (id: string, expiresAt: number) =>
      inviteLinks.insert({
        id,
        into,
        groupId,
        expiresAt,
        tokenHash: `link ${id}`,
        name: 'Everyone',
        maxPeople: 2,
        invitedBy: ada.id,
        createdAt: 1,
      });
    await put('l1', 50);
    await put('l2', 60);
    const expected = {
      id: 'l1',
      name: 'Everyone',
      into,
      group: { id: groupId, name: 'QA' },
      people: 0,
      maxPeople: 2,
    };
    expect(await inviteLinks.find(into, 'l1', 9)).toMatchObject({
      ...expected,
      isActive: true,
      tokenHash: 'link l1',
    });
    const ids = async (now: number) => (await inviteLinks.list(into, now, 9)).map(({ id }) => id);
    expect([await ids(49), await ids(50)]).toEqual([['l2', 'l1'], ['l2']]);
    expect(await invitations.findInvitation('link l1', 9)).toMatchObject({
      into,
      link: { groupId, maxPeople: 2 },
    });
    // Invitations for one person are listed and counted apart.
    expect(await invitations.listInvitations(project.id, 9, 9)).toEqual([]);
    expect(await invitations.countInvitations(project.id, 9)).toBe(0);
    expect(await invitations.deleteInvitation(project.id, 'l1')).toBeNull();
    const uses = [];
    for (let use = 0; use < 3; use++) uses.push(await invitations.useInvitation('l1', 9));
    expect(uses).toEqual([true, true, false]);
    expect(await invitations.findInvitation('link l1', 9)).toBeNull();
    expect(await inviteLinks.find(into, 'l1', 9)).toMatchObject({ people: 2 });
    expect(await inviteLinks.delete({ ...into, id: 'other' }, 'l1')).toBeNull();
    expect(await inviteLinks.delete(into, 'l1')).toBe('Everyone');
    await inviteLinks.deleteExpired(into, 60);
    expect(await ids(9)).toEqual(['l2']);
    await inviteLinks.deleteExpired(into, 61);
    expect(await ids(9)).toEqual([]);
  });

  it('keep invitations for existing accounts restricted to those accounts', async () => {
    const { invitations } = data;
    const project = await addProject(data, 'asking');
    await data.owners.addTeamMember(project.id, 'owner', ada.id, 1);
    const guest = await addUser(data, 'asked');
    const { appId } = await addApp(data, ada.id, { packageName: 'com.asked' });
    const yard = await data.owners.insertWorkspace({
      name: 'asking-yard',
      displayName: 'Yard',
      iconUrl: '/i',
      createdAt: 1,
    });
    await data.owners.addWorkspaceOwner(yard.id, ada.id);
    const put = (tokenHash: string, into: InvitedTo) =>
      invitations.insertInvitation({
        tokenHash,
        email: null,
        into,
        invitedBy: ada.id,
        createdAt: 5,
        expiresAt: 50,
        userId: guest.id,
      });
    const first = await put('p1', { kind: 'project', id: project.id, team: 'tester' });
    const second = await put('p2', { kind: 'workspace', id: yard.id });
    const third = await put('p3', { kind: 'app', id: appId });
    const places = [
      { kind: 'project', id: project.id, name: 'asking', team: 'tester' },
      { kind: 'workspace', id: yard.id, name: 'asking-yard' },
      { kind: 'app', id: appId, name: 'com.asked (android)', ownerId: ada.id },
    ] as const;
    const open = await invitations.listOfUser(guest.id, 9, 9);
    expect(open.map(({ place }) => place)).toHaveLength(3);
    for (const [at, id] of [first, second, third].entries()) {
      const place = places[at] ?? places[0];
      expect(await invitations.findOfUser(guest.id, id, 9)).toMatchObject({ place, invitedBy: 'Ada' });
      expect(await invitations.findPersonal(id, 9)).toMatchObject({ user: { id: guest.id, name: 'asked' } });
      expect(await invitations.findOfUser(ada.id, id, 9)).toBeNull();
      expect(await invitations.findOfUser(guest.id, id, 50)).toBeNull();
      expect((await invitations.listOfPlace(place, 9, 9)).map((one) => one.id)).toEqual([id]);
      expect(await invitations.findInvitation(`p${at + 1}`, 9)).toBeNull();
    }
    expect(await invitations.countInvitations(project.id, 9)).toBe(0);
    expect(await invitations.useInvitation(second, 9)).toBe(true);
    expect(await invitations.useInvitation(second, 9)).toBe(false);
    expect(await invitations.deleteOfPlace(places[0], third)).toBe(false);
    const any = { teams: null, now: 9 };
    expect(await data.teams.withdrawInvitations(places[2], { userId: ada.id }, any)).toEqual([]);
    expect(
      await data.teams.withdrawInvitations(places[0], { userId: guest.id }, { ...any, teams: ['owner'] }),
    ).toEqual([]);
    expect(await data.teams.withdrawInvitations(places[0], { userId: guest.id }, any)).toEqual([
      { id: first, team: 'tester', email: null },
    ]);
    expect(await invitations.findOfUser(guest.id, first, 9)).toBeNull();
    expect(await invitations.deleteOfPlace(places[2], third)).toBe(true);
    const link = await invitations.insertInvitation({
      tokenHash: 'mailed',
      email: 'Asked@Example.com',
      into: { kind: 'project', id: project.id, team: 'tester' },
      invitedBy: ada.id,
      createdAt: 5,
      expiresAt: 50,
    });
    await data.accounts.setEmail(guest.id, 'asked@example.com', guest.email, true);
    const mailed = { id: link, user: null, email: 'Asked@Example.com' };
    expect(await invitations.listMailed(guest.id, 9, 9)).toMatchObject([mailed]);
    expect(await invitations.addressesOf([link, link, 'none'])).toEqual(
      new Map([[link, 'Asked@Example.com']]),
    );
    expect(await invitations.addressesOf([])).toEqual(new Map());
    expect(await invitations.listOfPlace(places[0], 9, 9)).toMatchObject([mailed]);
    expect(await invitations.listInWorkspace(yard.id, 9, 9)).toEqual([]);
    expect(await data.teams.projectsInWorkspace(yard.id, guest)).toEqual([]);
    expect(await invitations.isExcluded(link, guest.id)).toBe(false);
    await data.teams.excludeFromLinks(places[0], guest.id);
    await data.teams.excludeFromLinks(places[0], guest.id);
    expect(await invitations.isExcluded(link, guest.id)).toBe(true);
    const toOwner = { from: ['tester'], to: 'owner', now: 9 } as const;
    expect(await data.teams.moveInvitations(project.id, { address: 'other@example.com' }, toOwner)).toEqual(
      [],
    );
    expect(await data.teams.moveInvitations(project.id, { userId: guest.id }, toOwner)).toEqual([
      { id: link, email: 'Asked@Example.com' },
    ]);
    await invitations.deleteOldOfPlace(places[0], 50);
    expect(await invitations.listMailed(guest.id, 9, 9)).toHaveLength(1);
    await invitations.deleteOldOfPlace(places[0], 51);
    expect(await invitations.listMailed(guest.id, 9, 9)).toEqual([]);
    expect(await data.workspaces.hasMember(yard.id, ada.id)).toBe(true);
    expect(await data.workspaces.hasMember(yard.id, guest.id)).toBe(false);
    const last = await put('p4', { kind: 'project', id: project.id, team: 'tester' });
    await data.owners.removeTeamMember(project.id, 'owner', ada.id);
    expect(await invitations.useInvitation(last, 9)).toBe(false);
  });

  it('are all covered by these tests', () => {
    // Tests of other subjects cover the last ones.
    test.expectCovered(
      ['keys', 'accounts', 'secondFactors', 'identities', 'invitations', 'inviteLinks', 'sessions'],
      [],
    );
  });
});
