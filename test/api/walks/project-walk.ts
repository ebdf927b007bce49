import { expect } from 'vitest';
import type { Walk } from './walk.ts';

export const projectWalk: Walk = {
  title: 'creates a Project, and manages its people and groups',
  run: async ({ slipway, api }) => {
    const key = await slipway.user('pia');
    for (const name of ['quinn', 'ravi', 'sol']) await slipway.user(name);
    const body = { name: 'Tide', description: 'Sea levels' };
    const made = await api.call('createProject', 201, { key, body });
    expect(made.value).toEqual({
      name: 'Tide',
      description: 'Sea levels',
      workspace: null,
      url: expect.stringMatching(/\/organizations\/Tide$/),
    });
    await api.call('createProject', 409, { key, body });
    await api.call('createProject', 400, { key, body: { name: 'with space' } });
    await api.call('createProject', 404, { key, body: { name: 'inside', workspace: 'nowhere' } });
    const projectKey = await slipway.projectKey('Tide');
    const other = await api.call('createProject', 403, { key: projectKey, body: { name: 'more' } });
    expect(other.value.code).toBe('user_key_required');
    const params = { owner: 'Tide' };
    for (const by of [key, projectKey]) {
      const listed = await api.call('listProjects', 200, { key: by });
      expect(listed.value.data).toEqual([made.value]);
      expect((await api.call('getProject', 200, { key: by, params })).value).toEqual(made.value);
    }
    const changed = await api.call('updateProject', 200, { key, params, body: { description: 'Tides' } });
    expect(changed.value.description).toBe('Tides');

    // Administrators add people at once; others invite.
    const invited = await api.call('addPeople', 200, {
      key,
      params,
      body: { logins: ['quinn', 'ravi@example.com', 'nobody'], team: 'developer' },
    });
    expect(invited.value.people).toEqual([
      { login: 'quinn', outcome: 'invited' },
      { login: 'ravi@example.com', outcome: 'invited' },
      { login: 'nobody', outcome: 'unknown' },
    ]);
    const added = await api.call('addPeople', 200, {
      params,
      body: { logins: ['quinn', 'sol'], team: 'tester' },
    });
    expect(added.value.people.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['added', 'added']);
    const people = await api.call('listPeople', 200, { key, params });
    expect(people.value.data).toEqual([
      { name: 'pia', teams: ['owner'] },
      { name: 'quinn', teams: ['tester'] },
      { name: 'sol', teams: ['tester'] },
    ]);
    const first = await api.call('listPeople', 200, { key, params, query: { limit: '2' } });
    const rest = await api.call('listPeople', 200, {
      key,
      params,
      query: { cursor: first.value.next_cursor },
    });
    expect([...first.value.data, ...rest.value.data]).toEqual(people.value.data);
    const person = { key, params: { ...params, person: 'quinn' } };
    const moved = await api.call('updatePerson', 200, { ...person, body: { team: 'developer' } });
    expect(moved.value).toEqual({ name: 'quinn', teams: ['developer'] });
    expect((await api.call('getPerson', 200, person)).value).toEqual(moved.value);
    const lastOwner = { key, params: { ...params, person: 'pia' } };
    await api.call('removePerson', 409, lastOwner);

    const groups = { key, params };
    const qa = await api.call('createGroup', 201, { ...groups, body: { name: 'QA' } });
    await api.call('createGroup', 409, { ...groups, body: { name: 'qa' } });
    const group = { key, params: { ...params, group: qa.value.id } };
    const joined = await api.call('addGroupPeople', 200, { ...group, body: { logins: ['sol', 'ravi'] } });
    expect(joined.value.people.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'added',
      'refused',
    ]);
    expect((await api.call('listGroupPeople', 200, group)).value.data).toEqual([{ name: 'sol' }]);
    const renamed = await api.call('renameGroup', 200, { ...group, body: { name: 'Quality' } });
    expect(renamed.value).toEqual({ id: qa.value.id, name: 'Quality', people: 1 });
    expect((await api.call('getGroup', 200, group)).value).toEqual(renamed.value);
    expect((await api.call('listGroups', 200, groups)).value.data).toEqual([renamed.value]);
    const sol = { key, params: { ...group.params, person: 'sol' } };
    await api.call('removeGroupPerson', 204, { ...sol, body: {} });
    await api.call('removeGroupPerson', 404, { ...sol, body: {} });
    await api.call('addGroupManager', 204, { ...group, body: { login: 'ravi' } });
    await api.call('addGroupManager', 400, { ...group, body: { login: 'nobody-there' } });
    expect((await api.call('listGroupManagers', 200, group)).value.data).toEqual([{ name: 'ravi' }]);
    const ravi = { key, params: { ...group.params, person: 'ravi' }, body: {} };
    await api.call('removeGroupManager', 204, ravi);
    await api.call('removeGroupManager', 404, ravi);
    await api.call('deleteGroup', 204, group);
    await api.call('getGroup', 404, group);

    await api.call('removePerson', 204, person);
    await api.call('getPerson', 404, person);
    const everywhere = { key, params: { ...params, person: 'sol' }, body: {} };
    await api.call('removePersonEverywhere', 204, everywhere);
    expect((await api.call('listPeople', 200, { key, params })).value.data).toEqual([
      { name: 'pia', teams: ['owner'] },
    ]);
  },
};
