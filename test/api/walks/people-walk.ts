import { expect } from 'vitest';
import { buildApk } from '../../support/build-apk.ts';
import { openDirectory } from '../../support/directory-client.ts';
import { uploaded } from '../../support/interface-client.ts';
import { createSamlKey, metadataOf } from '../../support/saml-provider.ts';
import type { Walk } from './walk.ts';

export const peopleWalk: Walk = {
  title: 'invites people to Projects, Workspaces and apps',
  run: async ({ slipway, api }) => {
    const key = await slipway.user('uma');
    const vicKey = await slipway.user('vic');
    await slipway.user('wen');
    await slipway.project('Harbor', { workspace: 'quay', members: { uma: 'owner' } });
    const params = { owner: 'Harbor' };
    const invited = await api.call('createInvitation', 201, { key, params, body: { team: 'tester' } });
    expect(invited.value.url).toMatch(/^http.*\/invitation\//);
    await api.call('createInvitation', 400, { key, params, body: { team: 'tester', email: 'nobody' } });
    await api.call('createInvitation', 400, { key, params, body: { team: 'boss' } });
    const open = await api.call('listInvitations', 200, { key, params });
    expect(open.value.data).toMatchObject([{ team: 'tester', email: null, invited_by: 'uma' }]);
    const one = { key, params: { ...params, invitation: open.value.data[0].id }, body: {} };
    await api.call('revokeInvitation', 204, one);
    await api.call('revokeInvitation', 404, one);

    const { package_name } = await uploaded(slipway, {
      owner: 'uma',
      key,
      file: buildApk({ packageName: 'com.example.shared' }),
    });
    const app = { owner: 'uma', platform: 'android', package: package_name };
    for (const [part, place] of [
      ['Project', params],
      ['App', app],
    ] as const) {
      const body = { name: 'Beta', max_people: 3, days: 1 };
      const link = await api.call(`create${part}InviteLink`, 201, { key, params: place, body });
      expect(link.value).toMatchObject({ name: 'Beta', group: null, people: 0, max_people: 3, active: true });
      const listed = await api.call(`list${part}InviteLinks`, 200, { key, params: place });
      expect(listed.value.data).toEqual([link.value]);
      await api.call(`create${part}InviteLink`, 400, { key, params: place, body: { ...body, group: 'QA' } });
      const revoked = { key, params: { ...place, invitation: link.value.id }, body: {} };
      await api.call(`revoke${part}InviteLink`, 204, revoked);
      await api.call(`revoke${part}InviteLink`, 404, revoked);
    }

    const testers = await api.call('addTesters', 200, {
      params: app,
      key,
      body: { logins: ['vic', 'nobody at all', 'uma'] },
    });
    expect(testers.value.people.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'invited',
      'invalid',
      'refused',
    ]);
    expect((await api.call('listTesters', 200, { params: app, key })).value.data).toEqual([]);
    const asked = await api.call('listAppInvitations', 200, { params: app, key });
    expect(asked.value.data).toMatchObject([{ person: 'vic', team: null, email: null, invited_by: 'uma' }]);
    const ended = { key, params: { ...app, invitation: asked.value.data[0].id }, body: {} };
    await api.call('revokeAppInvitation', 204, ended);
    await api.call('revokeAppInvitation', 404, ended);
    const { id = '' } = (await slipway.data.apps.findApp(await idOf('uma'), 'android', package_name)) ?? {};
    await slipway.data.appTesters.add({ appId: id, userId: await idOf('wen'), limit: 9, now: 1 });
    expect((await api.call('listTesters', 200, { params: app, key })).value.data).toEqual([
      { name: 'wen', reason: 'shared', since: '1970-01-01T00:00:00.001Z' },
    ]);
    const wen = { params: { ...app, person: 'Wen' }, key, body: {} };
    await api.call('removeTester', 204, wen);
    await api.call('removeTester', 404, wen);

    const quay = { params: { workspace: 'quay' } };
    const workspace = await api.call('getWorkspace', 200, { ...quay, key });
    expect(workspace.value).toMatchObject({ name: 'quay', display_name: 'quay' });
    const renamed = await api.call('updateWorkspace', 200, { ...quay, body: { display_name: 'The Quay' } });
    expect(renamed.value.display_name).toBe('The Quay');
    await api.call('updateWorkspace', 404, { ...quay, key, body: {} });
    const scim = await api.call('createScimToken', 201, { ...quay, body: { name: 'Okta' } });
    expect(scim.value).toMatchObject({
      name: 'Okta',
      expires_at: null,
      token: expect.stringMatching(/^slw_scim_/),
    });
    await api.call('createScimToken', 409, { ...quay, body: { name: 'Okta' } });
    await api.call('createScimToken', 404, { ...quay, key, body: { name: 'Entra' } });
    const { token: _, ...shown } = scim.value;
    expect((await api.call('listScimTokens', 200, quay)).value.data).toEqual([shown]);
    const directory = await openDirectory(slipway, 'quay', { token: 'walk' });
    const pilots = await directory.create('Groups', { displayName: 'Pilots' });
    const groups = await api.call('listDirectoryGroups', 200, quay);
    expect(groups.value.data).toEqual([{ id: pilots.id, name: 'Pilots', source: 'scim' }]);
    const crew = { ...quay, body: { source: 'saml', group: 'Crew' } };
    const claimed = await api.call('assignDirectoryGroup', 201, crew);
    expect(claimed.value).toMatchObject({ name: 'Crew', source: 'saml' });
    await api.call('assignDirectoryGroup', 409, { ...quay, body: { source: 'saml', group: 'crew' } });
    await api.call('assignDirectoryGroup', 404, { ...crew, key });
    expect((await api.call('listDirectoryGroups', 200, quay)).value.data).toHaveLength(2);
    const oneClaimed = { params: { ...quay.params, claimed: claimed.value.id }, body: {} };
    await api.call('removeDirectoryGroup', 204, oneClaimed);
    await api.call('removeDirectoryGroup', 404, oneClaimed);
    const rule = { directory_group: pilots.id, kind: 'team', project: 'Harbor', team: 'tester' };
    const newRule = await api.call('addGroupRule', 201, { ...quay, body: rule });
    expect(newRule.value).toMatchObject({ kind: 'team', project: 'Harbor', team: 'tester', group: null });
    await api.call('addGroupRule', 409, { ...quay, body: rule });
    await api.call('addGroupRule', 400, { ...quay, body: { ...rule, project: 'elsewhere' } });
    expect((await api.call('listGroupRules', 200, quay)).value.data).toEqual([newRule.value]);
    const oneRule = { params: { ...quay.params, mapping: newRule.value.id }, body: {} };
    await api.call('removeGroupRule', 204, oneRule);
    await api.call('removeGroupRule', 404, oneRule);
    const domain = { ...quay, body: { domain: '@Example.COM' } };
    expect((await api.call('assignWorkspaceDomain', 201, domain)).value).toEqual({ domain: 'example.com' });
    await api.call('assignWorkspaceDomain', 400, { ...quay, body: { domain: 'example' } });
    expect((await api.call('listWorkspaceDomains', 200, quay)).value.data).toEqual([
      { domain: 'example.com' },
    ]);
    const oneDomain = { params: { ...quay.params, domain: 'example.com' }, body: {} };
    await api.call('removeWorkspaceDomain', 204, oneDomain);
    await api.call('removeWorkspaceDomain', 404, oneDomain);
    const oneToken = { params: { ...quay.params, token: scim.value.id }, body: {} };
    await api.call('revokeScimToken', 204, oneToken);
    await api.call('revokeScimToken', 404, oneToken);
    const metadata = metadataOf({ entityId: 'https://login.example.com', keys: createSamlKey() });
    const signOn = { ...quay, body: { name: 'Okta', metadata } };
    await api.call('getIdentityProvider', 404, quay);
    const provider = await api.call('setIdentityProvider', 200, signOn);
    expect(provider.value).toMatchObject({ entity_id: 'https://login.example.com', required_since: null });
    await api.call('setIdentityProvider', 400, { ...quay, body: { name: 'Okta', metadata: '<x/>' } });
    await api.call('setIdentityProvider', 404, { ...signOn, key });
    expect((await api.call('getIdentityProvider', 200, quay)).value).toEqual(provider.value);
    await api.call('requireIdentityProvider', 409, { ...quay, body: { required: true } });
    const optional = await api.call('requireIdentityProvider', 200, { ...quay, body: { required: false } });
    expect(optional.value.required_since).toBeNull();
    await api.call('removeIdentityProvider', 204, quay);
    await api.call('removeIdentityProvider', 404, quay);
    const projects = await api.call('listWorkspaceProjects', 200, { ...quay, key });
    expect(projects.value.data.map(({ name }: { name: string }) => name)).toEqual(['Harbor']);
    const owners = async () =>
      (await api.call('listWorkspaceOwners', 200, quay)).value.data.map(({ name }: { name: string }) => name);
    expect(await owners()).toEqual(['admin']);
    const added = await api.call('addWorkspaceOwners', 200, { ...quay, body: { logins: ['vic'] } });
    expect(added.value.people).toEqual([{ login: 'vic', outcome: 'added' }]);
    const again = await api.call('addWorkspaceOwners', 200, { ...quay, body: { logins: ['vic'] } });
    expect(again.value.people).toEqual([{ login: 'vic', outcome: 'already' }]);
    expect(await owners()).toEqual(['admin', 'vic']);
    await api.call('addWorkspaceOwners', 200, { ...quay, key: vicKey, body: { logins: ['wen'] } });
    const waiting = (await api.call('listWorkspaceInvitations', 200, quay)).value.data;
    expect(waiting).toMatchObject([{ person: 'wen', invited_by: 'vic' }]);
    const revoked = { params: { workspace: 'quay', invitation: waiting[0].id }, body: {} };
    await api.call('revokeWorkspaceInvitation', 204, revoked);
    await api.call('revokeWorkspaceInvitation', 404, revoked);
    const vic = { params: { workspace: 'quay', person: 'vic' }, body: {} };
    await api.call('removeWorkspaceOwner', 204, vic);
    await api.call('removeWorkspaceOwner', 404, vic);
    const members = { ...quay, body: { logins: ['vic'], role: 'member' } };
    expect((await api.call('addWorkspacePeople', 200, members)).value).toEqual(added.value);
    await api.call('addWorkspacePeople', 404, { ...members, key });
    expect((await api.call('listWorkspacePeople', 200, quay)).value.data).toEqual([
      { name: 'admin', role: 'owner' },
      { name: 'uma', role: 'guest' },
      { name: 'vic', role: 'member' },
    ]);
    const ofVic = { params: vic.params };
    const promoted = await api.call('updateWorkspacePerson', 200, { ...vic, body: { role: 'owner' } });
    expect(promoted.value).toEqual({ name: 'vic', role: 'owner' });
    expect((await api.call('getWorkspacePerson', 200, ofVic)).value).toEqual(promoted.value);
    await api.call('removeWorkspacePerson', 204, ofVic);
    await api.call('removeWorkspacePerson', 404, ofVic);
    await api.call('getWorkspacePerson', 404, ofVic);
    await api.call('addWorkspacePeople', 200, members);
    await api.call('leaveWorkspace', 204, { ...quay, key: vicKey, body: {} });
    await api.call('leaveWorkspace', 404, { ...quay, key: vicKey, body: {} });
    const own = await api.call('listWorkspaces', 200);
    expect(own.value.data).toEqual([renamed.value]);

    async function idOf(name: string) {
      return (await slipway.data.owners.findOwner(name))?.id ?? '';
    }
  },
};
