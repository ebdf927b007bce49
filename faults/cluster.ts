/**
 * Three nodes serve the same clients: the first is frozen in a transaction for longer than a lease, the clock of the second is six minutes
 * ahead, and the third is killed and restarted. The clock stops first in the end, so that nobody but the others can do what it has planned.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { leaseMs } from '../src/claims/claim.ts';
import type { ServerProcess } from '../test/support/run-cli.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../test/support/webhook-receiver.ts';
import { ask, deleteBuild, pagesOf, signIn, upload } from './client.ts';
import { addProject, freezeInTransaction, frozenName } from './frozen.ts';
import { adminKey, adminPassword, createGround, type Ground } from './ground.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { randomApk, randomBundle } from './people.ts';
import {
  isUnavailable,
  nodeSettings,
  type Outcome,
  outcomeOf,
  type Scenario,
  type ScenarioRun,
  until,
} from './scenario.ts';
import { checkNow, settleAndCheck } from './settle.ts';

export const cluster: Scenario = {
  name: 'cluster',
  about: 'three nodes: one frozen for longer than a lease, one six minutes ahead, one killed and restarted',
  stores: ['postgres+disk', 'postgres+s3'],
  run: runCluster,
};

const aheadMs = 6 * 60_000;
/** Shifts the clock of a process, as on a machine with the wrong time. */
const shiftedClock = `globalThis.Date = new Proxy(Date, {
  construct: (date, args, target) => Reflect.construct(date, args.length > 0 ? args : [date.now() + ${aheadMs}], target),
  get: (date, name) => (name === 'now' ? () => date.now() + ${aheadMs} : Reflect.get(date, name)),
})`;
/** With the time until others look; what a dead node has claimed is done by others within a minute. */
const frozenMs = leaseMs + 20_000;
const emptyWithinMs = 60_000;
/** An upload is repeated with its key on the next node when it has no answer for this long. */
const repeatAfterMs = 4_000;
/** An account keeps 50 sessions. */
const signInsPerAccount = 40;

/** Few, because a busy webhook receives one delivery a second. */
const events = ['build.uploaded', 'build.deleted'];
const projects = ['red', 'green', 'blue'];
const accounts = ['ada', 'ben', 'cho', 'dan', 'eve', 'fay'];

interface Cluster extends ScenarioRun {
  ground: Ground;
  direct: pg.Client;
  /** Changes when the third one is restarted. */
  nodes: ServerProcess[];
  ledger: Ledger;
  counts: Record<'signed in' | 'deleted' | 'repeated uploads' | 'events' | 'repeated deliveries', number>;
  faults: string[];
  isOver: boolean;
}

async function runCluster(run: ScenarioRun): Promise<Outcome> {
  const receiver = await startWebhookReceiver();
  const settings = {
    SLIPWAY_SECRET: 'a secret that all nodes of the faults have',
    SLIPWAY_HOOK_NETWORKS: '127.0.0.1',
  };
  const ground = await createGround(run.servers, run.stores, settings);
  const url = new URL(ground.environment.SLIPWAY_DATABASE_URL ?? '');
  const direct = new pg.Client({ connectionString: url.href });
  await direct.connect();
  const counts = { 'signed in': 0, deleted: 0, 'repeated uploads': 0, events: 0, 'repeated deliveries': 0 };
  const ledger = openLedger();
  const all: Cluster = { ...run, ground, direct, nodes: [], ledger, counts, faults: [], isOver: false };
  try {
    url.searchParams.set('application_name', frozenName);
    all.nodes.push(await ground.serve({ environment: { SLIPWAY_DATABASE_URL: url.href } }));
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(shiftedClock)}`;
    all.nodes.push(await ground.serve({ environment: { ...nodeSettings(ground, 'ahead'), NODE_OPTIONS } }));
    all.nodes.push(await ground.serve({ environment: nodeSettings(ground, 'killed') }));
    await prepare(all, receiver);
    await liveThrough(all);
    if (all.faults.length === 0) all.faults.push(...(await eventFaults(all, receiver)));
    await direct.end();
    const compared = new Set<string>();
    const spools = ['ahead', 'killed'].map((name) => join(ground.folder, name, 'spool'));
    const checks = [
      await checkNow(ground, ledger, compared),
      await settleAndCheck(ground, ledger, compared, spools),
    ];
    const outcome = outcomeOf(ledger, checks, counts);
    return { ...outcome, faults: [...all.faults, ...outcome.faults] };
  } finally {
    await direct.end();
    await ground.remove();
    await receiver.close();
  }
}

const apiHeaders = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };

async function prepare({ nodes, ground, ledger }: Cluster, { address }: WebhookReceiver): Promise<void> {
  const origin = nodes[2]?.origin ?? '';
  for (const owner of projects) {
    await addProject(origin, owner);
    const body = JSON.stringify({ url: address, events });
    const path = `/api/v1/owners/${owner}/webhooks`;
    const told = await ask(origin + path, { method: 'POST', headers: apiHeaders, body });
    if (told?.status !== 201) throw new Error(`the webhook was answered ${told?.status}: ${told?.text}`);
  }
  for (const name of accounts) {
    const args = ['user', 'add', name, '--email', `${name}@example.com`, '--password', adminPassword];
    await ground.runJson(args, { process: true });
  }
  await signIn(origin, ledger);
}

/** Clients work on all nodes, until each has had its fault. */
async function liveThrough(all: Cluster): Promise<void> {
  const { nodes, ground, direct, faults, say } = all;
  const clients = nodes.flatMap((_, index) => [
    ...projects.map((owner) => repeat(all, index, () => add(all, index, owner))),
    repeat(all, index, () => addAndDelete(all, index)),
    repeat(all, index, () => convert(all, index)),
    repeat(all, index, () => addWithKey(all, index)),
    repeat(all, index, () => enter(all, index)),
  ]);
  try {
    await pause(5_000);
    const [first, ahead, third] = nodes as [ServerProcess, ServerProcess, ServerProcess];
    say('freezing the first node');
    await freezeInTransaction(first, direct);
    await pause(5_000);
    say('killing the third node');
    await third.stop('SIGKILL');
    await pause(3_000);
    nodes[2] = await ground.serve({ environment: nodeSettings(ground, 'killed') });
    await pause(frozenMs - 8_000);
    const { rows } = await direct.query<{ kind: string }>(
      'select kind from outbox where leased_until < extract(epoch from clock_timestamp()) * 1000 - 15000',
    );
    faults.push(...rows.map(({ kind }) => `nobody took over ${kind} of the frozen node`));
    say('resuming the first node');
    first.process.kill('SIGCONT');
    await pause(8_000);
    all.isOver = true;
    await Promise.all(clients);
    say('waiting for the queue');
    await end(all, ahead);
    await untilEmpty(all);
    for (const node of [first, nodes[2]]) if (node) await end(all, node);
  } finally {
    all.isOver = true;
    nodes[0]?.process.kill('SIGCONT');
    await Promise.all(clients);
  }
}

async function end({ faults }: Cluster, node: ServerProcess): Promise<void> {
  const { code, signal, stderr } = await node.stop();
  if (code !== 0) faults.push(`a node ended with ${code ?? signal}: ${stderr.slice(-500)}`);
}

async function repeat(all: Cluster, index: number, work: () => Promise<unknown>): Promise<void> {
  while (!all.isOver) {
    const before = all.ledger.counts.unanswered;
    await work();
    // Requests to a killed node stay unanswered.
    await pause(all.ledger.counts.unanswered > before ? 300 : 250 + 10 * index);
  }
}

const originOf = ({ nodes }: Cluster, index: number) => nodes[index % nodes.length]?.origin ?? '';

function add(all: Cluster, index: number, owner: string) {
  const packageName = `com.example.${owner}`;
  const bytes = randomApk(all.random, packageName, all.stores === 'postgres+s3');
  const fields = { distribution_name: 'main' };
  return upload(originOf(all, index), all.ledger, {
    owner,
    packageName,
    bytes,
    fields,
    mayBeRefused: isUnavailable,
  });
}

/** Deletes a build as soon as it is there. */
async function addAndDelete(all: Cluster, index: number): Promise<void> {
  const { random, ledger, counts } = all;
  const packageName = 'com.example.deleted';
  const owner = random.pick(projects);
  const bytes = randomApk(random, packageName);
  const order = { owner, packageName, bytes, mayBeRefused: isUnavailable };
  const added = await upload(originOf(all, index), ledger, order);
  if (added && (await deleteBuild(originOf(all, index), ledger, added.id, isUnavailable)))
    counts.deleted += 1;
}

async function convert(all: Cluster, index: number): Promise<void> {
  const owner = all.random.pick(projects);
  const order = { owner, packageName: 'com.example.bundle', bytes: randomBundle(all.random) };
  await upload(originOf(all, index), all.ledger, { ...order, mayBeRefused: isUnavailable });
  await pause(1_000);
}

/** As clients do that retry: on the next node, until the upload is acknowledged. */
async function addWithKey(all: Cluster, index: number): Promise<void> {
  const { random, ledger, counts } = all;
  const packageName = 'com.example.repeated';
  const bytes = randomApk(random, packageName);
  const headers = { 'idempotency-key': `key-${index}-${random.below(1_000_000_000)}` };
  // The first attempt may still run on its node.
  const mayBeRefused = (status: number, retryAfter: string | null) =>
    status === 409 || isUnavailable(status, retryAfter);
  for (let attempt = 0; attempt < 30; attempt++) {
    const signal = AbortSignal.timeout(repeatAfterMs);
    const order = { owner: projects[index] ?? '', packageName, bytes, headers, signal, mayBeRefused };
    if (await upload(originOf(all, index + attempt), ledger, order)) return;
    counts['repeated uploads'] += 1;
    await pause(500);
  }
  all.faults.push('an upload with an Idempotency-Key was not acknowledged by any node');
}

/** A session is valid on every node that answers. */
async function enter(all: Cluster, index: number): Promise<void> {
  const { counts, ledger, faults } = all;
  const number = counts['signed in'];
  if (number < accounts.length * signInsPerAccount) {
    const login = accounts[number % accounts.length] ?? '';
    const cookie = await signIn(originOf(all, index), ledger, { login, mayBeRefused: isUnavailable });
    if (cookie) {
      counts['signed in'] += 1;
      const told = await pagesOf(originOf(all, 1), cookie).open('/settings');
      if (told && told.status !== 200 && !isUnavailable(told.status, told.retryAfter ?? null))
        faults.push(`a new session got ${told.status} on another node`);
    }
  }
  await pause(1_000);
}

/** Nothing waits for a node that is not there, except for the end of the day in which deletions can be undone. */
async function untilEmpty({ direct, faults }: Cluster): Promise<void> {
  const rest = async () => {
    const { rows } = await direct.query<Record<string, unknown>>(
      `select kind, count(*), max(attempts) as attempts, max(last_error) as error, count(held_by) as held,
         max(run_at) - extract(epoch from clock_timestamp()) * 1000 as wait_ms
       from outbox where kind <> 'remove-build' group by kind`,
    );
    return rows;
  };
  await until('the queue was empty', async () => (await rest()).length === 0, emptyWithinMs).catch(
    async () => {
      faults.push(...(await rest()).map((jobs) => `after a minute, jobs are left: ${JSON.stringify(jobs)}`));
    },
  );
}

interface ReceivedEvent {
  id: string;
  type: string;
  data: {
    app?: { owner: string; package_name: string };
    build?: { sha256: string };
    deleted?: { revisions: number[] };
  };
}

/** Every event of a stored build, of an acknowledged deletion and of the list was delivered. */
async function eventFaults(all: Cluster, { received }: WebhookReceiver): Promise<string[]> {
  const { direct, ledger, counts } = all;
  const bodies = new Map(
    received.map(({ body }) => JSON.parse(body) as ReceivedEvent).map((event) => [event.id, event]),
  );
  counts.events = bodies.size;
  counts['repeated deliveries'] =
    received.length - new Set(received.map(({ headers }) => headers['webhook-id'])).size;
  const uploaded = [...bodies.values()].flatMap(({ type, data: { build } }) =>
    type === 'build.uploaded' && build ? [build.sha256] : [],
  );
  const deleted = [...bodies.values()].flatMap(({ data: { app, deleted: gone } }) =>
    (gone?.revisions ?? []).map((revision) => `${app?.owner} ${app?.package_name} ${revision}`),
  );
  const { rows: builds } = await direct.query<{ name: string; sha256: string; unfinished: boolean }>(
    `select o.name || ' ' || a.package_name || ' ' || b.revision as name, b.sha256,
       b.apk_state = 'converting' as unfinished
     from builds b join apps a on a.id = b.app_id join owners o on o.id = a.owner_id`,
  );
  const { rows: recorded } = await direct.query<{ id: string; type: string }>(
    "select e.id, e.type from events e join owners o on o.id = e.owner_id where o.kind = 'project' and e.type = any($1)",
    [events],
  );
  return [
    ...builds.flatMap(({ name, sha256, unfinished }) => {
      const times = uploaded.filter((one) => one === sha256).length;
      return [
        ...(times === 1 ? [] : [`${name} was announced ${times} times`]),
        ...(unfinished ? [`${name} was not converted`] : []),
        ...(builds.find((one) => one.sha256 === sha256)?.name === name ? [] : [`${name} was stored before`]),
      ];
    }),
    ...recorded
      .filter(({ id }) => !bodies.has(id))
      .map(({ type }) => `${type} was recorded, but not delivered`),
    ...[...ledger.builds.values()]
      .filter(({ allowed }) => allowed.join() === 'hidden')
      .map(({ owner, packageName, revision }) => `${owner} ${packageName} ${revision}`)
      .filter((name) => !deleted.includes(name))
      .map((name) => `the deletion of ${name} was not delivered`),
  ];
}
