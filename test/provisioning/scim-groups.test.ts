/** Groups of a directory, and the rules that map them to teams, tester groups and the owners of a Workspace. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupQueries } from '../../src/owners/group-queries.ts';
import { noPolicies } from '../../src/owners/policies/policies.ts';
import { policyQueries } from '../../src/owners/policies/policy-queries.ts';
import { createGroupMappings, type GroupMappings } from '../../src/provisioning/group-mapping-changes.ts';
import {
  type DirectoryClient,
  groupSchema,
  openDirectory,
  type ScimResource,
} from '../support/directory-client.ts';
import { json } from '../support/http-client.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

describe.each(dialects)('the groups of a directory on %s', (dialect) => {
  let slipway: TestService;
  let directory: DirectoryClient;
  let mappings: GroupMappings;
  const people: Record<string, string> = {};
  beforeAll(async () => {
    slipway = await startTestService({ dialect, blobs: 'memory' });
    for (const name of ['hanna', 'olga', 'manu']) await slipway.user(name);
    await slipway.workspace('harbour', 'hanna');
    await slipway.project('dock', { workspace: 'harbour', members: { olga: 'owner', manu: 'tester' } });
    await slipway.project('elsewhere', { members: { olga: 'owner' } });
    directory = await openDirectory(slipway, 'harbour');
    mappings = createGroupMappings({ data: slipway.data, now: Date.now, wakeOutbox: () => undefined });
    for (const name of ['ada', 'ben', 'cleo'])
      people[name] = (await directory.create('Users', { userName: name })).id;
    // A member whom people added, and who is in the directory, too.
    people.manu = (
      await directory.create('Users', { userName: 'manu', emails: [{ value: 'manu@example.com' }] })
    ).id;
  });
  afterAll(() => slipway.close());

  const valuesOf = (...names: string[]) => names.map((name) => ({ value: people[name] ?? name }));
  const membersOf = async (id: string) =>
    (json<ScimResource>(await directory.call('GET', `/Groups/${id}`)).members ?? []).map(
      ({ display }) => display,
    );
  const userNamed = async (name: string) => {
    const user = await slipway.data.owners.findOwner(name);
    if (user?.kind !== 'user') throw new Error(name);
    return user;
  };
  const workspaceOf = async () => {
    const workspace = await slipway.data.owners.findWorkspace('harbour');
    if (!workspace) throw new Error('harbour');
    return workspace;
  };
  const byUser = async (name: string) => ({ kind: 'user', user: await userNamed(name) }) as const;
  const teamsOf = async (name: string) => {
    const project = await slipway.data.owners.findOwner('dock');
    return slipway.data.owners.teamsOf(project?.id ?? '', (await userNamed(name)).id);
  };
  const refusal = (answer: { status: number; text: string }) => [
    answer.status,
    json<{ scimType?: string }>(answer).scimType,
  ];

  it('creates, reads, replaces, lists and deletes groups', async () => {
    const made = await directory.create('Groups', {
      displayName: 'Sailors',
      externalId: 'g1',
      members: valuesOf('ada', 'ben'),
    });
    expect(made).toMatchObject({ displayName: 'Sailors', externalId: 'g1', meta: { version: 'W/"1"' } });
    expect(made.members?.map(({ display }) => display)).toEqual(['ada', 'ben']);
    expect(made.members?.[0]?.$ref).toBe(`${slipway.origin}/scim/v2/harbour/Users/${people.ada}`);
    const body = { schemas: [groupSchema], displayName: 'sailors', members: valuesOf('ben', 'cleo') };
    const replaced = await directory.call('PUT', `/Groups/${made.id}`, body);
    expect([replaced.status, replaced.headers.etag]).toEqual([200, 'W/"2"']);
    expect(await membersOf(made.id)).toEqual(['ben', 'cleo']);
    expect((await directory.call('PUT', `/Groups/${made.id}`, body)).headers.etag).toBe('W/"2"');
    expect(refusal(await directory.call('POST', '/Groups', { displayName: 'SAILORS' }))).toEqual([
      409,
      'uniqueness',
    ]);
    const byName = await directory.list(`/Groups?filter=${encodeURIComponent('displayName eq "Sailors"')}`);
    expect(byName.Resources.map(({ id }) => id)).toEqual([made.id]);
    const byMember = `/Groups?excludedAttributes=members&filter=${encodeURIComponent(`members[value eq "${people.cleo}"]`)}`;
    const found = (await directory.list(byMember)).Resources;
    expect(found).toMatchObject([{ id: made.id }]);
    expect(found[0]).not.toHaveProperty('members');
    expect((await directory.call('DELETE', `/Groups/${made.id}`)).status).toBe(204);
    expect((await directory.call('GET', `/Groups/${made.id}`)).status).toBe(404);
  });

  it('adds and removes members in every way that providers use', async () => {
    const { id } = await directory.create('Groups', { displayName: 'Pilots' });
    const patch = async (...operations: object[]) => {
      const answer = await directory.patch(`/Groups/${id}`, operations);
      expect([answer.status, answer.text]).toEqual([204, '']);
      return membersOf(id);
    };
    expect(await patch({ op: 'Add', path: 'members', value: valuesOf('ada', 'ben', 'cleo') })).toEqual([
      'ada',
      'ben',
      'cleo',
    ]);
    expect(await patch({ op: 'Remove', path: `members[value eq "${people.ada}"]` })).toEqual(['ben', 'cleo']);
    expect(await patch({ op: 'Remove', path: 'members', value: valuesOf('ben') })).toEqual(['cleo']);
    expect(await patch({ op: 'replace', path: 'members', value: valuesOf('ada') })).toEqual(['ada']);
    expect(await patch({ op: 'add', value: { members: valuesOf('ben') } })).toEqual(['ada', 'ben']);
    expect(await patch({ op: 'replace', value: { id, displayName: 'Pilots 2' } })).toEqual(['ada', 'ben']);
    expect(await patch({ op: 'remove', path: 'members' })).toEqual([]);
    // Those who are no members cannot be removed, which is no error.
    expect(await patch({ op: 'remove', path: 'members[value eq "made-up"]' })).toEqual([]);
  });

  it('refuses members that are no users of the directory, and groups in groups', async () => {
    const { id } = await directory.create('Groups', { displayName: 'Outer' });
    const inner = await directory.create('Groups', { displayName: 'Inner' });
    const add = (value: unknown) =>
      directory.patch(`/Groups/${id}`, [{ op: 'add', path: 'members', value }]).then(refusal);
    expect(await add([{ value: inner.id }])).toEqual([400, 'invalidValue']);
    expect(await add([{ value: id, type: 'Group' }])).toEqual([400, 'invalidValue']);
    expect(await add([{ value: id }])).toEqual([400, 'invalidValue']);
    // A user of the installation who is not in this directory.
    expect(await add([{ value: (await userNamed('hanna')).id }])).toEqual([400, 'invalidValue']);
    expect(await add([{}])).toEqual([400, 'invalidValue']);
    expect(await add('x')).toEqual([400, 'invalidValue']);
    const many = Array.from({ length: 6_001 }, (_, at) => ({ value: `u${at}` }));
    expect(await add(many)).toEqual([400, 'tooMany']);
    const path = 'members[display eq "x"]';
    expect(refusal(await directory.patch(`/Groups/${id}`, [{ op: 'remove', path }]))).toEqual([
      400,
      'invalidPath',
    ]);
    const named = { displayName: 'x', owner: 'y' };
    expect(refusal(await directory.call('POST', '/Groups', named))).toEqual([400, 'invalidSyntax']);
    expect(refusal(await directory.call('POST', '/Groups', { displayName: 'a\u0000' }))).toEqual([
      400,
      'invalidSyntax',
    ]);
    expect(await membersOf(id)).toEqual([]);
  });

  it('keeps a team in step with a group, and never removes people whom others added', async () => {
    const group = await directory.create('Groups', {
      displayName: 'Testers',
      members: valuesOf('ada', 'manu'),
    });
    const workspace = await workspaceOf();
    const rule = {
      directoryGroup: group.id,
      kind: 'team',
      project: 'dock',
      team: 'tester',
      group: null,
    } as const;
    const id = await mappings.add(await byUser('hanna'), workspace, rule);
    expect([await teamsOf('ada'), await teamsOf('manu'), await teamsOf('ben')]).toEqual([
      ['tester'],
      ['tester'],
      [],
    ]);
    await directory.patch(`/Groups/${group.id}`, [{ op: 'add', path: 'members', value: valuesOf('ben') }]);
    expect(await teamsOf('ben')).toEqual(['tester']);
    const dock = await slipway.data.owners.findOwner('dock');
    const log = await slipway.data.audit.list(dock?.id ?? '', 1);
    expect(log).toMatchObject([
      { action: 'team.joined', actorName: 'okta (SCIM)', details: { directoryGroup: 'Testers' } },
    ]);
    await directory.patch(`/Groups/${group.id}`, [{ op: 'remove', path: 'members' }]);
    expect([await teamsOf('ada'), await teamsOf('manu'), await teamsOf('ben')]).toEqual([[], ['tester'], []]);
    await directory.patch(`/Groups/${group.id}`, [{ op: 'add', path: 'members', value: valuesOf('ada') }]);
    // Another group leads to the same team, so ada stays until both are gone.
    const other = await directory.create('Groups', { displayName: 'More testers', members: valuesOf('ada') });
    const second = await mappings.add(await byUser('hanna'), workspace, {
      ...rule,
      directoryGroup: other.id,
    });
    await mappings.remove(await byUser('hanna'), workspace, id);
    expect(await teamsOf('ada')).toEqual(['tester']);
    await directory.call('DELETE', `/Groups/${other.id}`);
    expect(await teamsOf('ada')).toEqual([]);
    await expect(mappings.remove(await byUser('hanna'), workspace, second)).rejects.toMatchObject({
      kind: 'not_found',
    });
  });

  it('adds testers to a group, and takes the access that they got for it', async () => {
    const dock = await slipway.data.owners.findOwner('dock');
    const qa = await groupQueries(slipway.data).insertGroup({ ownerId: dock?.id ?? '', name: 'QA', now: 1 });
    const group = await directory.create('Groups', {
      displayName: 'Quality',
      members: valuesOf('ada', 'manu'),
    });
    const rule = {
      directoryGroup: group.id,
      kind: 'testers',
      project: 'dock',
      team: null,
      group: qa,
    } as const;
    await mappings.add(await byUser('hanna'), await workspaceOf(), rule);
    const inGroup = async () => (await groupQueries(slipway.data).listPeople(qa, 9)).map(({ name }) => name);
    expect([await inGroup(), await teamsOf('ada')]).toEqual([['ada', 'manu'], ['tester']]);
    await directory.patch(`/Groups/${group.id}`, [{ op: 'remove', path: 'members' }]);
    expect([await inGroup(), await teamsOf('ada'), await teamsOf('manu')]).toEqual([[], [], ['tester']]);
  });

  it('keeps people who were removed by hand and added again by hand', async () => {
    const group = await directory.create('Groups', { displayName: 'Returning', members: valuesOf('cleo') });
    const place = { project: 'dock', team: 'tester', group: null } as const;
    const rules = [
      { directoryGroup: group.id, kind: 'team', ...place },
      { directoryGroup: group.id, kind: 'owners', project: null, team: null, group: null },
    ] as const;
    for (const rule of rules) await mappings.add(await byUser('hanna'), await workspaceOf(), rule);
    const { id: projectId } = (await slipway.data.owners.findOwner('dock')) ?? { id: '' };
    const { id: workspaceId } = await workspaceOf();
    const id = people.cleo ?? '';
    await slipway.data.owners.removeTeamMember(projectId, 'tester', id);
    await slipway.data.workspaces.removePerson(workspaceId, id, 'owner');
    await slipway.join('dock', 'tester', 'cleo');
    await slipway.data.workspaces.addPerson(workspaceId, id, 'owner', { at: 1, by: 'hanna' });
    await directory.patch(`/Groups/${group.id}`, [{ op: 'remove', path: 'members' }]);
    expect(await teamsOf('cleo')).toEqual(['tester']);
    expect(await slipway.data.workspaces.rolesOf(workspaceId, id)).toContain('owner');
    await slipway.data.owners.removeTeamMember(projectId, 'tester', id);
    await slipway.data.workspaces.removePerson(workspaceId, id, 'owner');
  });

  it('leaves out people whom a policy does not admit, also of groups of testers', async () => {
    const { id: workspaceId } = await workspaceOf();
    const { id: projectId } = (await slipway.data.owners.findOwner('dock')) ?? { id: '' };
    const testers = await groupQueries(slipway.data).insertGroup({
      ownerId: projectId,
      name: 'Guests',
      now: 1,
    });
    const group = await directory.create('Groups', { displayName: 'Guests', members: valuesOf('cleo') });
    const place = { project: 'dock', team: null, group: testers } as const;
    const rule = { directoryGroup: group.id, kind: 'testers', ...place } as const;
    await policyQueries(slipway.data).set(workspaceId, { ...noPolicies, emailDomains: ['example.org'] });
    try {
      await mappings.add({ kind: 'user', user: await userNamed('admin') }, await workspaceOf(), rule);
    } finally {
      await policyQueries(slipway.data).set(workspaceId, noPolicies);
    }
    expect(await teamsOf('cleo')).toEqual([]);
    expect(await groupQueries(slipway.data).removePerson(testers, people.cleo ?? '')).toBe(false);
  });

  it('lets only owners of a Project map its owner and developer teams, and nobody a place outside', async () => {
    const group = await directory.create('Groups', { displayName: 'Developers', members: valuesOf('ben') });
    const workspace = await workspaceOf();
    const rule = {
      directoryGroup: group.id,
      kind: 'team',
      project: 'dock',
      team: 'developer',
      group: null,
    } as const;
    const add = (change: object, by = 'hanna') =>
      byUser(by).then((actor) => mappings.add(actor, workspace, { ...rule, ...change }));
    await expect(add({})).rejects.toMatchObject({ kind: 'invalid', field: 'team' });
    await expect(add({ team: 'tester', project: 'elsewhere' })).rejects.toMatchObject({ field: 'project' });
    await expect(add({ directoryGroup: 'made-up' })).rejects.toMatchObject({ field: 'directory_group' });
    await expect(add({ kind: 'testers', group: 'made-up' })).rejects.toMatchObject({ field: 'group' });
    await expect(add({}, 'olga')).rejects.toMatchObject({ kind: 'not_found' });
    await slipway.join('dock', 'owner', 'hanna');
    await add({});
    expect(await teamsOf('ben')).toEqual(['developer']);
  });

  it('never takes the last owner of a Project or Workspace', async () => {
    await slipway.project('alone', { workspace: 'harbour', members: {} });
    const admin = await userNamed('admin');
    const alone = await slipway.data.owners.findOwner('alone');
    const group = await directory.create('Groups', { displayName: 'Captains', members: valuesOf('cleo') });
    const rule = {
      directoryGroup: group.id,
      kind: 'team',
      project: 'alone',
      team: 'owner',
      group: null,
    } as const;
    await mappings.add({ kind: 'user', user: admin }, await workspaceOf(), rule);
    await slipway.data.owners.removeTeamMember(alone?.id ?? '', 'owner', admin.id);
    const owners = {
      directoryGroup: group.id,
      kind: 'owners',
      project: null,
      team: null,
      group: null,
    } as const;
    await mappings.add(await byUser('hanna'), await workspaceOf(), owners);
    const workspace = await workspaceOf();
    expect(await slipway.data.workspaces.rolesOf(workspace.id, people.cleo ?? '')).toContain('owner');
    await directory.patch(`/Groups/${group.id}`, [{ op: 'remove', path: 'members' }]);
    expect(await slipway.data.owners.teamsOf(alone?.id ?? '', people.cleo ?? '')).toEqual(['owner']);
    expect(await slipway.data.workspaces.rolesOf(workspace.id, people.cleo ?? '')).not.toContain('owner');
  });
});
