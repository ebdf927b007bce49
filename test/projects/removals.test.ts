/** Anyone who is removed stays out: every way to remove someone ends memberships and withdraws open invitations. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPersonalInvitations } from '../../src/accounts/invitations/invite-user.ts';
import { createAppTesters } from '../../src/apps/testers/app-testers.ts';
import { createProjectPeople } from '../../src/projects/people/project-people.ts';
import { acceptInvitations } from '../support/accept-invitations.ts';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import { buildApk } from '../support/build-apk.ts';
import { type Answer, send } from '../support/http-client.ts';
import { bearer, uploaded } from '../support/interface-client.ts';
import { dialects } from '../support/test-database.ts';

const packageName = 'com.example.shared';
const app = `/api/users/olga/platforms/android/apps/${packageName}/members`;
const apiApp = `/api/v1/apps/olga/android/${packageName}`;
const people = ['ann', 'bea', 'cleo', 'dora', 'emma', 'fay', 'gia', 'hana'] as const;

describe.each(dialects)('people who are removed on %s', (dialect) => {
  let slipway: AccountsService;
  let key: string;
  let page: Awaited<ReturnType<AccountsService['browser']>>;
  beforeAll(async () => {
    slipway = await startAccountsService(dialect, people);
    key = await slipway.user('olga');
    await slipway.workspace('yard', 'olga');
    for (const name of ['crew', 'deck']) {
      await slipway.owners.createProject({
        name,
        description: '',
        workspaceName: name === 'deck' ? 'yard' : null,
        ownerName: 'olga',
        by: 'command-line',
      });
    }
    await uploaded(slipway, { owner: 'olga', key, file: buildApk({ packageName }) });
    page = await slipway.browser('olga');
  });
  afterAll(() => slipway.close());
  // Each case has the attempts of a new quarter of an hour.
  beforeEach(() => {
    slipway.clock.now += 16 * 60_000;
  });

  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  const call = (method: string, path: string, body: unknown = {}) =>
    send(slipway.port, path, {
      method,
      headers: {
        ...bearer(key),
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(JSON.stringify(body))),
      },
      body: JSON.stringify(body),
    });
  const answered = async (status: number, answer: Promise<Answer>) => {
    const { status: found, text } = await answer;
    expect([found, text]).toEqual([status, text]);
    return text === '' ? {} : JSON.parse(text);
  };
  const post = async (path: string, fields: Record<string, string>) =>
    page.post(path, { csrf: await page.csrf(), ...fields });
  const browserOf = async (name: string) => {
    const browser = await slipway.browser(name);
    return { post: async (path: string) => browser.post(path, { csrf: await browser.csrf() }) };
  };
  const invitationsOf = async (name: string) =>
    slipway.data.invitations.listOfUser(await idOf(name), slipway.clock.now, 9);
  const teamsIn = async (project: string, name: string) =>
    slipway.data.owners.teamsOf(await idOf(project), await idOf(name));
  const hasApp = async (name: string) => {
    const known = await slipway.data.apps.findApp(await idOf('olga'), 'android', packageName);
    return slipway.data.appTesters.has(known?.id ?? '', await idOf(name));
  };

  interface Place {
    add: (login: string) => Promise<unknown>;
    isIn: (name: string) => Promise<boolean>;
  }
  const places = {
    app: { add: (login: string) => answered(200, call('POST', app, { users: login })), isIn: hasApp },
    project: {
      add: (login: string) =>
        answered(200, call('POST', '/api/organizations/crew/members', { username: login })),
      isIn: async (name: string) => (await teamsIn('crew', name)).length > 0,
    },
    deck: {
      add: (login: string) =>
        answered(201, call('POST', '/api/enterprises/yard/organizations/deck/users', { user: login })),
      isIn: async (name: string) => (await teamsIn('deck', name)).length > 0,
    },
    workspace: {
      add: (login: string) =>
        answered(200, call('POST', '/api/v1/workspaces/yard/owners', { logins: [login] })),
      isIn: async (name: string) =>
        (
          await slipway.data.workspaces.rolesOf(
            (await slipway.data.owners.findWorkspace('yard'))?.id ?? '',
            await idOf(name),
          )
        ).length > 0,
    },
  } satisfies Record<string, Place>;

  /** Each returns whether it reports that someone was removed. */
  const ok = async (answer: Promise<Answer>) => [200, 204].includes((await answer).status);
  const ways: [keyof typeof places, string, (login: string) => Promise<boolean>][] = [
    ['app', 'DeployGate’s members', (login) => ok(call('DELETE', app, { users: `[${login}]` }))],
    ['app', '/api/v1', (login) => ok(call('POST', `${apiApp}/testers/${encodeURIComponent(login)}/remove`))],
    [
      'project',
      'DeployGate’s members',
      (login) => ok(call('DELETE', `/api/organizations/crew/members/${login}`)),
    ],
    [
      'project',
      'DeployGate’s tester team',
      (login) => ok(call('DELETE', `/api/organizations/crew/teams/tester/users/${login}`)),
    ],
    ['project', '/api/v1', (login) => ok(call('DELETE', `/api/v1/projects/crew/people/${login}`))],
    [
      'project',
      'the command line',
      async (userName) =>
        slipway.owners
          .removeFromTeam({ projectName: 'crew', team: 'tester', userName, by: 'command-line' })
          .catch(() => false),
    ],
    [
      'deck',
      'DeployGate’s users of a Project',
      (login) => ok(call('DELETE', `/api/enterprises/yard/organizations/deck/users/${login}`)),
    ],
    [
      'deck',
      'DeployGate’s users of the Workspace',
      async (login) =>
        (await answered(200, call('DELETE', `/api/enterprises/yard/users/${login}`))).message.includes(
          'was removed',
        ),
    ],
    ['workspace', '/api/v1', (login) => ok(call('POST', `/api/v1/workspaces/yard/owners/${login}/remove`))],
    [
      'workspace',
      'DeployGate’s users of the Workspace',
      async (login) =>
        (await answered(200, call('DELETE', `/api/enterprises/yard/users/${login}`))).message.includes(
          'was removed',
        ),
    ],
  ];

  it.each(ways)('lose an invitation, then access, to the %s through %s', async (kind, _way, remove) => {
    const place: Place = places[kind];
    expect(await remove('ann')).toBe(false);
    await place.add('ann');
    const [open] = await invitationsOf('ann');
    expect(await remove('ann')).toBe(true);
    expect(await invitationsOf('ann')).toEqual([]);
    const accepted = await (await browserOf('ann')).post(`/settings/invitations/${open?.id}/accept`);
    expect(accepted.status).toBe(404);
    expect(await remove('ann')).toBe(false);
    // By email address, after joining, with a disabled account.
    await place.add('ann');
    expect(await acceptInvitations(slipway, 'ann', () => slipway.clock.now)).toBe(1);
    expect(await place.isIn('ann')).toBe(true);
    await slipway.data.accountState.setDisabled(await idOf('ann'), 1);
    expect(await remove('ann@example.com')).toBe(true);
    await slipway.data.accountState.setDisabled(await idOf('ann'), null);
    expect(await place.isIn('ann')).toBe(false);
    expect(await remove('nobody@example.com').catch(() => false)).toBe(false);
    const revoked = { ownerId: null, action: 'invitation.revoked' };
    const [entry] = await slipway.data.audit.page(revoked, { limit: 1 });
    expect(entry?.subject).toMatch(/^ann: /);
  });

  it('are listed as long as their invitation is open, in every list of the place', async () => {
    for (const place of Object.values(places)) await place.add('bea');
    const lists: [string, string][] = [
      ['GET', app],
      ['GET', '/api/organizations/crew/members'],
      ['GET', '/api/organizations/crew/teams/tester/users'],
      ['GET', '/api/enterprises/yard/organizations/deck/users'],
      ['GET', '/api/enterprises/yard/users'],
      ['GET', '/api/enterprises/yard/users/bea'],
      ['GET', '/api/v1/projects/crew/invitations'],
      ['GET', `${apiApp}/invitations`],
      ['GET', '/api/v1/workspaces/yard/invitations'],
    ];
    const listed = async () => {
      const named: string[] = [];
      for (const [, path] of lists) {
        const { text } = await send(slipway.port, path, { headers: bearer(key) });
        if (/"(name|person)":"bea"/.test(text)) named.push(path);
      }
      return named;
    };
    expect(await listed()).toEqual(lists.map(([, path]) => path));
    for (const path of ['/api/v1/projects/crew', apiApp, '/api/v1/workspaces/yard'].map(
      (at) => `${at}/invitations`,
    )) {
      const { data } = await answered(200, send(slipway.port, path, { headers: bearer(key) }));
      await answered(204, call('POST', `${path}/${data[0].id}/revoke`));
      await answered(404, call('POST', `${path}/${data[0].id}/revoke`));
    }
    await answered(200, call('DELETE', '/api/enterprises/yard/users/bea'));
    expect(await listed()).toEqual([]);
    expect(await invitationsOf('bea')).toEqual([]);
  });

  it('stay as testers who leave another team of DeployGate’s API, and so does their invitation', async () => {
    const team = '/api/organizations/crew/teams/developer/users';
    await places.project.add('cleo');
    const invited = await answered(201, call('POST', team, { user: 'cleo' }));
    expect(invited.results).toBe('cleo was invited to developer');
    const teamOf = async () =>
      (await invitationsOf('cleo')).map(({ place }) => 'team' in place && place.team);
    expect(await teamOf()).toEqual(['developer']);
    await answered(200, call('DELETE', `${team}/cleo`));
    expect(await teamOf()).toEqual(['tester']);
    await answered(404, call('DELETE', `${team}/cleo`));
    await answered(200, call('DELETE', '/api/organizations/crew/members/cleo'));
    expect(await teamOf()).toEqual([]);
    await slipway.join('crew', 'developer', 'cleo');
    await answered(200, call('DELETE', `${team}/cleo`));
    expect(await teamsIn('crew', 'cleo')).toEqual(['tester']);
    const added = await answered(201, call('POST', team, { user: 'cleo' }));
    expect(added.results).toBe('cleo has been added to developer');
  });

  it('are removed all or not at all from an app, each named once', async () => {
    for (const login of ['dora', 'emma']) await places.app.add(login);
    const refused = await answered(404, call('DELETE', app, { users: 'dora,nobody,fay' }));
    expect(refused.message).toContain(`no access to ${packageName}: nobody, fay`);
    expect(await invitationsOf('dora')).toHaveLength(1);
    await answered(200, call('DELETE', app, { users: 'dora,DORA@example.com,emma' }));
    expect([await invitationsOf('dora'), await invitationsOf('emma')]).toEqual([[], []]);
  });

  it('cannot lose an invitation that has expired', async () => {
    await places.app.add('hana');
    const start = slipway.clock.now;
    slipway.clock.now += 365 * 24 * 60 * 60_000;
    expect((await call('DELETE', app, { users: 'hana' })).status).toBe(404);
    slipway.clock.now = start;
  });

  it('need a new link, unless they left on their own', async () => {
    const links = '/api/v1/projects/crew/invite-links';
    const group = await answered(201, call('POST', '/api/v1/owners/crew/groups', { name: 'Pilots' }));
    const create = async (fields: object = {}) => {
      const { url } = await answered(201, call('POST', links, { name: 'Launch', max_people: 50, ...fields }));
      return `${new URL(url).pathname}/join`;
    };
    const link = await create({ group: 'Pilots' });
    const fay = await browserOf('fay');
    const join = async (path: string) => (await fay.post(path)).status;
    expect(await join(link)).toBe(303);
    expect((await fay.post('/organizations/crew/people/leave')).status).toBe(303);
    expect(await join(link)).toBe(303);
    // Out of the group, which the link would bring back.
    await answered(204, call('POST', `/api/v1/owners/crew/groups/${group.id}/people/fay@example.com/remove`));
    expect(await join(link)).toBe(404);
    const { data } = await answered(
      200,
      send(slipway.port, `/api/v1/owners/crew/groups/${group.id}/people`, { headers: bearer(key) }),
    );
    expect(data).toEqual([]);
    const other = await create();
    expect((await post(`/organizations/crew/people/${await idOf('fay')}/remove`, {})).status).toBe(303);
    expect([await join(link), await join(other)]).toEqual([404, 404]);
    expect(
      (await slipway.browser('fay').then((browser) => browser.get(other.replace('/join', '')))).status,
    ).toBe(404);
    expect((await slipway.stranger.get(other.replace('/join', ''))).status).toBe(200);
    expect(await teamsIn('crew', 'fay')).toEqual([]);
    expect(await join(await create())).toBe(303);
  });

  it('do not come back with an invitation that they accept at the same moment', async () => {
    const { remove } = createProjectPeople({
      data: slipway.data,
      now: () => slipway.clock.now,
      canSendMail: true,
      wakeOutbox: () => undefined,
    });
    const { accept } = createPersonalInvitations({ data: slipway.data, now: () => slipway.clock.now });
    const testers = createAppTesters({
      data: slipway.data,
      now: () => slipway.clock.now,
      canSendMail: true,
    });
    const [project, olga, gia] = await Promise.all(
      ['crew', 'olga', 'gia'].map((name) => slipway.data.owners.findOwner(name)),
    );
    if (project?.kind !== 'project' || olga?.kind !== 'user' || gia?.kind !== 'user')
      throw new Error('no people');
    const shared = await slipway.data.apps.findApp(olga.id, 'android', packageName);
    if (!shared) throw new Error('no app');
    for (let round = 0; round < 20; round++) {
      for (const kind of ['project', 'app'] as const) {
        await places[kind].add('gia');
        const [open] = await invitationsOf('gia');
        const removal =
          kind === 'project'
            ? remove({ kind: 'user', user: olga }, project, { login: 'gia' })
            : testers.remove(olga, shared, { login: 'gia' });
        const acceptance = accept(gia, open?.id ?? '').catch(() => null);
        expect((await Promise.all([removal, acceptance]))[0]).toBe(true);
        expect(await places[kind].isIn('gia')).toBe(false);
        expect(await invitationsOf('gia')).toEqual([]);
      }
    }
  });

  describe('before they have an account', () => {
    const mailed: [keyof typeof places, string, string][] = [
      ['app', app, 'users'],
      ['project', '/api/organizations/crew/members', 'email'],
      ['deck', '/api/enterprises/yard/organizations/deck/users', 'user'],
    ];
    it.each(mailed)(
      'are invited to the %s by email, and lose that invitation by their address',
      async (kind, path, field) => {
        await slipway.letters();
        const address = `New.${kind}@example.org`;
        const added = await answered(kind === 'deck' ? 201 : 200, call('POST', path, { [field]: address }));
        expect(JSON.stringify(added)).toMatch(/invited/);
        expect(JSON.stringify(added)).not.toMatch(/was added|has been added/);
        const link = await slipway.linkInEmail(address);
        expect((await slipway.stranger.get(link)).status).toBe(200);
        expect((await send(slipway.port, path, { headers: bearer(key) })).text).toContain(
          `"name":"${address}"`,
        );
        const remove =
          kind === 'app'
            ? call('DELETE', path, { users: address.toLowerCase() })
            : call('DELETE', `${path}/${encodeURIComponent(address.toLowerCase())}`);
        await answered(200, remove);
        expect((await slipway.stranger.get(link)).status).toBe(404);
        const again =
          kind === 'app'
            ? call('DELETE', path, { users: address })
            : call('DELETE', `${path}/${encodeURIComponent(address)}`);
        expect((await again).status).toBe(kind === 'deck' ? 403 : 404);
      },
    );

    it('are invited once, join with the link, and lose another invitation to their address with their membership', async () => {
      const invite = (login: string) =>
        answered(200, call('POST', '/api/v1/projects/crew/people', { logins: [login], team: 'tester' }));
      const outcome = async (login: string) => (await invite(login)).people[0].outcome;
      expect([await outcome('late@example.org'), await outcome('LATE@example.org')]).toEqual([
        'invited',
        'pending',
      ]);
      const link = await slipway.linkInEmail('late@example.org');
      const password = 'correct horse battery';
      const made = await slipway.stranger.submit(link, 'create-account', {
        name: 'late',
        password,
        again: password,
      });
      expect([made.status, made.text]).toEqual([303, '']);
      expect(await teamsIn('crew', 'late')).toEqual(['tester']);
      const body = { team: 'developer', email: 'late@example.org' };
      await answered(201, call('POST', '/api/v1/projects/crew/invitations', body));
      const other = await slipway.linkInEmail('late@example.org');
      await answered(204, call('DELETE', '/api/v1/projects/crew/people/late'));
      expect((await slipway.stranger.get(other)).status).toBe(404);
    });

    it('keep the invitation of an address that differs in a letter beyond A to Z', async () => {
      await answered(200, call('POST', '/api/organizations/crew/members', { email: 'kay@example.org' }));
      // The Kelvin sign, which Unicode folds to a k.
      await answered(
        404,
        call('DELETE', `/api/organizations/crew/members/${encodeURIComponent('\u212Aay@example.org')}`),
      );
      await answered(200, call('DELETE', '/api/organizations/crew/members/KAY@example.org'));
    });

    it('are unknown to a Workspace, and to an app while their account is disabled', async () => {
      const owners = await answered(
        200,
        call('POST', '/api/v1/workspaces/yard/owners', { logins: ['x@example.org'] }),
      );
      expect(owners.people[0].outcome).toBe('unknown');
      await slipway.data.accountState.setDisabled(await idOf('hana'), 1);
      const hana = await answered(200, call('POST', `${apiApp}/testers`, { logins: ['hana@example.com'] }));
      expect(hana.people[0].outcome).toBe('unknown');
    });
  });

  it('may be absent from a Workspace, where programs expect them after a successful call', async () => {
    const path = '/api/enterprises/yard/users';
    await answered(201, call('POST', path, { user: 'gia' }));
    expect((await answered(200, call('DELETE', `${path}/gia`))).message).toBe('gia is not in yard');
    // Neither call reveals whether the account exists.
    expect((await answered(200, call('DELETE', `${path}/nobody`))).message).toBe('nobody is not in yard');
    await answered(403, call('DELETE', `${path}/olga`));
  });
});
