import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createData, type Data } from '../src/db/data.ts';
import { createOwnerOperations } from '../src/owners/create-owners.ts';
import type { User } from '../src/owners/owner.ts';
import { ownerQueries } from '../src/owners/owner-queries.ts';
import { buildApk } from '../test/support/build-apk.ts';
import { buildIpa, createSigningIdentity } from '../test/support/build-ipa.ts';
import { launchPostgres } from '../test/support/launch-servers.ts';
import { atMost, type Result } from './measure.ts';
import { openBenchData } from './open-bench-data.ts';
import {
  app,
  fileBytes,
  open,
  openEverything,
  probeMs,
  project,
  secret,
  signIn,
  watch,
} from './open-rights.ts';
import { benchKey, type RunningServer, startSlipway } from './run-server.ts';

const limitMs = 2000;
/** Other people, each with an event stream and a page that they reload. */
const otherPeople = 50;
const reloadMs = 1000;
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const ways = {
  'active: false': (path: string, scim: Ask) =>
    scim('PATCH', path, {
      schemas: [patchSchema],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    }),
  'PUT with "active": "False"': (path: string, scim: Ask, attributes: object) =>
    scim('PUT', path, { ...attributes, active: 'False' }),
  DELETE: (path: string, scim: Ask) => scim('DELETE', path),
};

type Ask = (method: string, path: string, body?: object) => Promise<Record<string, string>>;

export async function benchDeprovisioning(folder: string): Promise<Result[]> {
  const postgres = await launchPostgres();
  const nodes: RunningServer[] = [];
  try {
    const shared = {
      SLIPWAY_DATABASE_URL: postgres.facts,
      SLIPWAY_SECRET: secret,
      SLIPWAY_BLOB_URL: `file:${join(folder, 'deprovisioning-blobs')}`,
    };
    for (const port of ['18750', '18751']) {
      const own = { SLIPWAY_DATA_DIR: join(folder, `deprovisioning-${port}`), SLIPWAY_PORT: port };
      nodes.push(await startSlipway({ ...shared, ...own }));
    }
    const { database } = await openBenchData({ ...shared, SLIPWAY_DATA_DIR: join(folder, 'reader') });
    try {
      return await measureAll(nodes, createData(database));
    } finally {
      await database.close();
    }
  } finally {
    for (const node of nodes) await node.stop();
    await postgres.stop();
  }
}

async function measureAll(nodes: readonly RunningServer[], data: Data): Promise<Result[]> {
  const [first] = nodes as [RunningServer];
  const api = askerOf(`${first.origin}/api/v1`, benchKey);
  await api('POST', '/workspaces', { name: 'acme' });
  await api('POST', '/projects', { name: project, workspace: 'acme' });
  const { token = '' } = await api('POST', '/workspaces/acme/scim-tokens', { name: 'bench' });
  const scim = askerOf(`${first.origin}/scim/v2/acme`, token);
  await upload(first, buildApk({ packageName: 'com.example.tide', fillerBytes: fileBytes }));
  const accessKey = await upload(first, phoneBuild(), { distribution_name: 'main' });
  await api('PATCH', `/pages/${accessKey}`, { access: 'members' });
  const others = await keepBusy(nodes, data);
  const results: Result[] = [];
  for (const [way, deactivate] of Object.entries(ways)) {
    const attributes = personCalled(`leaver-${results.length}`);
    const { id = '' } = await scim('POST', '/Users', attributes);
    const user = await joinProject(data, attributes.userName, 'owner');
    const probes = await openEverything(nodes, data, user, accessKey);
    const waits = watch(probes);
    await pause(5 * probeMs);
    const since = performance.now();
    await deactivate(`/Users/${id}`, scim, attributes);
    for (const [what, ended] of await waits())
      results.push(atMost(`${way}: ${what}`, Math.max(0, ended - since), limitMs, ' ms'));
  }
  await others.end();
  return results;
}

function phoneBuild(): Buffer {
  const identity = createSigningIdentity();
  const profile = { type: 'enterprise', identity } as const;
  return buildIpa({ bundleIdentifier: 'com.example.phone', identity, profile });
}

const personCalled = (userName: string) => ({
  schemas: [userSchema],
  userName,
  emails: [{ value: `${userName}@acme.example`, primary: true }],
  active: true,
});

const askerOf =
  (base: string, token: string): Ask =>
  async (method, path, body) => {
    const answer = await fetch(base + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${base}${path}: ${answer.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };

/** Returns the access key of the page, if the fields name one. */
async function upload({ origin }: RunningServer, file: Buffer, fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([new Uint8Array(file)]), 'app');
  const headers = { Authorization: `Bearer ${benchKey}` };
  const answer = await fetch(`${origin}/api/users/${project}/apps`, { method: 'POST', headers, body: form });
  if (!answer.ok) throw new Error(`an upload was answered ${answer.status}: ${await answer.text()}`);
  const { results } = (await answer.json()) as { results: { distribution?: { access_key: string } } };
  return results.distribution?.access_key ?? '';
}

async function joinProject(data: Data, userName: string, team: 'owner' | 'tester'): Promise<User> {
  const owners = createOwnerOperations({ data, now: Date.now });
  const by = 'command-line';
  const known = await ownerQueries(data).findOwner(userName);
  const user =
    known ??
    (await owners.createUser({ name: userName, email: null, passwordHash: null, administrator: false, by }));
  if (user.kind !== 'user') throw new Error(`${userName} is no person`);
  await owners.addToTeam({ projectName: project, team, userName, by, notify: false });
  return user;
}

async function keepBusy(nodes: readonly RunningServer[], data: Data) {
  let isOver = false;
  const streams: IncomingMessage[] = [];
  const reloads: Promise<void>[] = [];
  for (let number = 0; number < otherPeople; number++) {
    const origin = nodes[number % nodes.length]?.origin ?? '';
    const { headers } = await signIn(data, await joinProject(data, `other-${number}`, 'tester'));
    streams.push(await open(`${origin}${app}/live`, headers));
    const reload = async () => {
      while (!isOver) {
        const answer = await fetch(origin + app, { headers: { ...headers, Accept: 'text/html' } });
        await answer.arrayBuffer();
        if (answer.status !== 200) throw new Error(`another person was answered ${answer.status}`);
        await pause(reloadMs);
      }
    };
    reloads.push(reload());
  }
  for (const stream of streams) stream.resume();
  return {
    end: async () => {
      isOver = true;
      await Promise.all(reloads);
      if (streams.some(({ complete, destroyed }) => complete || destroyed))
        throw new Error('a stream of another person ended');
      for (const stream of streams) stream.destroy();
    },
  };
}
