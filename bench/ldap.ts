/** The time in which 5,000 people and 500 groups of a real OpenLDAP are synchronized, on both databases. No results without OpenLDAP. */
import { join } from 'node:path';
import { createLdapDirectory } from '../src/accounts/ldap/ldap-directory.ts';
import { identityQueries } from '../src/accounts/single-sign-on/identity-queries.ts';
import { ldapIssuer } from '../src/accounts/single-sign-on/provider-identity.ts';
import { readConfig } from '../src/config.ts';
import { createData, type Data } from '../src/db/data.ts';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { createOwnerOperations } from '../src/owners/create-owners.ts';
import { ownerQueries } from '../src/owners/owner-queries.ts';
import { claimedGroupQueries } from '../src/provisioning/claimed-group-queries.ts';
import { createClaimedGroups, createGroupClaims } from '../src/provisioning/claimed-groups.ts';
import { createDirectoryRound } from '../src/provisioning/directory-rounds.ts';
import { createGroupMappings } from '../src/provisioning/group-mapping-changes.ts';
import { launchPostgres } from '../test/support/launch-servers.ts';
import {
  groupDn,
  groupEntry,
  hasSlapd,
  personDn,
  personEntry,
  type Slapd,
  startSlapd,
} from '../test/support/slapd.ts';
import { atMost, type Result, round } from './measure.ts';

const people = 5_000;
const groups = 500;
const membersOfGroup = 50;
/** Groups that contain ten others. */
const departments = 50;
/** Groups that a rule maps to the tester team of a Project: two departments, and others. */
const mappedGroups = [0, 1, ...Array.from({ length: 18 }, (_, at) => departments + at * 20)];
const limitSeconds = 60;

export async function benchLdap(folder: string): Promise<Result[]> {
  if (!hasSlapd) return [];
  const slapd = await startSlapd(
    [
      ...numbers(people).map((number) => personEntry(`person-${number}`)),
      ...numbers(groups).map((number) => groupEntry(`group-${number}`, membersOf(number))),
    ].join(''),
  );
  const postgres = await launchPostgres();
  try {
    return [
      ...(await measure(slapd, 'SQLite', join(folder, 'ldap.sqlite'), null)),
      ...(await measure(slapd, 'PostgreSQL', join(folder, 'ldap'), postgres.facts)),
    ];
  } finally {
    await postgres.stop();
    await slapd.close();
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

function membersOf(number: number): string[] {
  const own = numbers(membersOfGroup).map((at) => personDn(`person-${(number * 37 + at * 11) % people}`));
  const below = numbers(number < departments ? 10 : 0).map((at) =>
    groupDn(`group-${departments + ((number * 10 + at) % (groups - departments))}`),
  );
  return [...own, ...below];
}

async function measure(
  slapd: Slapd,
  name: string,
  folder: string,
  postgres: string | null,
): Promise<Result[]> {
  const database = postgres ?? `sqlite:${folder}`;
  const config = readConfig({ ...slapd.settings, SLIPWAY_DATA_DIR: folder, SLIPWAY_DATABASE_URL: database });
  if (!config.ldap) throw new Error('not configured');
  const opened = await openDatabase(config.database);
  try {
    await migrate(opened);
    const data = createData(opened);
    const log = { warn: (fields: object, message: string) => console.error(message, fields) };
    const ldap = createLdapDirectory(config.ldap, log);
    const listed = await ldap.read((reader) => reader.listPeople());
    const subjects = listed.map(({ identity }) => identity.subject);
    await fill(data, subjects);
    const parts = { data, now: Date.now, wakeOutbox: () => undefined };
    const run = createDirectoryRound({
      ...{ data, ldap, config: config.ldap, groups: createGroupClaims(parts), now: Date.now, log },
    });
    const pass = async () => {
      const [before, cpu] = [performance.now(), process.cpuUsage()];
      await run({ kind: 'directory-round' }, '');
      const { user, system } = process.cpuUsage(cpu);
      return { seconds: (performance.now() - before) / 1000, cpu: round((user + system) / 1e6) };
    };
    const [first, again] = [await pass(), await pass()];
    const what = `LDAP, ${name}: ${people} people and ${groups} groups`;
    const note = ({ cpu }: { cpu: string }) => `${cpu} s of processor time`;
    return [
      atMost(`${what}, first`, first.seconds, limitSeconds, ' s', note(first)),
      atMost(`${what}, nothing changed`, again.seconds, limitSeconds, ' s', note(again)),
    ];
  } finally {
    await opened.close();
  }
}

/** Accounts of all people, and rules for some groups. */
async function fill(data: Data, subjects: readonly string[]): Promise<void> {
  const now = Date.now();
  const owners = createOwnerOperations({ data, now: Date.now });
  const admin = await owners.createUser({
    ...{ name: 'admin', email: null, passwordHash: null, administrator: true, by: 'command-line' },
  });
  await data.transaction(async (tx) => {
    for (const [number, subject] of subjects.entries()) {
      const { id: userId } = await ownerQueries(tx).insertUser({
        ...{ name: `person-${number}`, email: `person-${number}@example.com`, passwordHash: null },
        ...{ mustChangePassword: false, emailConfirmed: true, administrator: false, createdAt: now },
      });
      const identity = { issuer: ldapIssuer, subject, label: subject, userId, createdAt: now };
      await identityQueries(tx).insertIdentity(identity);
    }
  });
  const workspace = await owners.createWorkspace({
    ...{ name: 'acme', displayName: null, iconUrl: null, ownerName: 'admin', by: 'command-line' },
  });
  await owners.createProject({
    ...{ name: 'tide', description: '', workspaceName: 'acme', ownerName: 'admin', by: 'command-line' },
  });
  const by = { kind: 'user', user: admin } as const;
  const parts = { data, now: Date.now, wakeOutbox: () => undefined };
  for (const number of mappedGroups) {
    const group = { source: 'ldap', name: groupDn(`group-${number}`) } as const;
    const directoryGroup = await createClaimedGroups(parts).assign(by, workspace, group);
    await createGroupMappings(parts).add(by, workspace, {
      ...{ directoryGroup, kind: 'team', project: 'tide', team: 'tester', group: null },
    });
  }
  if (!(await claimedGroupQueries(data).hasAny('ldap'))) throw new Error('no group is assigned');
}
