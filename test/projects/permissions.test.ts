/**
 * Permissions of Projects, Workspaces and the audit log on both dialects; `declared-routes.test.ts` covers all routes.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedInPeople, signInPeople } from '../support/administration-users.ts';
import { postForm } from '../support/browser-session.ts';
import { get, refusalOf } from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

/** `crew` is a Project in the Workspace `harbour`; `other` is a Project of other people. */
const people = ['admin', 'olga', 'dev', 'tess', 'stranger', 'hanna'] as const;
type Name = (typeof people)[number];

const members: readonly Name[] = ['olga', 'dev', 'tess'];
const overseers: readonly Name[] = ['admin', 'olga'];
const self: readonly Name[] = ['admin', 'olga'];
const owners: readonly Name[] = ['admin', 'hanna'];
const administrators: readonly Name[] = ['admin'];

interface Address {
  route: string;
  path: string;
  /** Everyone else gets 404. */
  shown: readonly Name[];
  /** Who may post; null if nothing can be posted. */
  takes: readonly Name[] | null;
  /** Path of its form; the page itself when absent. */
  formPath?: string;
  /** A form that changes nothing: permitted callers get 400 or 409. */
  form?: Record<string, string>;
}

const wrong = { confirmation: 'wrong' };

const audits = (kind: string, path: string, shown: readonly Name[]): Address[] =>
  ['', '.csv', '.jsonl'].map((end) => ({
    route: `${kind}/audit${end}`,
    path: `${path}/audit${end}`,
    shown,
    takes: null,
  }));

const noRule = { keep: 'nothing', newest: '', days: '' };

const table: readonly Address[] = [
  {
    route: '/organizations/:owner/retention',
    path: '/organizations/crew/retention',
    formPath: '/organizations/crew/retention/save',
    shown: overseers,
    takes: overseers,
    form: noRule,
  },
  {
    route: '/users/:owner/retention',
    path: '/users/olga/retention',
    formPath: '/users/olga/retention/save',
    shown: self,
    takes: self,
    form: noRule,
  },
  {
    route: '/enterprises/:workspace/retention',
    path: '/enterprises/harbour/retention',
    formPath: '/enterprises/harbour/retention/save',
    shown: owners,
    takes: owners,
    form: noRule,
  },
  {
    route: '/projects/new',
    path: '/projects/new',
    shown: people,
    takes: people,
    form: { name: '-', description: '' },
  },
  {
    route: '/workspaces/new',
    path: '/workspaces/new',
    shown: administrators,
    takes: administrators,
    form: { name: '-', display_name: '' },
  },
  {
    route: '/organizations/:owner/people',
    path: '/organizations/crew/people',
    formPath: '/organizations/crew/people/add',
    shown: ['admin', ...members],
    takes: overseers,
    form: { login: 'nobody', team: 'tester' },
  },
  {
    route: '/organizations/:owner/settings',
    path: '/organizations/crew/settings',
    formPath: '/organizations/crew/settings/save',
    shown: overseers,
    takes: overseers,
    form: { description: 'x'.repeat(5000) },
  },
  {
    route: '/organizations/:owner/settings for limits',
    path: '/organizations/crew/settings',
    formPath: '/organizations/crew/quota/save',
    shown: overseers,
    takes: administrators,
    form: { storage: 'much', builds: '' },
  },
  {
    route: '/organizations/:owner/delete',
    path: '/organizations/crew/delete',
    shown: overseers,
    takes: overseers,
    form: wrong,
  },
  {
    route: '/users/:owner/settings',
    path: '/users/olga/settings',
    formPath: '/users/olga/quota/save',
    shown: self,
    takes: administrators,
    form: { storage: '', builds: 'many' },
  },
  { route: '/users/:owner/delete', path: '/users/olga/delete', shown: self, takes: self, form: wrong },
  ...audits('/organizations/:owner', '/organizations/crew', overseers),
  ...audits('/users/:owner', '/users/olga', self),
  ...audits('/administration', '/administration', administrators),
  {
    route: '/enterprises/:workspace',
    path: '/enterprises/harbour',
    shown: ['admin', 'hanna', ...members],
    takes: null,
  },
  {
    route: '/enterprises/:workspace/settings',
    path: '/enterprises/harbour/settings',
    formPath: '/enterprises/harbour/owners/add',
    shown: owners,
    takes: owners,
    form: { login: 'nobody' },
  },
  {
    route: '/enterprises/:workspace/delete',
    path: '/enterprises/harbour/delete',
    shown: owners,
    takes: owners,
    form: wrong,
  },
];

describe('permissions of Projects and Workspaces', () => {
  let slipway: TestService;
  let console: SignedInPeople;
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    console = await signInPeople(slipway, people);
    await slipway.project('crew', {
      workspace: 'harbour',
      members: { olga: 'owner', dev: 'developer', tess: 'tester' },
    });
    await slipway.project('other', { members: { stranger: 'owner' } });
    // The command line created both, so they belong to the administrator first.
    const admin = await console.idOf('admin');
    const crew = await console.idOf('crew');
    await slipway.data.owners.removeTeamMember(crew, 'owner', admin);
    const workspace = await slipway.data.owners.findWorkspace('harbour');
    await slipway.data.owners.addWorkspaceOwner(workspace?.id ?? '', await console.idOf('hanna'));
    await slipway.data.workspaces.removeOwner(workspace?.id ?? '', admin);
    keys.crew = await slipway.projectKey('crew');
    keys.other = await slipway.projectKey('other');
    keys.olga = (await slipway.user('olga-two')) ?? '';
  });
  afterAll(() => slipway.close());

  it.each(table)('show $route only to permitted users', async ({ path, shown }) => {
    for (const name of people) {
      const { status } = await console.get(name, path);
      expect([name, status]).toEqual([name, shown.includes(name) ? 200 : 404]);
    }
  });

  it.each(table)(
    'accept forms at $route only from permitted users',
    async ({ path, formPath = path, takes, form }) => {
      const before = await slipway.data.audit.page({ ownerId: null }, { limit: 100 });
      for (const name of people) {
        const { status } = await console.post(name, formPath, form ?? {});
        if (takes === null) expect([name, status]).toEqual([name, 405]);
        else if (!takes.includes(name)) expect([name, status]).toEqual([name, 404]);
        else expect([name, [400, 409].includes(status)]).toEqual([name, true]);
      }
      expect(await slipway.data.audit.page({ ownerId: null }, { limit: 100 })).toEqual(before);
    },
  );

  it.each(table.filter(({ takes }) => takes !== null))(
    'refuse forms at $route from other sessions',
    async ({ path, formPath = path, takes, form }) => {
      const [name = 'admin'] = takes ?? [];
      const foreign = await console.tokenOf(name === 'admin' ? 'olga' : 'admin');
      for (const fields of [{ ...form, csrf: foreign }, form ?? {}])
        expect((await console.postAsIs(name, formPath, fields)).status).toBe(403);
    },
  );

  it.each(table)(
    'hide $route from API keys and signed-out visitors',
    async ({ path, formPath = path, form }) => {
      for (const key of [slipway.adminKey, keys.crew ?? '', keys.other ?? '', keys.olga ?? '']) {
        const answer = await get(slipway, path, key);
        // Keys have no forms. They can see a Workspace if they belong to one of its Projects or to its owner.
        const sees = path === '/enterprises/harbour' && (key === keys.crew || key === slipway.adminKey);
        expect([path, answer.status]).toEqual([path, sees ? 200 : 404]);
      }
      refusalOf(await get(slipway, path), 401);
      const browser = await get(slipway, path, null, { headers: { Accept: 'text/html' } });
      expect(browser.headers.location).toBe(`/sign-in?to=${encodeURIComponent(path)}`);
      const byKey = await postForm(slipway, formPath, form ?? {}, {
        Authorization: `Bearer ${slipway.adminKey}`,
      });
      expect([404, 405]).toContain(byKey.status);
      const byNobody = await postForm(slipway, formPath, form ?? {});
      expect([303, 405]).toContain(byNobody.status);
    },
  );

  it('reject a user in place of a Project, and a Project in place of a user', async () => {
    for (const end of ['settings', 'delete', 'audit']) {
      expect((await console.get('admin', `/users/crew/${end}`)).status).toBe(404);
      expect((await console.get('admin', `/organizations/olga/${end}`)).status).toBe(404);
      expect((await console.get('admin', `/organizations/nobody/${end}`)).status).toBe(404);
    }
    expect((await console.get('admin', '/organizations/olga/people')).status).toBe(404);
  });
});
