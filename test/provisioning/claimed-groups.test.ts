/** Groups that a provider of sign-in claims, and what the rules of Workspaces make of them: here, of SAML. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identityOf } from '../../src/accounts/single-sign-on/provider-identity.ts';
import { claimedGroupQueries } from '../../src/provisioning/claimed-group-queries.ts';
import { createClaimedGroups } from '../../src/provisioning/claimed-groups.ts';
import { createGroupMappings } from '../../src/provisioning/group-mapping-changes.ts';
import { groupMappingQueries } from '../../src/provisioning/group-mapping-queries.ts';
import {
  type AccountsService,
  browserWith,
  leadsTo,
  startAccountsService,
} from '../support/accounts-service.ts';
import { openDirectory } from '../support/directory-client.ts';
import { type OidcServer, signInAtProvider, startOidcServer } from '../support/oidc-provider-server.ts';
import { answer, encode } from '../support/saml-provider.ts';
import { type SamlService, startSamlService } from '../support/saml-service.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('groups that a provider claims, on %s', (dialect) => {
  let saml: SamlService;
  let workspaceId = '';
  let testers = '';
  beforeAll(async () => {
    saml = await startSamlService(dialect, ['olga'], {
      settings: {
        SLIPWAY_SAML_SIGN_UP: 'open',
        SLIPWAY_SAML_CONFIRMS_EMAIL: 'on',
        SLIPWAY_SAML_ATTRIBUTES: 'groups=memberOf',
      },
    });
    const { slipway } = saml;
    await slipway.workspace('acme', 'olga');
    await slipway.project('crew', { workspace: 'acme', members: { olga: 'owner' } });
    await slipway.project('other', { members: { olga: 'owner' } });
    workspaceId = (await slipway.data.owners.findWorkspace('acme'))?.id ?? '';
    const crew = (await slipway.data.owners.findOwner('crew'))?.id ?? '';
    testers = await slipway.data.groups.insertGroup({ ownerId: crew, name: 'QA', now: 1 });
  });
  afterAll(() => saml.close());

  const actor = async (name: string) => {
    const user = await saml.slipway.data.owners.findUser(name);
    if (!user) throw new Error(`no ${name}`);
    return { kind: 'user', user } as const;
  };
  const workspace = async () => {
    const found = await saml.slipway.data.owners.findWorkspace('acme');
    if (!found) throw new Error('no workspace');
    return found;
  };
  const deps = () => ({
    data: saml.slipway.data,
    now: () => saml.slipway.clock.now,
    wakeOutbox: () => undefined,
  });
  const assign = async (name: string, by = 'admin') =>
    createClaimedGroups(deps()).assign(await actor(by), await workspace(), { source: 'saml', name });
  const addRule = async (
    directoryGroup: string,
    target: { team: 'tester' | 'developer' } | { group: string } | 'owners',
  ) => {
    const request = { directoryGroup, project: 'crew', team: null, group: null };
    const chosen =
      target === 'owners'
        ? ({ ...request, kind: 'owners' } as const)
        : 'team' in target
          ? ({ ...request, kind: 'team', team: target.team } as const)
          : ({ ...request, kind: 'testers', group: target.group } as const);
    return createGroupMappings(deps()).add(await actor('olga'), await workspace(), chosen);
  };
  const enter = async (nameId: string, groups: readonly string[] | null) => {
    const way = await saml.begin();
    const value = groups?.join('</saml:AttributeValue><saml:AttributeValue>') ?? '';
    const attributes = [
      ['email', `${nameId}@example.com`],
      ['uid', nameId],
      ...(groups === null ? [] : [['memberOf', value]]),
    ] as [string, string][];
    const posted = await saml.post(
      encode(answer(saml.provider, { nameId, inResponseTo: way.id, attributes })),
    );
    const entered = await saml.finish(posted, way.cookie);
    expect(entered.status).toBe(303);
  };
  const teamsOf = async (name: string) => {
    const crew = (await saml.slipway.data.owners.findOwner('crew'))?.id ?? '';
    const id = (await saml.slipway.data.owners.findOwner(name))?.id ?? '';
    return saml.slipway.data.owners.teamsOf(crew, id);
  };
  const isTester = async (name: string) =>
    (await saml.slipway.data.groups.listPeople(testers, 99)).some((one) => one.name === name);

  it('are assigned to a Workspace by administrators only', async () => {
    await expect(assign('staff', 'olga')).rejects.toThrow('only administrators');
    await assign('Staff');
    await expect(assign('STAFF ')).rejects.toThrow('has this group');
  });

  it('grant what rules say, and nothing without an assigned group or a rule', async () => {
    await enter('ada', ['Staff', 'QA people', 'Everyone']);
    expect(await teamsOf('ada')).toEqual([]);
    const qa = await assign('QA people');
    const rule = await addRule(qa, { group: testers });
    // What the provider said before the group was assigned is not known.
    expect(await isTester('ada')).toBe(false);
    await enter('ada', ['staff', 'qa people']);
    expect([await isTester('ada'), await teamsOf('ada')]).toEqual([true, ['tester']]);
    const user = (await actor('ada')).user;
    expect(await groupMappingQueries(saml.slipway.data).grantsOf(workspaceId, user.id)).toMatchObject([
      { id: rule, createdBy: 'olga', group: { source: 'saml' } },
    ]);
  });

  it('apply at once to everyone in the group when a rule is added, and end with it', async () => {
    const [staff] = (await claimedGroupQueries(saml.slipway.data).list(workspaceId)).filter(
      ({ name }) => name === 'Staff',
    );
    const rule = await addRule(staff?.id ?? '', { team: 'developer' });
    expect((await teamsOf('ada')).sort()).toEqual(['developer', 'tester']);
    await createGroupMappings(deps()).remove(await actor('olga'), await workspace(), rule);
    expect(await teamsOf('ada')).toEqual(['tester']);
    await addRule(staff?.id ?? '', { team: 'developer' });
  });

  it('take back only what they gave, when the provider no longer claims them', async () => {
    await saml.slipway.join('crew', 'tester', 'olga');
    await enter('bob', ['Staff', 'QA people']);
    await saml.slipway.join('other', 'tester', 'bob');
    await enter('bob', ['Staff']);
    expect([await isTester('bob'), await teamsOf('bob')]).toEqual([false, ['developer']]);
    await enter('bob', null);
    expect(await teamsOf('bob')).toEqual([]);
    const other = (await saml.slipway.data.owners.findOwner('other'))?.id ?? '';
    expect(await saml.slipway.data.owners.teamsOf(other, (await actor('bob')).user.id)).toEqual(['tester']);
    const audit = await saml.slipway.data.audit.list(
      (await saml.slipway.data.owners.findOwner('crew'))?.id ?? '',
      40,
    );
    expect(
      audit
        .filter(({ subject }) => subject.startsWith('bob'))
        .map(({ actorName, action }) => `${actorName} ${action}`),
    ).toEqual(
      expect.arrayContaining([
        'single-sign-on group.joined',
        'single-sign-on group.left',
        'single-sign-on team.joined',
      ]),
    );
  });

  it('change nothing when the provider has too many for its message', async () => {
    await enter('carol', ['Staff']);
    const way = await saml.begin();
    const attributes = [
      ['http://schemas.microsoft.com/claims/groups.link', 'https://graph.example/carol'],
    ] as const;
    await saml.finish(
      await saml.post(encode(answer(saml.provider, { nameId: 'carol', inResponseTo: way.id, attributes }))),
      way.cookie,
    );
    expect(await teamsOf('carol')).toEqual(['developer']);
  });

  it('do not bring back whom the directory of the Workspace deactivated', async () => {
    const directory = await openDirectory(saml.slipway, 'acme');
    await saml.slipway.user('dave');
    await saml.slipway.join('crew', 'tester', 'dave');
    const dave = await directory.create('Users', {
      userName: 'dave@example.com',
      emails: [{ value: 'dave@example.com' }],
      active: false,
    });
    expect(dave).toMatchObject({ active: false });
    await enter('dave', ['Staff']);
    expect(await teamsOf('dave')).toEqual([]);
  });

  it('are removed from a Workspace with everything they gave', async () => {
    expect(await teamsOf('carol')).toEqual(['developer']);
    for (const { id } of await claimedGroupQueries(saml.slipway.data).list(workspaceId))
      await createClaimedGroups(deps()).remove(await actor('admin'), await workspace(), id);
    expect([await teamsOf('carol'), await teamsOf('ada'), await isTester('ada')]).toEqual([[], [], false]);
    expect(await groupMappingQueries(saml.slipway.data).list(workspaceId)).toEqual([]);
  });
});

describe('groups of a real provider of OpenID Connect', () => {
  let provider: OidcServer;
  let slipway: AccountsService;
  beforeAll(async () => {
    provider = await startOidcServer();
    slipway = await startAccountsService('sqlite', ['olga'], {
      mail: false,
      settings: {
        ...provider.settings,
        SLIPWAY_OIDC_SIGN_UP: 'open',
        SLIPWAY_OIDC_SCOPES: 'groups',
        SLIPWAY_OIDC_GROUPS_CLAIM: 'groups',
      },
    });
    provider.allow(`${slipway.origin}/sign-in/sso/callback`);
  });
  afterAll(async () => {
    await slipway.close();
    await provider.close();
  });

  it('put people into teams at each sign-in, and out again', async () => {
    await slipway.workspace('acme', 'olga');
    await slipway.project('crew', { workspace: 'acme', members: { olga: 'owner' } });
    const deps = { data: slipway.data, now: () => slipway.clock.now, wakeOutbox: () => undefined };
    const actorOf = async (name: string) => {
      const user = await slipway.data.owners.findUser(name);
      if (!user) throw new Error(`no ${name}`);
      return { kind: 'user', user } as const;
    };
    const workspace = await slipway.data.owners.findWorkspace('acme');
    if (!workspace) throw new Error('no workspace');
    const staff = await createClaimedGroups(deps).assign(await actorOf('admin'), workspace, {
      source: 'oidc',
      name: 'Staff',
    });
    const rule = {
      directoryGroup: staff,
      project: 'crew',
      group: null,
      kind: 'team',
      team: 'developer',
    } as const;
    await createGroupMappings(deps).add(await actorOf('olga'), workspace, rule);
    const teamsAfter = async (groups: readonly string[]) => {
      provider.people.set('ada', { email: 'ada@example.com', email_verified: true, groups });
      const begun = await slipway.stranger.get('/sign-in/sso');
      const { pathname, search } = new URL(await signInAtProvider(leadsTo(begun), 'ada'));
      const way = browserWith(slipway, begun.headers['set-cookie']?.[0]?.split(';')[0] ?? '');
      expect((await way.get(`${pathname}${search}`)).status).toBe(303);
      const [crew, ada] = [
        await slipway.data.owners.findOwner('crew'),
        await slipway.data.owners.findOwner('ada'),
      ];
      return slipway.data.owners.teamsOf(crew?.id ?? '', ada?.id ?? '');
    };

    expect(await teamsAfter(['Other', 'staff'])).toEqual(['developer']);
    expect(await teamsAfter(['Other'])).toEqual([]);
    expect(await teamsAfter(['Staff'])).toEqual(['developer']);
    expect(await teamsAfter([])).toEqual([]);
  });
});

describe('the groups claim of OpenID Connect', () => {
  const token = { iss: 'https://login.example.com', sub: 'ada' };
  const groupsIn = (claims: object, more: object = {}) =>
    identityOf({ ...token, ...claims }, { ...more }, 'groups')?.groups;

  it('is a list or one name, and none when it is missing', () => {
    expect(groupsIn({ groups: ['a', 'b', '', 7, 'bad\u0000'] })).toEqual(['a', 'b']);
    expect(groupsIn({ groups: 'a' })).toEqual(['a']);
    expect(groupsIn({}, { groups: ['c'] })).toEqual(['c']);
    expect(groupsIn({})).toEqual([]);
    expect(identityOf({ ...token, groups: ['a'] })?.groups).toBeUndefined();
  });

  it('is unknown when the token says that there are too many', () => {
    expect(groupsIn({ _claim_names: { groups: 'src1' } })).toBeNull();
    expect(groupsIn({ hasgroups: true })).toBeNull();
  });
});
