/** A person outside the owner team who manages one group of testers, and nothing else: on pages and through the API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsService, type Browser, startAccountsService } from '../support/accounts-service.ts';
import { json, send } from '../support/http-client.ts';

describe('a manager of a group', () => {
  let slipway: AccountsService;
  let key = '';
  let qa = '';
  let other = '';
  let manager: Browser;
  let owner: Browser;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['olga', 'tess', 'ted', 'else']);
    key = await slipway.user('max');
    await slipway.project('crew', { members: { olga: 'owner', tess: 'tester', ted: 'tester' } });
    const crew = (await slipway.data.owners.findOwner('crew'))?.id ?? '';
    qa = await slipway.data.groups.insertGroup({ ownerId: crew, name: 'QA', now: 1 });
    other = await slipway.data.groups.insertGroup({ ownerId: crew, name: 'Other', now: 1 });
    manager = await slipway.browser('max');
    owner = await slipway.browser('olga');
  });
  afterAll(() => slipway.close());

  const page = (group: string) => `/organizations/crew/groups/${group}`;
  const peopleOf = async (group: string) =>
    (await slipway.data.groups.listPeople(group, 99)).map(({ name }) => name);
  const call = (method: string, path: string, body?: object) =>
    send(slipway.port, `/api/v1/owners/crew${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  it('is nobody to the Project before an owner adds them', async () => {
    expect((await manager.get(page(qa))).status).toBe(404);
    expect((await call('GET', `/groups/${qa}/people`)).status).toBe(404);
    expect((await manager.get('/projects')).text).not.toContain(page(qa));
    const added = await owner.submit(page(qa), 'managers/add', { login: 'max' });
    expect(added.headers.location).toContain('done=managerAdded');
    expect((await owner.get(page(qa))).text).toContain('Managers');
    expect((await owner.submit(page(qa), 'managers/add', { login: 'nobody-here' })).text).toContain(
      'No user has this name or email.',
    );
  });

  it('sees the group and its people, adds people of the Project and removes them', async () => {
    expect((await manager.get('/projects')).text).toContain(page(qa));
    const shown = await manager.get(page(qa));
    expect(shown.status).toBe(200);
    for (const action of ['rename', 'delete', 'managers/add'])
      expect(shown.text).not.toContain(`${page(qa)}/${action}`);
    expect((await manager.submit(page(qa), 'add', { login: 'tess' })).headers.location).toContain(
      'done=added',
    );
    const refused = await manager.submit(page(qa), 'add', { login: 'else' });
    expect(refused.text).toContain('Nobody with access has this name or email');
    expect(await peopleOf(qa)).toEqual(['tess']);
    expect((await call('POST', `/groups/${qa}/people`, { logins: ['ted', 'else'] })).status).toBe(200);
    expect(json(await call('GET', `/groups/${qa}/people`)).data).toEqual([{ name: 'ted' }, { name: 'tess' }]);
    expect(json(await call('GET', `/groups/${qa}`))).toMatchObject({ name: 'QA', people: 2 });
    expect((await call('POST', `/groups/${qa}/people/ted/remove`, {})).status).toBe(204);
    const tess = (await slipway.data.owners.findOwner('tess'))?.id ?? '';
    const csrf = await manager.csrf();
    expect((await manager.post(`${page(qa)}/remove`, { csrf, user: tess })).status).toBe(303);
    expect(await peopleOf(qa)).toEqual([]);
    const audit = await slipway.data.audit.list((await slipway.data.owners.findOwner('crew'))?.id ?? '', 20);
    expect(audit.map(({ actorName, action }) => `${actorName} ${action}`)).toEqual(
      expect.arrayContaining(['olga group.manager-added', 'max group.joined', 'max group.left']),
    );
  });

  it('can open and change nothing else', async () => {
    const csrf = await manager.csrf();
    for (const path of [
      '',
      '/groups',
      '/teams',
      '/audit',
      '/settings',
      '/keys',
      '/invitations',
      `/groups/${other}`,
    ])
      expect((await manager.get(`/organizations/crew${path}`)).status, path).toBe(404);
    for (const [path, fields] of [
      [`${page(qa)}/rename`, { name: 'Mine' }],
      [`${page(qa)}/delete`, {}],
      [`${page(qa)}/managers/add`, { login: 'else' }],
      [`${page(qa)}/managers/remove`, { user: 'x' }],
      [`${page(other)}/add`, { login: 'tess' }],
      ['/organizations/crew/groups/create', { name: 'Mine' }],
    ] as const)
      expect((await manager.post(path, { csrf, ...fields })).status, path).toBe(404);
    for (const [method, path, body] of [
      ['GET', '/groups', undefined],
      ['POST', '/groups', { name: 'Mine' }],
      ['PATCH', `/groups/${qa}`, { name: 'Mine' }],
      ['DELETE', `/groups/${qa}`, undefined],
      ['GET', `/groups/${qa}/managers`, undefined],
      ['POST', `/groups/${qa}/managers`, { login: 'else' }],
      ['POST', `/groups/${qa}/managers/max/remove`, {}],
      ['GET', `/groups/${other}/people`, undefined],
      ['POST', `/groups/${other}/people`, { logins: ['tess'] }],
      ['GET', '/people', undefined],
    ] as const)
      expect((await call(method, path, body)).status, `${method} ${path}`).toBe(404);
    expect([await peopleOf(qa), await peopleOf(other)]).toEqual([[], []]);
  });

  it('is nobody again when an owner removes them, or when they leave the Project', async () => {
    const max = (await slipway.data.owners.findOwner('max'))?.id ?? '';
    await owner.post(`${page(qa)}/managers/remove`, { csrf: await owner.csrf(), user: max });
    expect((await manager.get(page(qa))).status).toBe(404);
    expect((await call('POST', `/groups/${qa}/people`, { logins: ['tess'] })).status).toBe(404);
    const tess = await slipway.browser('tess');
    await owner.submit(page(qa), 'managers/add', { login: 'tess' });
    expect((await tess.get(page(qa))).status).toBe(200);
    const crew = (await slipway.data.owners.findOwner('crew'))?.id ?? '';
    const id = (await slipway.data.owners.findOwner('tess'))?.id ?? '';
    await slipway.data.groups.removeFromOwner(crew, id);
    expect((await tess.get(page(qa))).status).toBe(404);
  });
});
