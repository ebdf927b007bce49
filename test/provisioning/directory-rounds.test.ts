/** People who leave a directory (a real OpenLDAP), and their groups. Skipped without it (`npm run setup:test-tools`). */
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createLdapDirectory,
  type DirectoryReader,
  type LdapDirectory,
} from '../../src/accounts/ldap/ldap-directory.ts';
import { groupLimits } from '../../src/accounts/ldap/ldap-groups.ts';
import type { LdapPerson } from '../../src/accounts/ldap/ldap-person.ts';
import { ProviderError } from '../../src/accounts/single-sign-on/oidc-provider.ts';
import { createClaimedGroups } from '../../src/provisioning/claimed-groups.ts';
import { createDirectoryRound } from '../../src/provisioning/directory-rounds.ts';
import { createGroupMappings } from '../../src/provisioning/group-mapping-changes.ts';
import { type AccountsService, browserAfter, startAccountsService } from '../support/accounts-service.ts';
import {
  attribute,
  entry,
  message,
  morePages,
  requests,
  result,
  startHostileDirectory,
} from '../support/hostile-directory.ts';
import { settleOutbox } from '../support/mail-service.ts';
import {
  directoryPassword,
  groupDn,
  groupEntry,
  hasSlapd,
  personDn,
  personEntry,
  type Slapd,
  startSlapd,
} from '../support/slapd.ts';

const numbered = Array.from({ length: 1_200 }, (_, index) => `person-${index}`);
const names = ['ada', 'bob', 'carol', 'dave'];
const hour = 60 * 60_000;

describe.skipIf(!hasSlapd)('synchronization with a directory', () => {
  let slapd: Slapd;
  let slipway: AccountsService;
  beforeAll(async () => {
    slapd = await startSlapd(
      [
        ...[...names, ...numbered].map((uid) => personEntry(uid)),
        groupEntry('team', [personDn('ada')]),
        groupEntry('department', [groupDn('team'), personDn('bob')]),
        groupEntry('company', [groupDn('department'), groupDn('circle')]),
        groupEntry('circle', [groupDn('company')]),
        ...Array.from({ length: groupLimits.depth + 1 }, (_, index) =>
          groupEntry(`deep-${index}`, [index === 0 ? personDn('carol') : groupDn(`deep-${index - 1}`)]),
        ),
      ].join(''),
    );
    slipway = await startAccountsService('sqlite', ['olga'], {
      settings: {
        ...slapd.settings,
        SLIPWAY_LDAP_SIGN_UP: 'open',
        SLIPWAY_LDAP_MAX_DEACTIVATED_PERCENT: '50',
      },
    });
    for (const login of names) await enter(login);
  });
  afterAll(async () => {
    await slipway.close();
    await slapd.close();
  });

  const enter = (login: string) =>
    slipway.stranger.post('/sign-in', { login, password: directoryPassword, to: '/settings' });
  const round = async () => {
    slipway.clock.now += hour;
    await settleOutbox(slipway);
  };
  const userOf = async (name: string) => {
    const user = await slipway.data.owners.findUser(name);
    if (!user) throw new Error(`no ${name}`);
    return user;
  };
  const disabled = async () => {
    const all = await slipway.data.identities.listHolders('ldap:');
    return all.filter(({ isDisabled }) => isDisabled).map(({ user }) => user.name);
  };
  const remove = (uid: string) => slapd.modify(`dn: ${personDn(uid)}\nchangetype: delete\n`);
  const add = (uid: string) =>
    slapd.modify(personEntry(uid).replace('objectClass', 'changetype: add\nobjectClass'));
  const directory = () => {
    const { ldap } = slipway.config;
    if (!ldap) throw new Error('not configured');
    return createLdapDirectory(ldap, { warn: () => undefined });
  };

  it('reads people in pages, beyond the limit of the server for one answer', async () => {
    const people = await directory().read((reader) => reader.listPeople());
    expect(people).toHaveLength(names.length + numbered.length);
  });

  it('finds groups in groups, and ends with cycles and with too many levels', async () => {
    const groupsOf = (login: string) =>
      directory().read(async (reader) => {
        const person = (await reader.listPeople()).find(({ identity }) => identity.names[0] === login);
        return person ? reader.groupsOf(person) : null;
      });
    expect((await groupsOf('ada'))?.sort()).toEqual(['circle', 'company', 'department', 'team'].map(groupDn));
    expect((await groupsOf('bob'))?.sort()).toEqual(['circle', 'company', 'department'].map(groupDn));
    expect(await groupsOf('carol')).toBeNull();
    expect(await groupsOf('dave')).toEqual([]);
  });

  it('signs in over StartTLS as well, and only with the right certificate', async () => {
    const { ldap } = slipway.config;
    if (!ldap) throw new Error('not configured');
    const port = Number(new URL(slapd.ldap).port);
    const silent = { warn: () => undefined };
    const upgraded = createLdapDirectory({ ...ldap, port, tls: 'starttls' }, silent);
    expect(await upgraded.authenticate({ login: 'ada' }, directoryPassword)).toMatchObject({
      identity: { names: ['ada', 'ada@example.com'] },
    });
    const wrong = createLdapDirectory({ ...ldap, port, tls: 'starttls', authorities: null }, silent);
    await expect(wrong.authenticate({ login: 'ada' }, directoryPassword)).rejects.toThrow(/certificate/);
    const named = createLdapDirectory({ ...ldap, host: '127.0.0.1' }, silent);
    await expect(named.authenticate({ login: 'ada' }, directoryPassword)).rejects.toThrow(/IP|certificate/);
  });

  it('applies rules for groups at each sign-in and in each round', async () => {
    await slipway.workspace('acme', 'olga');
    await slipway.project('crew', { workspace: 'acme', members: { olga: 'owner' } });
    const deps = { data: slipway.data, now: () => slipway.clock.now, wakeOutbox: () => undefined };
    const workspace = await slipway.data.owners.findWorkspace('acme');
    if (!workspace) throw new Error('no workspace');
    const admin = { kind: 'user', user: await userOf('admin') } as const;
    const name = 'CN=department, OU=groups, DC=example, DC=com';
    const directoryGroup = await createClaimedGroups(deps).assign(admin, workspace, { source: 'ldap', name });
    const target = { kind: 'team', project: 'crew', team: 'tester', group: null } as const;
    await createGroupMappings(deps).add({ kind: 'user', user: await userOf('olga') }, workspace, {
      directoryGroup,
      ...target,
    });
    const crew = (await slipway.data.owners.findOwner('crew'))?.id ?? '';
    const teams = async (who: string) => slipway.data.owners.teamsOf(crew, (await userOf(who)).id);
    await enter('ada');
    expect([await teams('ada'), await teams('bob')]).toEqual([['tester'], []]);
    await round();
    expect([await teams('ada'), await teams('bob'), await teams('dave')]).toEqual([
      ['tester'],
      ['tester'],
      [],
    ]);
    slapd.modify(
      `dn: ${groupDn('department')}\nchangetype: modify\ndelete: member\nmember: ${groupDn('team')}\n`,
    );
    await round();
    expect([await teams('ada'), await teams('bob')]).toEqual([[], ['tester']]);
  });

  it('disables the account of a person who left, and not of a new one with the name', async () => {
    const browser = await enter('dave');
    expect(browser.status).toBe(303);
    remove('dave');
    await round();
    expect(await disabled()).toEqual(['dave']);
    expect((await browserAfter(slipway, browser).get('/settings')).status).toBe(303);
    const audit = await slipway.data.audit.list((await userOf('dave')).id, 20);
    expect(audit.map(({ action }) => action)).toContain('account.disabled');
    add('dave');
    await round();
    expect(await disabled()).toEqual(['dave']);
  });

  it('deactivates nobody while the directory is down', async () => {
    await slapd.stop();
    await round();
    await slapd.start();
    expect(await disabled()).toEqual(['dave']);
  });

  it('deactivates nobody when too many are missing at once', async () => {
    for (const uid of ['ada', 'bob', 'carol']) remove(uid);
    await round();
    expect(await disabled()).toEqual(['dave']);
  });
});

describe('the safety rule of the synchronization', () => {
  let slipway: AccountsService;
  const subjects = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
  beforeAll(async () => {
    slipway = await startAccountsService(
      'sqlite',
      subjects.map((one) => `user-${one}`),
    );
    for (const subject of subjects) {
      const user = await slipway.data.owners.findUser(`user-${subject}`);
      const identity = { issuer: 'ldap:', subject, label: subject, userId: user?.id ?? '', createdAt: 1 };
      await slipway.data.identities.insertIdentity(identity);
    }
    const admin = await slipway.data.owners.findUser('admin');
    const own = { issuer: 'ldap:', subject: 'admin', label: 'admin', userId: admin?.id ?? '', createdAt: 1 };
    await slipway.data.identities.insertIdentity(own);
  });
  afterAll(() => slipway.close());

  const person = (subject: string, isDisabled = false): LdapPerson => ({
    identity: { issuer: 'ldap:', subject, email: null, emailConfirmed: false, label: subject, names: [] },
    isDisabled,
  });
  const logged: string[] = [];
  const reasons: unknown[] = [];
  afterEach(() => void vi.useRealTimers());
  /** `there`: who the directory has; `listed`: who it lists. */
  const run = async (there: readonly LdapPerson[], listed: readonly LdapPerson[] | Error = there) => {
    const reader: DirectoryReader = {
      listPeople: async () => {
        if (listed instanceof Error) throw listed;
        return [...listed];
      },
      findPerson: async (subject) => there.find(({ identity }) => identity.subject === subject) ?? null,
      groupsOf: async () => [],
    };
    const ldap: LdapDirectory = {
      name: 'LDAP',
      authenticate: async () => ({ kind: 'wrong' }),
      countPeople: async () => there.length,
      read: (work) => work(reader),
    };
    return runWith(ldap);
  };
  const runWith = async (ldap: LdapDirectory) => {
    const { data, clock } = slipway;
    await createDirectoryRound({
      data,
      ldap,
      config: { syncIntervalMs: hour, maxDeactivatedPercent: 20 },
      groups: { assigned: async () => null, apply: async () => undefined },
      now: () => clock.now,
      log: {
        warn: (fields, message) => {
          logged.push(message);
          reasons.push((fields as { reason?: unknown }).reason);
        },
      },
    })({ kind: 'directory-round' }, '');
    const all = await data.identities.listHolders('ldap:');
    return all.filter(({ isDisabled }) => isDisabled).map(({ subject }) => subject);
  };
  const everyone = [...subjects, 'admin'].map((subject) => person(subject));
  const without = (...gone: string[]) => everyone.filter(({ identity }) => !gone.includes(identity.subject));

  it('deactivates nobody after an error, an empty answer, or one without a large share', async () => {
    expect(await run([], new ProviderError('unreachable', 'down'))).toEqual([]);
    expect(await run([])).toEqual([]);
    expect(await run(without('a', 'b', 'c'))).toEqual([]);
    expect(logged).toEqual([
      expect.stringContaining('could not be read'),
      expect.stringContaining('too many'),
      expect.stringContaining('too many'),
    ]);
  });

  const silent = { warn: () => undefined };
  /** Binds work, and `answer` handles searches. */
  const runAt = async (answer: (id: number, socket: Socket) => void) => {
    const hostile = await startHostileDirectory(({ id, operation }, socket) =>
      operation === requests.bind ? void socket.write(message(id, result(0x61, 0))) : answer(id, socket),
    );
    onTestFinished(() => hostile.close());
    return runWith(createLdapDirectory(hostile.config, silent));
  };
  const one = entry('uid=a', attribute('entryUUID', 'a'), attribute('uid', 'a'));
  const page = (id: number, count: number) =>
    Buffer.concat([...Array(count).fill(message(id, one)), message(id, result(0x65, 0), morePages)]);

  it.each<[string, string, (id: number, socket: Socket, search: number) => void]>([
    [
      'dies in the middle of a page',
      'closed|ended|reset',
      (id, socket, search) => {
        socket.write(search === 0 ? page(id, 2) : page(id, 2).subarray(0, -5), () => {
          if (search > 0) socket.destroy();
        });
      },
    ],
    [
      'sends garbage after a page',
      'malformed',
      (id, socket, search) => void socket.write(search === 0 ? page(id, 2) : Buffer.from('HTTP/1.1 500\r\n')),
    ],
    [
      'answers a later page with an error',
      'Busy',
      (id, socket, search) => void socket.write(search === 0 ? page(id, 2) : message(id, result(0x65, 51))),
    ],
    ['sends pages without end', 'too many people', (id, socket) => void socket.write(page(id, 500))],
  ])('deactivates nobody when the directory %s', async (_, reason, answer) => {
    let searches = 0;
    expect(await runAt((id, socket) => answer(id, socket, searches++))).toEqual([]);
    expect(logged.at(-1)).toContain('could not be read');
    expect(String(reasons.at(-1))).toMatch(new RegExp(reason, 'i'));
  });

  it.each(['never answers', 'sends one page after the other, slowly'])(
    'ends when the directory %s',
    async (what) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      let searches = 0;
      const round = runAt((id, socket) => {
        searches++;
        if (what !== 'never answers') socket.write(page(id, 1));
      });
      let ended: string[] | null = null;
      void round.then((disabled) => {
        ended = disabled;
      });
      while (searches === 0) await new Promise((resolve) => setImmediate(resolve));
      while (ended === null) {
        await vi.advanceTimersByTimeAsync(9_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(ended).toEqual([]);
      expect(String(reasons.at(-1))).toMatch(/slow|timed out/i);
    },
  );

  it('asks again for each person who is missing, because a list can be cut off', async () => {
    expect(await run(everyone, without('a', 'b'))).toEqual([]);
  });

  it('deactivates people who are gone or disabled, and enables only those whom it disabled', async () => {
    expect(await run([...without('a', 'b'), person('b', true)])).toEqual(['a', 'b']);
    const c = await slipway.data.owners.findUser('user-c');
    await slipway.data.accountState.setDisabled(c?.id ?? '', 1);
    expect(await run(everyone)).toEqual(['c']);
  });

  it('never deactivates the last administrator', async () => {
    expect(await run(without('admin'))).toEqual(['c']);
    expect(logged.at(-1)).toContain('stays');
  });
});
