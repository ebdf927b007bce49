/** The "List Your Projects" interface, statement by statement. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json } from '../support/http-client.ts';
import { get, refusalOf } from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

interface ProjectList {
  error: boolean;
  organizations: Record<string, unknown>[];
}

describe('list of Projects', () => {
  let slipway: TestService;
  let key: string;
  beforeAll(async () => {
    slipway = await startTestService();
    key = await slipway.user('mina');
    await slipway.owners.createWorkspace({
      name: 'acme-works',
      displayName: 'Acme "Works" <b>株式会社</b>',
      iconUrl: '/img/acme.png',
      ownerName: 'mina',
      by: 'command-line',
    });
    await slipway.project('zeta', { members: { mina: 'tester' } });
    await slipway.project('Alpha', { members: { mina: 'developer' } });
    await slipway.project('beta', { workspace: 'acme-works', members: { mina: 'owner' } });
    await slipway.project('Beta_2', { members: { mina: 'tester' } });
    await slipway.project('of-the-workspace-only', { workspace: 'acme-works' });
    await slipway.project('of-nobody');
    const second = { projectName: 'Alpha', team: 'tester', userName: 'mina', by: 'command-line' } as const;
    await slipway.owners.addToTeam(second);
  });
  afterAll(() => slipway.close());

  it('contains every Project with a team of the user, by name, once, with exactly the documented fields', async () => {
    const answer = await get(slipway, '/api/organizations', key, { headers: { Accept: 'application/json' } });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.text).not.toMatch(/[\r\n]/);
    const plain = (name: string) => ({
      type: 'Organization',
      name,
      description: `The Project ${name}`,
      url: `${slipway.origin}/organizations/${name}`,
    });
    const enterprise = {
      type: 'Enterprise',
      name: 'acme-works',
      display_name: 'Acme "Works" <b>株式会社</b>',
      url: `${slipway.origin}/enterprises/acme-works`,
      icon_url: '/img/acme.png',
    };
    const organizations = [plain('Alpha'), { ...plain('beta'), enterprise }, plain('Beta_2'), plain('zeta')];
    expect(JSON.stringify(json(answer))).toBe(JSON.stringify({ error: false, organizations }));
  });

  it('is empty for a user without Projects', async () => {
    const answer = await get(slipway, '/api/organizations', await slipway.user('loner'));
    expect(answer.text).toBe('{"error":false,"organizations":[]}');
  });

  it('is complete with 250 entries, without pagination', async () => {
    const many = await slipway.user('busy');
    for (let at = 0; at < 250; at++) await slipway.project(`many-${at}`, { members: { busy: 'tester' } });
    const { organizations } = json<ProjectList>(
      await get(slipway, '/api/organizations?page=2&per_page=1', many),
    );
    expect(organizations).toHaveLength(250);
    const names = organizations.map(({ name }) => String(name));
    expect(names).toEqual([...names].sort());
  });

  it('no longer contains a Project once the user has left its teams', async () => {
    const gone = await slipway.user('gone');
    await slipway.project('left', { members: { gone: 'developer' } });
    const change = { projectName: 'left', team: 'developer', userName: 'gone', by: 'command-line' } as const;
    expect(json<ProjectList>(await get(slipway, '/api/organizations', gone)).organizations).toHaveLength(1);
    await slipway.owners.removeFromTeam(change);
    expect(json<ProjectList>(await get(slipway, '/api/organizations', gone)).organizations).toEqual([]);
  });

  it.each(['zeta', 'beta'])(
    'is refused for the key of the Project %s with exactly the documented body',
    async (name) => {
      const answer = await get(slipway, '/api/organizations', await slipway.projectKey(name));
      expect(answer.status).toBe(400);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.text).toBe(
        '{"error":true,"message":"requester must be a user","because":"requester must be a user"}',
      );
    },
  );

  it('accepts a key in the query, and refuses a request without one', async () => {
    const byQuery = await get(slipway, `/api/organizations?token=${key}`);
    expect(byQuery.text).toBe((await get(slipway, '/api/organizations', key)).text);
    expect(json(await get(slipway, `/api/sessions/user?token=${key}`))).toEqual({
      error: false,
      results: { name: 'mina' },
    });
    refusalOf(await get(slipway, '/api/organizations?token=wrong'), 401);
    refusalOf(await get(slipway, '/api/organizations'), 401);
  });

  it('contains working links to the Project and the Workspace', async () => {
    const { organizations } = json<{
      organizations: { url: string; enterprise?: { url: string; icon_url: string } }[];
    }>(await get(slipway, '/api/organizations', key));
    for (const { url, enterprise } of organizations) {
      expect((await get(slipway, url, key)).status).toBe(200);
      refusalOf(await get(slipway, url), 401);
      if (enterprise) expect((await get(slipway, enterprise.url, key)).status).toBe(200);
    }
  });

  it('contains a working default icon for a Workspace', async () => {
    await slipway.project('iconless', { workspace: 'plain-works', members: { mina: 'tester' } });
    const { organizations } = json<{ organizations: { name: string; enterprise?: { icon_url: string } }[] }>(
      await get(slipway, '/api/organizations', key),
    );
    const icon = organizations.find(({ name }) => name === 'iconless')?.enterprise?.icon_url ?? '';
    const answer = await get(slipway, new URL(icon, slipway.origin).href);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^image\//);
  });
});
