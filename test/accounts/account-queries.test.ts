/** Queries about accounts: races, order and differences between databases. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

    it('replaces the secret of a key and gives the old one an expiry', async () => {
      const rotated = await data.keys.insertKey(key(ada.id, 'r1'));
      const next = { keyHash: 'r2', hint: 'slw_next', expiresAt: 90, now: 10, previousUntil: 20 };
      expect(await data.keys.rotateKey({ ...rotated, hint: 'slw_gone' }, next)).toBe(false);
      expect(await data.keys.rotateKey(rotated, next)).toBe(true);
      const found = async (hash: string, now: number) => [
        (await data.keys.findKey(hash, now))?.id ?? null,
        (await data.keys.lockKey(hash, now))?.id ?? null,
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
  });

  describe('second factors', () => {
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
    it('know one address however its domain is written', async () => {
      const anna = await addUser(data, 'anna', { email: 'anna@exa\u0308mple.com' });
      expect(anna.email).toBe('anna@xn--exmple-cua.com');
      for (const domain of ['exämple.com', 'EXÄMPLE.com', 'xn--exmple-cua.com']) {
        expect((await data.owners.findUserForSignIn(`Anna@${domain}`))?.user.id).toBe(anna.id);
        expect((await data.identities.findHolderOfEmail(`anna@${domain}`))?.id).toBe(anna.id);
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

  it('use up only what is still valid, and only for its owner', async () => {
    const { keys, accounts, invitations, inviteLinks, sessions } = data;
    const kay = await addUser(data, 'Kay-valid');
    const key = (keyHash: string, expiresAt: number | null) =>
      keys.insertKey({ ownerId: kay.id, keyHash, name: 'ci', hint: '', createdAt: 5, expiresAt });
    const { id } = await key('valid-1', 50);
    await key('valid-2', 50);
    await key('valid-3', null);
    expect(await keys.revokeKey(ada.id, id, 9)).toBeNull();
    expect([await keys.revokeKey(kay.id, id, 9), await keys.revokeKey(kay.id, id, 10)]).toEqual([id, null]);
    expect([await keys.countUsableKeys(kay.id, 49), await keys.countUsableKeys(kay.id, 50)]).toEqual([2, 1]);

    await accounts.insertReset({ userId: kay.id, tokenHash: 'reset', expiresAt: 10 });
    const resets = [];
    for (const now of [10, 9, 9]) resets.push(await accounts.useReset('reset', now));
    expect(resets).toEqual([false, true, false]);
    expect(await accounts.setEmail(kay.id, 'new@example.com', 'old@example.com', true)).toBe(false);

    const session = { userId: kay.id, tokenHash: 'kay', userAgent: '', address: '', authenticatedAt: null };
    await sessions.insertSession({ ...session, createdAt: 1, expiresAt: 50 });
    const [known] = await sessions.listSessions(kay.id, 'kay', 9);
    expect(await sessions.deleteSessionOf(ada.id, known?.id ?? '')).toBe(false);
    expect(await sessions.deleteSessionOf(kay.id, known?.id ?? '')).toBe(true);

    const project = await addProject(data, 'valid');
    const into = { kind: 'project', id: project.id, name: 'valid', team: 'tester' } as const;
    const made = { into, invitedBy: kay.id, createdAt: 5, expiresAt: 50 };
    const invitation = await invitations.insertInvitation({ ...made, tokenHash: 'i', email: null });
    await inviteLinks.insert({ ...made, id: 'l', groupId: null, tokenHash: 'l', name: '', maxPeople: 2 });
    const used = async (which: string, nows: readonly number[]) => {
      const answers = [];
      for (const now of nows) answers.push(await invitations.useInvitation(which, now));
      return answers;
    };
    // Only owners invite.
    expect([await used(invitation, [9]), await used('l', [9])]).toEqual([[false], [false]]);
    await data.owners.addTeamMember(project.id, 'owner', kay.id, 1);
    expect(await used(invitation, [50, 49, 49])).toEqual([false, true, false]);
    expect(await used('l', [50, 9, 9, 9])).toEqual([false, true, true, false]);
    expect(await invitations.setInvitationToken(invitation, 'again', 9)).toBe(false);
    expect(await invitations.deleteInvitation(null, invitation)).toBeNull();
    expect(await inviteLinks.delete({ ...into, id: 'other' }, 'l')).toBeNull();
  });

  it('read no table that can grow as a whole', () => test.expectNoScans());
});
