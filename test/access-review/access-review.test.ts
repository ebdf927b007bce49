/** Access reviews: what they say about everyone, compared with what requests of these people are answered. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import { type DirectoryClient, openDirectory } from '../support/directory-client.ts';
import { json, send } from '../support/http-client.ts';
import { bearer, get } from '../support/interface-client.ts';
import { addApp, addPage } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';
import { testPasswordHash } from '../support/test-service.ts';

interface Way {
  kind: string;
  name: string | null;
  since: string | null;
  added_by: string | null;
  rules: { directory_group: string; created_by: string }[];
}
interface Place {
  kind: string;
  name: string;
  ways: Way[];
  apps: { platform: string; package_name: string }[];
  pages: { name: string; package_name: string; through: Way[] }[];
}
interface Report {
  name: string;
  disabled: boolean;
  places: Place[];
  credentials: { kind: string; name: string; id: string }[];
  devices: { name: string }[];
  webhooks: { name: string }[];
  last_owner_of: string[];
}
interface Credential {
  id: string;
  kind: string;
  name: string;
  details: string | null;
}

const names = ['hanna', 'olga', 'dev', 'tess', 'gus', 'sam', 'dora', 'audi', 'mona'];

describe.each(dialects)('access reviews on %s', (dialect) => {
  let slipway: AccountsService;
  let database: Database;
  let directory: DirectoryClient;
  /** Addresses by what the report calls them. */
  const apps = new Map<string, string>();
  const pages = new Map<string, string>();
  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';

  beforeAll(async () => {
    slipway = await startAccountsService(dialect, names);
    database = await openDatabase(slipway.config.database);
    await slipway.workspace('harbour', 'hanna');
    const members = {
      ...{ olga: 'owner', dev: 'developer', audi: 'auditor' },
      ...{ tess: 'tester', gus: 'tester', dora: 'tester' },
    };
    await slipway.project('tide', { workspace: 'harbour', members });
    await slipway.project('crew', { members: { sam: 'owner', tess: 'tester' } });
    const { id: group } = await addGroup('tide', 'Pilots', ['gus', 'dora']);
    const { id: empty } = await addGroup('tide', 'Nobody', []);
    // Neither is in a team of tide.
    for (const name of ['mona', 'sam']) await slipway.data.groups.addManager(group, await idOf(name), 6);
    for (const [owner, packageName] of [
      ['tide', 'com.tide.one'],
      ['tide', 'com.tide.two'],
      ['crew', 'com.crew'],
      ['olga', 'com.olga.shared'],
      ['olga', 'com.olga.own'],
    ] as const) {
      const { appId, builds } = await addApp(slipway.data, await idOf(owner), { packageName });
      const path = owner === 'tide' || owner === 'crew' ? 'organizations' : 'users';
      apps.set(`${owner} ${packageName}`, `/${path}/${owner}/platforms/android/apps/${packageName}`);
      if (packageName === 'com.olga.shared')
        await slipway.data.transaction(async (tx) =>
          tx.appTesters.add({ appId, userId: await idOf('gus'), limit: 9, now: 5, addedBy: 'olga' }),
        );
      for (const [name, settings, groups] of [
        ['open', {}, []],
        ['closed', { active: 0 }, []],
        ['expired', { expires_at: 1 }, []],
        ['secret', { access: 'passcode', passcode_hash: 'x' }, []],
        ['members', { access: 'members' }, []],
        ['pilots', { access: 'groups' }, owner === 'tide' ? [group] : []],
        ['nobody', { access: 'groups' }, owner === 'tide' ? [empty] : []],
      ] as const) {
        await addPage(slipway.data, appId, builds[0]?.id ?? '', { name });
        await database.queries
          .updateTable('distribution_pages')
          .set({ active: 1, ...settings })
          .where('app_id', '=', appId)
          .where('name', '=', name)
          .execute();
        const page = await database.queries
          .selectFrom('distribution_pages')
          .select(['id', 'access_key'])
          .where('app_id', '=', appId)
          .where('name', '=', name)
          .executeTakeFirstOrThrow();
        pages.set(`${owner} ${packageName} ${name}`, `/distributions/${page.access_key}`);
        await slipway.data.groups.setGroupsOfPage(page.id, groups);
      }
    }
    directory = await openDirectory(slipway, 'harbour');
    const nora = await directory.create('Users', {
      userName: 'nora',
      emails: [{ value: 'nora@tide.example' }],
    });
    await slipway.data.accounts.setPassword(nora.id, testPasswordHash, false);
    const ios = await directory.create('Groups', { displayName: 'iOS', members: [{ value: nora.id }] });
    const rule = { directory_group: ios.id, kind: 'testers', project: 'tide', group };
    const added = await call('POST', '/api/v1/workspaces/harbour/group-rules', rule);
    expect([added.status, added.text]).toEqual([201, expect.anything()]);
    await slipway.data.accountState.setDisabled(await idOf('dora'), 1);
  }, 60_000);
  afterAll(async () => {
    await database?.close();
    await slipway?.close();
  });

  const addGroup = async (owner: string, name: string, people: readonly string[]) => {
    const id = await slipway.data.groups.insertGroup({ ownerId: await idOf(owner), name, now: 3 });
    for (const person of people) await slipway.data.groups.addPerson(id, await idOf(person), 4, 'olga');
    return { id };
  };
  const call = (method: string, path: string, body: object, key = slipway.adminKey) =>
    send(slipway.port, path, {
      method,
      headers: { ...bearer(key), 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const read = async <Value>(path: string) => {
    const answer = await get(slipway, path, slipway.adminKey);
    expect([path, answer.status]).toEqual([path, 200]);
    return json<Value>(answer);
  };
  const reportOn = (name: string, scope = 'administration') =>
    read<Report>(`/api/v1/${scope}/access/people/${name}`);

  it('says of every person whether every app and page answers them, as requests do', async () => {
    const { data: links } = await read<{ data: Credential[] }>(
      '/api/v1/administration/access/credentials?limit=200',
    );
    const open = links.filter((one) => one.kind === 'page-link' && one.details === 'unlisted');
    const wrong: unknown[] = [];
    let answered = 0;
    for (const name of ['admin', 'nora', ...names]) {
      const { places } = await reportOn(name);
      const reaches = new Set([
        ...places.flatMap((one) => one.apps.map((app) => `${one.name} ${app.package_name}`)),
        ...places.flatMap((one) => one.pages.map((page) => `${one.name} ${page.package_name} ${page.name}`)),
      ]);
      const browser = name === 'dora' ? slipway.stranger : await slipway.browser(name);
      for (const [target, address] of [...apps, ...pages]) {
        const { status } = await browser.get(address);
        const [, packageName, page] = target.split(' ');
        const isOpen = page !== undefined && open.some((one) => one.name === `${page} (${packageName})`);
        if ((status === 200) !== (reaches.has(target) || isOpen)) wrong.push([name, target, status]);
        if (status === 200) answered++;
      }
    }
    // The page of an app opens with its secret exactly when the review says so, for people without an account.
    const secrets = await database.queries.selectFrom('apps').select(['id', 'secret']).execute();
    const secretOf = new Map(secrets.map(({ id, secret }) => [id, secret]));
    const listed = links.filter((one) => one.kind === 'app-secret');
    for (const [target, address] of apps) {
      const entry = listed.find(({ name }) => name.startsWith(`${target.split(' ')[1]} `));
      const { status } = await slipway.stranger.get(`${address}?key=${secretOf.get(entry?.id ?? '')}`);
      if ((status === 200) !== (entry?.details === 'unlisted')) wrong.push([target, entry, status]);
    }
    expect(wrong).toEqual([]);
    expect(answered).toBeGreaterThan(100);
  });

  it('shows the whole chain from a group of a directory to a page', async () => {
    const report = await reportOn('nora', 'projects/tide');
    const [tide] = report.places;
    const rules = [{ directory_group: 'iOS', created_by: 'admin', created_at: expect.any(String) }];
    expect(tide?.ways).toMatchObject([
      { kind: 'team', name: 'tester', added_by: 'admin', rules },
      { kind: 'group', name: 'Pilots', added_by: 'admin', rules },
    ]);
    const page = tide?.pages.find((one) => one.name === 'pilots');
    expect(page?.through).toMatchObject([{ kind: 'group', name: 'Pilots', rules }]);
    const admin = await slipway.browser('admin');
    const shown = (await admin.get(`/organizations/tide/access/${await idOf('nora')}`)).text;
    for (const part of ['Directory group', '>iOS<', 'rule by', 'Tester team', 'Group Pilots', 'Page pilots'])
      expect(shown).toContain(part);
    expect((await admin.get('/organizations/tide/people')).text).toContain(
      `/organizations/tide/access/${await idOf('nora')}`,
    );
  });

  it('says since when and by whom, and when something is not recorded', async () => {
    const { places } = await reportOn('gus');
    const ways = places.flatMap((one) => one.ways);
    expect(ways).toMatchObject([
      { kind: 'team', name: 'tester', since: expect.any(String), rules: [] },
      { kind: 'group', name: 'Pilots', since: '1970-01-01T00:00:00.004Z', added_by: 'olga' },
      { kind: 'app', name: 'com.olga.shared', since: '1970-01-01T00:00:00.005Z', added_by: 'olga' },
    ]);
    const csv = (await get(slipway, '/administration/access.csv', slipway.adminKey)).status;
    expect(csv).toBe(404);
    const browser = await slipway.browser('admin');
    const exported = (await browser.get('/administration/access.csv')).text;
    expect(exported).toContain('"person","gus","gus@example.com","active","olga","app: com.olga.shared"');
    expect(exported).toContain('"not recorded"');
    const lines = (await browser.get('/administration/access.jsonl')).text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).toContain('credential');
  });

  it('says who manages a group without being in a team, and lets owners and administrators end that', async () => {
    const { places } = await reportOn('mona');
    expect(places).toMatchObject([
      {
        name: 'tide',
        ways: [{ kind: 'group-manager', name: 'Pilots', since: '1970-01-01T00:00:00.006Z', added_by: null }],
        apps: [],
        pages: [],
      },
    ]);
    for (const scope of ['projects/tide', 'workspaces/harbour']) {
      const { data } = await read<{ data: Report[] }>(`/api/v1/${scope}/access/people`);
      expect(data.map(({ name }) => name)).toEqual(expect.arrayContaining(['mona', 'sam']));
    }
    const olga = await slipway.browser('olga');
    const csv = (await olga.get('/organizations/tide/access.csv')).text;
    expect(csv).toContain(
      '"person","mona","mona@example.com","active","harbour/tide","group-manager: Pilots"',
    );
    const samId = await idOf('sam');
    const shown = await olga.get(`/organizations/tide/access/${samId}`);
    expect(shown.text).toContain('Manager of the group Pilots');
    const [, action = ''] = /action="([^"]*\/managers\/remove)"/.exec(shown.text) ?? [];
    const path = action.slice(0, -'/managers/remove'.length);
    expect((await olga.submit(path, 'managers/remove', { user: samId })).status).toBe(303);
    expect(await slipway.data.groups.isManager(await idOf('tide'), path.split('/').at(-1) ?? '', samId)).toBe(
      false,
    );
    const monaId = await idOf('mona');
    const revoked = await call('POST', '/api/v1/workspaces/harbour/access/people/mona/revoke', {});
    expect(revoked.status).toBe(204);
    expect(await slipway.data.groups.listManaged(monaId)).toEqual([]);
  });

  it('lets administrators end what only owners can change elsewhere', async () => {
    const gus = await idOf('gus');
    const page = `/administration/access/${gus}`;
    const admin = await slipway.browser('admin');
    const groupId = await slipway.data.groups.insertGroup({
      ownerId: await idOf('olga'),
      name: 'Fans',
      now: 3,
    });
    await slipway.data.groups.addManager(groupId, gus, 7);
    await slipway.data.groups.addPerson(groupId, gus, 8);
    const { text } = await admin.get(page);
    const forms = [
      ...text.matchAll(/name="way" value="([^"]+)"[^>]*>\s*<input[^>]*name="id" value="([^"]+)"/g),
    ];
    const ofOlga = forms.filter(([, way, id]) => way === 'app' || id === groupId);
    expect(ofOlga.map(([, way]) => way).toSorted()).toEqual(['app', 'group', 'group-manager']);
    expect((await admin.submit(page, 'revoke', { way: 'app', id: groupId })).status).toBe(404);
    // A person who may no longer see any app of the User also leaves the groups.
    for (const [, way = '', id = ''] of ofOlga.toReversed()) {
      const answer = await admin.submit(page, 'revoke', { way, id });
      expect([way, answer.status, answer.headers.location]).toEqual([way, 303, `${page}?done=revoked`]);
    }
    const { places } = await reportOn('gus');
    expect(places.map(({ name }) => name)).toEqual(['tide']);
    expect((await (await slipway.browser('gus')).get(apps.get('olga com.olga.shared') ?? '')).status).toBe(
      404,
    );
    const log = await slipway.data.audit.list(await idOf('olga'), 100);
    expect(log.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['access.taken', 'group.left', 'group.manager-removed']),
    );
  });

  it('defuses formulas in CSV', async () => {
    await addGroup('tide', '=cmd|calc', ['gus']);
    const exported = (await (await slipway.browser('olga')).get('/organizations/tide/access.csv')).text;
    expect(exported).toContain('"group: =cmd|calc"');
    await database.queries
      .updateTable('team_members')
      .set({ added_by: '@SUM(1)' })
      .where('user_id', '=', await idOf('gus'))
      .execute();
    const again = (await (await slipway.browser('olga')).get('/organizations/tide/access.csv')).text;
    expect(again).toContain(`"'@SUM(1)"`);
    expect(again).not.toMatch(/"[=+\-@\t]/);
  });

  it('is limited to its scope, and to people who administer it', async () => {
    const listed = await read<{ data: Report[] }>('/api/v1/workspaces/harbour/access/people');
    expect(listed.data.map(({ name }) => name)).toEqual([
      'admin',
      'audi',
      'dev',
      'dora',
      'gus',
      'hanna',
      'nora',
      'olga',
      'tess',
    ]);
    expect(listed.data.find(({ name }) => name === 'tess')?.places.map(({ name }) => name)).toEqual(['tide']);
    expect((await get(slipway, '/api/v1/projects/crew/access/people/mona', slipway.adminKey)).status).toBe(
      404,
    );
    const page = await (await slipway.browser('hanna')).get('/enterprises/harbour/access');
    expect([page.status, page.text.includes('crew')]).toEqual([200, false]);
    for (const name of ['dev', 'tess', 'sam'])
      for (const path of [
        '/organizations/tide/access',
        '/enterprises/harbour/access',
        '/administration/access',
      ])
        for (const end of ['', '.csv', '.jsonl', `/${await idOf('gus')}`])
          expect([name, path, (await (await slipway.browser(name)).get(path + end)).status]).toEqual([
            name,
            path,
            404,
          ]);
    const first = await read<{ data: Report[]; next_cursor: string }>(
      '/api/v1/projects/tide/access/people?limit=2',
    );
    const rest = await read<{ data: Report[] }>(
      `/api/v1/projects/tide/access/people?cursor=${first.next_cursor}`,
    );
    expect([...first.data, ...rest.data].map(({ name }) => name)).toEqual([
      'admin',
      'audi',
      'dev',
      'dora',
      'gus',
      'nora',
      'olga',
      'tess',
    ]);
  });

  it('lists keys, links and invitations in pages of any size, without their secrets', async () => {
    const path = '/api/v1/workspaces/harbour/access/credentials';
    const { data: all } = await read<{ data: Credential[] }>(`${path}?limit=200`);
    expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(['page-link', 'scim-token', 'app-secret']));
    expect(all.filter(({ details }) => details === 'closed')).toHaveLength(4);
    const paged: Credential[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const asked = `${path}?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const page: { data: Credential[]; next_cursor: string | null } = await read(asked);
      paged.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(all);
    const keys = [...pages.values()].map((address) => address.split('/')[2] ?? '');
    expect(keys.filter((key) => JSON.stringify(all).includes(key))).toEqual([]);
  });

  it('revokes everything that a person has in a Workspace, and nothing else', async () => {
    const tess = await idOf('tess');
    const tide = await idOf('tide');
    const key = await slipway.projectKey('tide');
    await database.queries
      .updateTable('api_keys')
      .set({ created_by: tess })
      .where('owner_id', '=', tide)
      .execute();
    expect((await get(slipway, '/api/v1/me', key)).status).toBe(200);
    const report = await reportOn('tess', 'workspaces/harbour');
    expect(report.credentials.map(({ kind }) => kind)).toContain('key');
    const browser = await slipway.browser('tess');
    const hanna = await slipway.browser('hanna');
    expect((await browser.get('/organizations/tide')).status).toBe(200);
    // A link to a Project that she is not in.
    await slipway.project('basin', { workspace: 'harbour' });
    const link = await call('POST', '/api/v1/projects/basin/invite-links', { name: 'Launch', max_people: 9 });
    const join = `${new URL(json<{ url: string }>(link).url).pathname}/join`;
    const answer = await hanna.submit(`/enterprises/harbour/access/${tess}`, 'revoke', {});
    expect([answer.status, answer.headers.location]).toEqual([
      303,
      '/enterprises/harbour/access?done=revoked',
    ]);
    expect((await browser.get('/organizations/tide')).status).not.toBe(200);
    expect((await (await slipway.browser('tess')).post(join, {})).status).toBe(404);
    expect((await get(slipway, '/api/v1/me', key)).status).toBe(401);
    expect(await slipway.data.owners.teamsOf(tide, tess)).toEqual([]);
    expect(await slipway.data.owners.teamsOf(await idOf('crew'), tess)).toEqual(['tester']);
    expect(
      (await get(slipway, '/api/v1/workspaces/harbour/access/people/tess', slipway.adminKey)).status,
    ).toBe(404);
    const last = await call('POST', '/api/v1/workspaces/harbour/access/people/hanna/revoke', {});
    expect([last.status, last.text.includes('harbour')]).toEqual([409, true]);
  });
});
