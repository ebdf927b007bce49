/** The time in which a directory of 5,000 people and 500 groups is synchronized over SCIM, on both databases. */
import { join } from 'node:path';
import { launchPostgres } from '../test/support/launch-servers.ts';
import { atMost, type Result, round } from './measure.ts';
import { benchKey, cpuSecondsOf, memoryOf, type RunningServer, startSlipway } from './run-server.ts';

const people = 5_000;
const groups = 500;
const membersOfGroup = 50;
/** Groups that a rule maps to the tester team of a Project. */
const mappedGroups = 20;
const connections = 8;
const limitSeconds = 60;

const schema = (name: string) => `urn:ietf:params:scim:schemas:core:2.0:${name}`;

export async function benchDirectory(folder: string): Promise<Result[]> {
  const postgres = await launchPostgres();
  try {
    return [
      ...(await measure('SQLite', { SLIPWAY_DATA_DIR: join(folder, 'directory-sqlite') })),
      ...(await measure('PostgreSQL', {
        SLIPWAY_DATA_DIR: join(folder, 'directory-postgres'),
        SLIPWAY_DATABASE_URL: postgres.facts,
      })),
    ];
  } finally {
    await postgres.stop();
  }
}

async function measure(database: string, settings: Record<string, string>): Promise<Result[]> {
  const slipway = await startSlipway({ ...settings, SLIPWAY_PORT: '18749' });
  try {
    const scim = await openDirectory(slipway);
    const first = await seconds(() => synchronize(slipway, scim));
    const cpu = round(cpuSecondsOf(slipway.pid));
    const again = await seconds(() => compare(scim));
    const what = `${database}: ${people} people and ${groups} groups`;
    const memory = `${round(memoryOf(slipway.pid).nowBytes / 1024 / 1024)} MiB`;
    return [
      atMost(`${what}, first`, first, limitSeconds, ' s', `${cpu} s of processor time, ${memory}`),
      atMost(`${what}, nothing changed`, again, limitSeconds, ' s'),
    ];
  } finally {
    await slipway.stop();
  }
}

const seconds = async (work: () => Promise<void>) => {
  const before = performance.now();
  await work();
  return (performance.now() - before) / 1000;
};

type Scim = (method: string, path: string, body?: object) => Promise<{ id: string; totalResults: number }>;

async function request(address: string, token: string, method: string, body?: object) {
  const answer = await fetch(address, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${address}: ${answer.status} ${text}`);
  return text === '' ? {} : JSON.parse(text);
}

const api = (slipway: RunningServer, path: string, body: object) =>
  request(`${slipway.origin}/api/v1${path}`, benchKey, 'POST', body);

async function openDirectory(slipway: RunningServer): Promise<Scim> {
  await api(slipway, '/workspaces', { name: 'acme' });
  await api(slipway, '/projects', { name: 'tide', workspace: 'acme' });
  const { token } = await api(slipway, '/workspaces/acme/scim-tokens', { name: 'bench' });
  return (method, path, body) => request(`${slipway.origin}/scim/v2/acme${path}`, token, method, body);
}

const person = (number: number) => ({
  schemas: [schema('User')],
  userName: `person.${number}@acme.example`,
  externalId: `00u${number}`,
  displayName: `Person ${number}`,
  name: { givenName: 'Person', familyName: String(number) },
  emails: [{ value: `person.${number}@acme.example`, type: 'work', primary: true }],
  active: true,
});

const ids: string[] = [];
const groupIds: string[] = [];
const membersOf = (number: number) =>
  Array.from({ length: membersOfGroup }, (_, at) => ({ value: ids[(number * 37 + at * 11) % people] }));
const group = (number: number) => ({
  schemas: [schema('Group')],
  displayName: `Group ${number}`,
  members: membersOf(number),
});

async function synchronize(slipway: RunningServer, scim: Scim): Promise<void> {
  await each(people, async (number) => {
    await scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${person(number).userName}"`)}`);
    ids[number] = (await scim('POST', '/Users', person(number))).id;
  });
  await each(groups, async (number) => {
    groupIds[number] = (await scim('POST', '/Groups', { ...group(number), members: [] })).id;
  });
  await each(mappedGroups, (number) =>
    api(slipway, '/workspaces/acme/group-rules', {
      ...{ directory_group: groupIds[number], kind: 'team', project: 'tide', team: 'tester' },
    }),
  );
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
  await each(groups, (number) =>
    scim('PATCH', `/Groups/${groupIds[number]}`, {
      schemas,
      Operations: [{ op: 'add', path: 'members', value: membersOf(number) }],
    }),
  );
}

async function compare(scim: Scim): Promise<void> {
  await each(people, async (number) => {
    const filter = encodeURIComponent(`userName eq "${person(number).userName}"`);
    const { totalResults } = await scim('GET', `/Users?filter=${filter}`);
    if (totalResults !== 1) throw new Error(`person ${number} was found ${totalResults} times`);
    await scim('PUT', `/Users/${ids[number]}`, person(number));
  });
  await each(groups, (number) => scim('PUT', `/Groups/${groupIds[number]}`, group(number)));
}

/** Over a few connections, as providers do. */
async function each(count: number, work: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const connection = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: connections }, connection));
}
