/** Owners, members and guests of a Workspace: what each of them may do on the web and through the API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptInvitations } from '../support/accept-invitations.ts';
import { type SignedInPeople, signInPeople } from '../support/administration-users.ts';
import { type Answer, send } from '../support/http-client.ts';
import { bearer } from '../support/interface-client.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

describe.each(dialects)('roles in a Workspace on %s', (dialect) => {
  let slipway: TestService;
  let people: SignedInPeople;
  const keys: Record<string, string> = {};

  beforeAll(async () => {
    slipway = await startTestService({ dialect, blobs: 'memory' });
    for (const name of ['olga', 'mia', 'gus', 'sam']) keys[name] = await slipway.user(name);
    const signedIn = await signInPeople(slipway, ['admin']);
    people = { ...signedIn, ...(await signInExisting(['olga', 'mia', 'gus', 'sam'])) };
    await slipway.workspace('yard', 'olga');
    await slipway.project('crew', { workspace: 'yard', members: { gus: 'tester' } });
    await slipway.project('deck', { workspace: 'yard' });
  });
  afterAll(() => slipway?.close());

  const signInExisting = async (names: readonly string[]) => {
    const { user } = slipway;
    // The users exist already, with keys.
    slipway.user = async (name) => keys[name] ?? '';
    const signedIn = await signInPeople(slipway, names);
    slipway.user = user;
    return signedIn;
  };
  const call = (name: string, method: string, path: string, body?: unknown): Promise<Answer> => {
    const key = name === 'admin' ? slipway.adminKey : (keys[name] ?? '');
    const text = body === undefined ? '' : JSON.stringify(body);
    return send(slipway.port, path, {
      method,
      headers: {
        ...bearer(key),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        'Content-Length': String(Buffer.byteLength(text)),
      },
      ...(body === undefined ? {} : { body: text }),
    });
  };
  const read = async (name: string, path: string) => JSON.parse((await call(name, 'GET', path)).text);
  const api = '/api/v1/workspaces/yard';
  const rolesNow = async () => (await read('olga', `${api}/people`)).data;
  const accept = (name: string) => acceptInvitations(slipway, name, Date.now);
  const auditOf = async () =>
    (await read('admin', '/api/v1/administration/audit-log?limit=3')).data.map(
      ({ action, subject }: { action: string; subject: string }) => [action, subject],
    );

  it('adds members by invitation, and lists them with guests', async () => {
    const added = await people.post('olga', '/enterprises/yard/people/add', { login: 'mia', role: 'member' });
    expect([added.status, added.headers.location]).toEqual([303, '/enterprises/yard/people?done=invited']);
    expect((await call('mia', 'GET', api)).status).toBe(404);
    const [open] = (await read('olga', `${api}/invitations`)).data;
    expect(open).toMatchObject({ person: 'mia', role: 'member', team: null });
    expect((await people.get('mia', '/settings/invitations')).text).toContain('As a member');
    await accept('mia');
    expect(await rolesNow()).toEqual([
      { name: 'admin', role: 'guest' },
      { name: 'gus', role: 'guest' },
      { name: 'mia', role: 'member' },
      { name: 'olga', role: 'owner' },
    ]);
    const page = (await people.get('olga', '/enterprises/yard/people')).text;
    expect(page).toContain('Role of mia');
    expect(page).not.toContain('Role of gus');
  });

  it('shows the list of Projects to members, and nothing in them', async () => {
    const named = async (name: string) =>
      (await read(name, `${api}/projects`)).data.map((project: { name: string }) => project.name);
    expect(await named('mia')).toEqual(['crew', 'deck']);
    expect(await named('gus')).toEqual(['crew']);
    const page = (await people.get('mia', '/enterprises/yard')).text;
    expect(page).toContain('deck');
    expect(page).not.toContain('href="/organizations/deck"');
    expect(page).toContain('Leave the Workspace');
    const guest = (await people.get('gus', '/enterprises/yard')).text;
    expect(guest).toContain('href="/organizations/crew"');
    expect(guest).not.toContain('deck');
    expect(guest).not.toContain('Leave the Workspace');
    for (const path of ['/organizations/crew', '/organizations/crew/people'])
      expect((await people.get('mia', path)).status).toBe(404);
    expect((await call('mia', 'GET', '/api/v1/projects/crew')).status).toBe(404);
    expect((await read('mia', '/api/v1/workspaces')).data).toMatchObject([{ name: 'yard' }]);
    expect((await read('gus', '/api/v1/workspaces')).data).toEqual([]);
    expect((await people.get('mia', '/workspaces')).text).toContain('/enterprises/yard');
    expect((await call('sam', 'GET', api)).status).toBe(404);
  });

  it('refuses everything that owners may do to members, guests and strangers', async () => {
    const admitted: string[] = [];
    let tried = 0;
    for (const { method, path, access } of slipway.service.declared) {
      const isForOwners =
        access.roles.includes('workspace owner') && !access.roles.includes('workspace member');
      if (!isForOwners) continue;
      const address = path.replace(':workspace', 'yard').replace(/:\w+/g, 'mia');
      for (const name of ['mia', 'gus', 'sam']) {
        const answer = path.startsWith('/api/')
          ? await call(name, method, address, method === 'GET' || method === 'DELETE' ? undefined : {})
          : method === 'GET'
            ? await people.get(name, address)
            : await people.post(name, address, { login: 'sam', role: 'owner' });
        tried++;
        if (answer.status !== 404) admitted.push(`${name} ${method} ${address}: ${answer.status}`);
      }
    }
    expect(admitted).toEqual([]);
    expect(tried).toBeGreaterThan(150);
    expect((await call('gus', 'POST', `${api}/leave`, {})).status).toBe(404);
  });

  it('changes roles, but never leaves a Workspace without an owner', async () => {
    const last = await call('olga', 'PATCH', `${api}/people/olga`, { role: 'member' });
    expect(last.status).toBe(409);
    expect((await call('olga', 'PATCH', `${api}/people/gus`, { role: 'member' })).status).toBe(404);
    const promoted = await call('olga', 'PATCH', `${api}/people/mia`, { role: 'owner' });
    expect(JSON.parse(promoted.text)).toEqual({ name: 'mia', role: 'owner' });
    const again = await call('olga', 'POST', `${api}/people`, { logins: ['mia'], role: 'member' });
    expect(JSON.parse(again.text).people).toEqual([{ login: 'mia', outcome: 'already' }]);
    const form = `/enterprises/yard/people/${await people.idOf('mia')}/save`;
    expect((await people.post('olga', form, { role: 'member' })).status).toBe(303);
    expect(JSON.parse((await call('olga', 'GET', `${api}/people/mia`)).text).role).toBe('member');
    expect(await auditOf()).toEqual([
      ['workspace.owner-removed', 'mia: yard'],
      ['workspace.member-added', 'mia: yard'],
      ['workspace.member-removed', 'mia: yard'],
    ]);
  });

  it('replaces the invitation of a person who is invited in another role', async () => {
    const add = async (role: string) =>
      JSON.parse((await call('olga', 'POST', `${api}/people`, { logins: ['sam'], role })).text).people;
    expect(await add('owner')).toEqual([{ login: 'sam', outcome: 'invited' }]);
    expect(await add('owner')).toEqual([{ login: 'sam', outcome: 'pending' }]);
    expect(await add('member')).toEqual([{ login: 'sam', outcome: 'invited' }]);
    const open = (await read('olga', `${api}/invitations`)).data;
    expect(open.map(({ role }: { role: string }) => role)).toEqual(['member']);
    await accept('sam');
    expect(JSON.parse((await call('olga', 'GET', `${api}/people/sam`)).text).role).toBe('member');
    expect((await call('olga', 'DELETE', `${api}/people/sam`)).status).toBe(204);
    expect((await call('olga', 'DELETE', `${api}/people/sam`)).status).toBe(404);
    expect((await call('sam', 'GET', api)).status).toBe(404);
  });

  it('binds members by the policies of the Workspace', async () => {
    const set = (networks: readonly string[]) => call('admin', 'PATCH', `${api}/policies`, { networks });
    expect((await set(['10.0.0.0/8'])).status).toBe(200);
    expect((await call('mia', 'GET', `${api}/projects`)).status).toBe(403);
    expect((await people.get('mia', '/enterprises/yard')).status).toBe(403);
    expect((await call('sam', 'GET', `${api}/projects`)).status).toBe(404);
    await set([]);
    expect((await call('mia', 'GET', `${api}/projects`)).status).toBe(200);
  });

  it('shows members in the access review, and removes them with everything else', async () => {
    const report = await read('olga', `${api}/access/people/mia`);
    expect(report.places).toMatchObject([
      { name: 'yard', ways: [{ kind: 'workspace-member', added_by: 'olga' }], apps: [] },
    ]);
    expect((await call('olga', 'POST', `${api}/access/people/mia/revoke`, {})).status).toBe(204);
    expect((await rolesNow()).map(({ name }: { name: string }) => name)).toEqual(['admin', 'gus', 'olga']);
  });

  it('lets members leave, who stay in their teams as guests', async () => {
    await call('admin', 'POST', `${api}/people`, { logins: ['gus'], role: 'member' });
    const left = await people.post('gus', '/enterprises/yard/leave', {});
    expect([left.status, left.headers.location]).toEqual([303, '/?done=workspace-left']);
    expect(await rolesNow()).toContainEqual({ name: 'gus', role: 'guest' });
    expect((await call('gus', 'GET', '/api/v1/projects/crew')).status).toBe(200);
    expect((await people.post('olga', '/enterprises/yard/leave', {})).status).toBe(409);
  });
});
