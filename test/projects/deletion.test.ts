/** What is deleted with a Project, User or Workspace, what is kept, and what prevents the deletion. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwnerDeletion } from '../../src/projects/deletion/owner-deletion.ts';
import { type SignedInPeople, signInPeople } from '../support/administration-users.ts';
import { signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { get, refusalOf, type UploadResult, upload, uploaded } from '../support/interface-client.ts';
import { formOf } from '../support/page-forms.ts';
import { addDevice } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';

const names = ['admin', 'olga', 'dev', 'tess', 'pia'] as const;
const udid = '00008030-001A35E11A88003A';

describe.each(dialects)('deletion on %s', (dialect) => {
  let slipway: TestService;
  let people: SignedInPeople;
  const keys: Record<string, string> = {};
  let kept: UploadResult;
  const laterMs = 0;
  beforeAll(async () => {
    slipway = await startTestService({ dialect, blobs: 'memory', now: () => Date.now() + laterMs });
    people = await signInPeople(slipway, names);
    await slipway.project('kept', { members: { olga: 'owner' } });
    kept = await uploaded(slipway, {
      owner: 'kept',
      fields: { distribution_name: 'main' },
      file: buildApk({ packageName: 'com.example.kept' }),
    });
  });
  afterAll(() => slipway.close());

  const device = async (ownerName: string, userName: string | null, number: string) => {
    const userId = userName === null ? null : await people.idOf(userName);
    const page = await slipway.data.distributions.findPage(kept.distribution?.access_key ?? '');
    await addDevice(slipway.data, await people.idOf(ownerName), page?.id ?? '', {
      udid: udid.replace('88', number),
      product: 'iPhone17,1',
      osVersion: '26.1',
      userId,
    });
  };
  const lastDeed = async (ownerId: string) => (await slipway.data.audit.page({ ownerId }, { limit: 1 }))[0];
  const settled = async () => {
    await slipway.service.outbox.idle();
    const { blobs, builds, apps, pages } = await slipway.leftBehind();
    return { blobs: blobs.filter((key) => key.startsWith('packages/')), builds, apps, pages };
  };

  it('deletes everything of a Project but its name, once the name is typed', async () => {
    const before = await settled();
    await slipway.project('crew', { members: { olga: 'owner', dev: 'developer', tess: 'tester' } });
    const id = await people.idOf('crew');
    keys.crew = await slipway.projectKey('crew');
    const sent: UploadResult[] = [];
    for (const packageName of ['com.example.one', 'com.example.two']) {
      const fields = { distribution_name: 'main' };
      const options = { owner: 'crew', fields, headers: { 'Idempotency-Key': packageName } };
      sent.push(await uploaded(slipway, { ...options, file: buildApk({ packageName }) }));
    }
    await device('crew', 'tess', '11');
    await device('crew', null, '12');
    const page = await people.get('olga', '/organizations/crew/delete');
    for (const words of [
      ...['2 apps', '2 builds', '2 distribution pages', '2 registered devices', '1 API key', '4 people'],
      'it can’t be used again',
    ]) {
      expect(page.text).toContain(words);
    }
    const { fields, action } = formOf(page.text, 'delete');
    for (const confirmation of ['', 'Crew', 'crew2', 'kept']) {
      const refused = await people.postAsIs('olga', action, { ...fields, confirmation });
      expect(refused.status).toBe(400);
      expect(formOf(refused.text, 'delete').fields.confirmation).toBe(confirmation);
    }
    expect((await people.get('olga', '/organizations/crew')).status).toBe(200);
    const deleted = await people.postAsIs('olga', action, { ...fields, confirmation: ' crew ' });
    expect(deleted.headers.location).toBe('/?done=project-deleted');
    expect((await people.get('olga', '/?done=project-deleted')).text).toContain('Project deleted.');

    for (const path of ['', '/people', '/settings', '/delete', '/audit', '/devices']) {
      expect([path, (await people.get('olga', `/organizations/crew${path}`)).status]).toEqual([path, 404]);
      const byAdmin = (await people.get('admin', `/organizations/crew${path}`)).status;
      expect([path, byAdmin]).toEqual([path, 404]);
    }
    for (const { file, path, distribution } of sent) {
      expect((await get(slipway, file)).status).toBe(404);
      expect((await people.get('olga', path)).status).toBe(404);
      expect((await get(slipway, distribution?.url ?? '')).status).toBe(404);
    }
    refusalOf(await get(slipway, '/api/organizations', keys.crew), 401);
    refusalOf(await upload(slipway, { owner: 'crew' }), 404);
    expect(await settled()).toEqual(before);
    expect((await get(slipway, kept.file)).status).toBe(200);
    expect(await slipway.data.devices.countDevices(id)).toBe(0);
    expect(await slipway.data.owners.listMembers(id)).toEqual([]);
    expect(await lastDeed(id)).toMatchObject({
      actorName: 'olga',
      action: 'project.deleted',
      subject: 'crew',
      details: { apps: 2, builds: 2, pages: 2, devices: 2, keys: 1, memberships: 4 },
    });
    expect((await people.get('admin', '/administration/audit')).text).toContain('deleted the Project');
  });

  it('reserves the name, ignoring case', async () => {
    for (const name of ['crew', 'CREW']) {
      const form = { name, description: '' };
      const refused = await people.post('dev', '/projects/new', form);
      expect(refused.status).toBe(409);
      expect(refused.text).toContain(`The name ${name} is taken.`);
      const by = 'command-line' as const;
      const user = { name, email: null, passwordHash: null, administrator: false, by };
      await expect(slipway.owners.createUser(user)).rejects.toThrow('is taken');
    }
  });

  it('deletes the account and all personal data of a user, and keeps their work in Projects', async () => {
    const before = await settled();
    keys.pia = await slipway.user('pia-other');
    await slipway.join('kept', 'developer', 'pia');
    const mail = 'pia@example.com';
    const key = await slipway.data.owners.findOwner('pia');
    const id = key?.id ?? '';
    const own = await issueKeyOf('pia');
    await uploaded(slipway, { owner: 'pia', key: own, file: buildApk({ packageName: 'com.example.pia' }) });
    await uploaded(slipway, { owner: 'kept', key: own, file: buildApk({ packageName: 'com.example.kept' }) });
    await device('pia', 'pia', '21');
    await device('kept', 'pia', '22');
    await device('kept', 'olga', '23');
    const page = await people.get('pia', '/users/pia/delete');
    for (const words of [
      '1 app',
      '1 build',
      '2 registered devices',
      '2 API keys',
      '1 Project',
      'Email address',
    ]) {
      expect(page.text).toContain(words);
    }
    const { fields, action } = formOf(page.text, 'delete');
    const deleted = await people.postAsIs('pia', action, { ...fields, confirmation: 'pia' });
    expect(deleted.headers.location).toBe('/?done=user-deleted');
    const after = await people.get('pia', '/?done=user-deleted');
    expect(after.text).toContain('Account deleted.');
    expect(after.text).toContain('href="/sign-in"');
    refusalOf(await get(slipway, '/api/organizations', own), 401);
    await expect(signIn(slipway, 'pia', testPassword)).rejects.toThrow('not signed in');
    await expect(signIn(slipway, mail, testPassword)).rejects.toThrow('not signed in');
    expect(await slipway.data.devices.countDevices(await people.idOf('kept'))).toBe(1);
    expect(
      (await slipway.data.owners.listMembers(await people.idOf('kept'))).map(({ user }) => user.name),
    ).toEqual(['admin', 'olga']);
    const { builds } = await settled();
    expect(builds).toBe(before.builds + 1);
    expect((await people.get('olga', kept.path)).text).toContain('pia');
    expect(await lastDeed(id)).toMatchObject({ actorName: 'pia', action: 'user.deleted', subject: 'pia' });
    const rows = await slipway.data.audit.page({ ownerId: null }, { limit: 500 });
    expect(JSON.stringify(rows)).not.toContain(mail);
    expect(rows.some(({ actorName }) => actorName === 'pia')).toBe(true);
    // The address can be used again; the name can't.
    await slipway.owners.createUser({
      name: 'pia-two',
      email: mail,
      passwordHash: null,
      administrator: false,
      by: 'command-line',
    });
  });

  const issueKeyOf = async (name: string) => {
    const { createIssueKey } = await import('../../src/accounts/keys/issue-key.ts');
    const issue = createIssueKey({ data: slipway.data, now: Date.now });
    const by = 'command-line' as const;
    return (await issue({ ownerKind: 'user', ownerName: name, name: 'own', expiresAt: null, by })).key;
  };

  it('requires another owner for each Project and Workspace of a user', async () => {
    await slipway.project('alone', { members: { dev: 'owner' } });
    const alone = await people.idOf('alone');
    await slipway.data.owners.removeTeamMember(alone, 'owner', await people.idOf('admin'));
    await slipway.workspace('harbour', 'dev');
    const deletion = '/users/dev/delete';
    const shown = await people.get('dev', deletion);
    expect(shown.text).toContain('<a href="/organizations/alone/people">alone</a>');
    expect(shown.text).toContain('<a href="/enterprises/harbour/settings">harbour</a>');
    expect(shown.text).not.toContain('name="confirmation"');
    const tried = await people.post('dev', deletion, { confirmation: 'dev' });
    expect(tried.status).toBe(409);
    expect((await people.get('dev', '/')).status).toBe(200);
    expect((await people.get('dev', '/organizations/alone')).status).toBe(200);
    const workspace = await slipway.data.owners.findWorkspace('harbour');
    await slipway.data.workspaces.addPerson(workspace?.id ?? '', await people.idOf('olga'), 'owner');
    await slipway.join('alone', 'owner', 'olga');
    const done = await people.post('admin', deletion, { confirmation: 'dev' });
    expect(done.status).toBe(303);
    expect(await slipway.data.owners.findOwner('dev')).toBeNull();
  });

  it('leaves one administrator, and one owner, even with concurrent deletions', async () => {
    const by = 'command-line' as const;
    for (const name of ['second', 'third']) {
      await slipway.owners.createUser({ name, email: null, passwordHash: null, administrator: true, by });
    }
    await slipway.project('shared', { members: { second: 'owner', third: 'owner' } });
    const shared = await people.idOf('shared');
    await slipway.data.owners.removeTeamMember(shared, 'owner', await people.idOf('admin'));
    const { deleteOwner } = createOwnerDeletion({
      data: slipway.data,
      now: Date.now,
      wakeOutbox: () => undefined,
    });
    const remove = async (name: string) => {
      const owner = await slipway.data.owners.findOwner(name);
      if (owner?.kind !== 'user') throw new Error(`${name} is not there`);
      return deleteOwner({ kind: 'user', user: owner }, owner, name);
    };
    expect((await Promise.all([remove('second'), remove('third')])).sort()).toEqual(['deleted', 'hindered']);
    expect(await slipway.data.owners.listMembers(shared)).toHaveLength(1);
    const last = (await slipway.data.owners.findOwner('second')) ? 'second' : 'third';
    await slipway.owners.addToTeam({ projectName: 'shared', team: 'owner', userName: 'olga', by });
    for (const name of ['kept', 'alone']) {
      await slipway.owners.addToTeam({ projectName: name, team: 'owner', userName: 'olga', by });
    }
    const outcomes = await Promise.all([remove('admin'), remove(last)]);
    expect(outcomes.sort()).toEqual(['deleted', 'hindered']);
    expect(await slipway.data.ownerDeletion.lockAdministrators()).toHaveLength(1);
  });

  it('leaves no partial data when a Project is deleted during an upload', async () => {
    const { deleteOwner } = createOwnerDeletion({
      data: slipway.data,
      now: Date.now,
      wakeOutbox: slipway.service.outbox.wake,
    });
    await slipway.user('racer');
    const key = await issueKeyOf('racer');
    const before = await settled();
    for (let round = 0; round < 5; round++) {
      const name = `race-${round}`;
      await slipway.project(name, { members: { racer: 'owner' } });
      const owner = await slipway.data.owners.findOwner(name);
      if (!owner) throw new Error('no Project');
      const uploads = Array.from({ length: 4 }, () => upload(slipway, { owner: name, key }));
      const [outcome, ...answers] = await Promise.all([
        deleteOwner(
          {
            kind: 'user',
            user: {
              kind: 'user',
              id: 'x',
              name: 'x',
              email: null,
              emailConfirmed: false,
              administrator: true,
            },
          },
          owner,
          name,
        ),
        ...uploads,
      ]);
      expect(outcome).toBe('deleted');
      for (const { status } of answers) expect([200, 403, 404]).toContain(status);
    }
    expect(await settled()).toEqual(before);
  });

  it('requires a Workspace to be empty', async () => {
    // Neither was created by the remaining administrator.
    const workspace = await slipway.data.owners.findWorkspace('harbour');
    await slipway.owners.createProject({
      name: 'inside',
      description: '',
      workspaceName: 'harbour',
      ownerName: 'olga',
      by: 'command-line',
    });
    const address = '/enterprises/harbour/delete';
    expect((await people.get('olga', address)).text).toContain('It still contains 1 Project.');
    const form = { confirmation: 'harbour' };
    expect((await people.post('olga', address, form)).status).toBe(409);
    expect(
      (await people.post('olga', '/organizations/inside/delete', { ...form, confirmation: 'inside' })).status,
    ).toBe(303);
    expect((await people.get('olga', '/enterprises/harbour/settings')).text).toContain(address);
    expect((await people.post('olga', address, { ...form, confirmation: 'Harbour' })).status).toBe(400);
    const deleted = await people.post('olga', address, form);
    expect(deleted.headers.location).toBe('/?done=workspace-deleted');
    expect((await people.get('olga', '/enterprises/harbour')).status).toBe(404);
    expect(await slipway.data.workspaces.listOwners(workspace?.id ?? '')).toEqual([]);
    const again = slipway.workspace('HARBOUR', 'olga');
    await expect(again).rejects.toThrow('is taken');
    const late = slipway.owners.createProject({
      name: 'late',
      description: '',
      workspaceName: 'harbour',
      ownerName: 'olga',
      by: 'command-line',
    });
    await expect(late).rejects.toThrow('there is no Workspace harbour');
  });
});
