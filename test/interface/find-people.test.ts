/** Adding people reveals whether an account exists: the limit on attempts, across all ways to do it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../support/http-client.ts';
import { bearer, uploaded } from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

describe('questions whether an account exists', () => {
  let slipway: TestService;
  let eve: string;
  let app: string;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    eve = await slipway.user('eve');
    await slipway.user('carl');
    await slipway.project('evil', { workspace: 'evilws', members: { eve: 'owner' } });
    const user = await slipway.data.owners.findOwner('eve');
    const workspace = await slipway.data.owners.findWorkspace('evilws');
    await slipway.data.workspaces.addPerson(workspace?.id ?? '', user?.id ?? '', 'owner');
    app = (await uploaded(slipway, { owner: 'eve', key: eve })).package_name;
  });
  afterAll(() => slipway.close());

  const post = async (path: string, fields: Record<string, string> | { logins: string[] }) => {
    const isJson = path.startsWith('/api/v1/');
    const body = isJson ? JSON.stringify(fields) : new URLSearchParams(fields as never).toString();
    const contentType = isJson ? 'application/json' : 'application/x-www-form-urlencoded';
    const headers = { ...bearer(eve), 'Content-Type': contentType };
    return send(slipway.port, path, { method: 'POST', headers, body });
  };
  const names = (count: number) => Array.from({ length: count }, (_, at) => `nobody-${at}`);

  it('get the same answer from a Workspace for people with and without an account', async () => {
    const answers = [];
    for (const user of ['carl', 'carl@example.com', 'nobody', 'nobody@example.com']) {
      const { status, text } = await post('/api/enterprises/evilws/users', { user });
      answers.push([status, text.replaceAll(user, '…')]);
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.[0]).toBe(201);
  });

  it('are counted together, 60 in 15 minutes', async () => {
    const ways: ((logins: string[]) => ReturnType<typeof post>)[] = [
      (logins) => post('/api/v1/projects/evil/people', { logins, team: 'tester' } as never),
      (logins) => post(`/api/v1/apps/eve/android/${app}/testers`, { logins }),
      (logins) =>
        post(`/api/users/eve/platforms/android/apps/${app}/members`, { users: logins.join(','), role: '2' }),
    ];
    const single = [
      (login: string) => post('/api/organizations/evil/members', { username: login }),
      (login: string) => post('/api/organizations/evil/teams/tester/users', { user: login }),
      (login: string) => post('/api/enterprises/evilws/organizations/evil/users', { user: login }),
    ];
    for (const ask of ways) expect((await ask(names(19))).status).not.toBe(429);
    for (const ask of single) expect((await ask('nobody-1')).status).toBe(404);
    for (const ask of ways) expect((await ask(['nobody-1'])).status).toBe(429);
    for (const ask of single) expect((await ask('nobody-1')).status).toBe(429);
  });

  it('have no other counter: every operation that takes names of people has this one', () => {
    const asked = ['login', 'logins', 'user', 'users', 'username', 'person'];
    const takesNames = slipway.service.declared.filter(({ form, json }) =>
      Object.keys({ ...form, ...json }).some((name) => asked.includes(name)),
    );
    const counted = takesNames.filter(({ rateLimit }) => rateLimit?.name === 'find people');
    expect(new Set(counted.map(({ rateLimit }) => rateLimit?.limit))).toEqual(new Set([60]));
    expect(counted.length).toBeGreaterThan(10);
    const others = takesNames.filter((route) => !counted.includes(route));
    // These answer the same whether the account exists or not, or know only those who are listed.
    expect(others.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'DELETE /api/users/:owner/platforms/:platform/apps/:package/members',
      'POST /api/enterprises/:workspace/users',
      'POST /forgot-password',
      'POST /organizations/:owner/groups/:group/managers/remove',
      'POST /organizations/:owner/groups/:group/remove',
      'POST /sign-in',
      'POST /users/:owner/groups/:group/managers/remove',
      'POST /users/:owner/groups/:group/remove',
      'POST /users/:owner/platforms/:platform/apps/:package/people/remove',
    ]);
  });
});
