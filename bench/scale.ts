/**
 * Eight nodes on one PostgreSQL and one S3 under the load of a large company, and what limits more of them: lock waits, connections,
 * transactions of idle nodes, processor time per upload and page, and the jobs that all nodes together can claim.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createData } from '../src/db/data.ts';
import type { Database } from '../src/db/database.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { jobRow, outboxQueries } from '../src/jobs/outbox-queries.ts';
import { buildApk } from '../test/support/build-apk.ts';
import { launchPostgres, launchRadosgw } from '../test/support/launch-servers.ts';
import { createS3ScratchOn } from '../test/support/s3-scratch.ts';
import { median, printColumns, round } from './measure.ts';
import { fillProjects } from './projects.ts';
import { benchKey, cpuSecondsOf, memoryOf, type RunningServer, startSlipway } from './run-server.ts';

const nodeCount = 8;
const firstPort = 18751;
const perMinute = { uploads: 200, pages: 2000 };
const projectCount = 20;
const loadMs = 120_000;
const idleMs = 60_000;
const sampleMs = 100;
const claimedJobs = 4000;

export async function benchScale(folder: string): Promise<void> {
  const [postgres, store] = [await launchPostgres(), await launchRadosgw()];
  const scratch = store && (await createS3ScratchOn(store.facts));
  const shared = {
    SLIPWAY_DATABASE_URL: postgres.facts,
    SLIPWAY_SECRET: 'the secret of all nodes of the benchmark',
    ...(scratch?.settings ?? { SLIPWAY_BLOB_URL: join(folder, 'blobs') }),
  };
  const settingsOf = (index: number) => ({
    ...shared,
    SLIPWAY_DATA_DIR: join(folder, `node-${index}`),
    SLIPWAY_PORT: String(firstPort + index),
  });
  const direct = new pg.Client({ connectionString: postgres.facts });
  const nodes: RunningServer[] = [];
  try {
    await (await startSlipway(settingsOf(0))).stop();
    await fillProjects(shared, projectCount);
    await direct.connect();
    for (let index = 0; index < nodeCount; index++) nodes.push(await startSlipway(settingsOf(index)));
    const rows = [['metric', 'measured'], ...(await measureIdle(nodes, direct))];
    rows.push(...(await measureLoad(nodes, direct)));
    for (const node of nodes.splice(0)) await node.stop();
    rows.push(...(await measureClaims(postgres.facts)));
    printColumns(rows);
    if (!store) process.stderr.write('without S3, because Ceph is not installed\n');
  } finally {
    for (const node of nodes) await node.stop();
    await direct.end();
    await store?.stop();
    await postgres.stop();
  }
}

type Row = [what: string, figure: string];

/** Commits, and rows read and written, since the server started. */
async function countersOf(direct: pg.Client) {
  // PostgreSQL adds the counters of an idle session after a second.
  await pause(1500);
  const { rows } = await direct.query(
    'select xact_commit + xact_rollback as transactions from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0].transactions);
}

async function measureIdle(nodes: readonly RunningServer[], direct: pg.Client): Promise<Row[]> {
  await pause(15_000);
  const [before, cpuBefore] = [await countersOf(direct), cpuOf(nodes)];
  await pause(idleMs);
  const perSecond = ((await countersOf(direct)) - before) / (idleMs / 1000) / nodeCount;
  const cpu = (cpuOf(nodes) - cpuBefore) / (idleMs / 1000) / nodeCount;
  const { rows } = await direct.query(
    "select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  return [
    ['transactions per second of an idle node', round(perSecond)],
    ['processor of an idle node', `${round(cpu * 100)} % of a core`],
    [`connections of ${nodeCount} idle nodes`, rows[0].count],
  ];
}

const cpuOf = (nodes: readonly RunningServer[]) => nodes.reduce((sum, { pid }) => sum + cpuSecondsOf(pid), 0);

async function measureLoad(nodes: readonly RunningServer[], direct: pg.Client): Promise<Row[]> {
  const pages = await Promise.all(
    Array.from({ length: projectCount }, (_, index) => upload(nodes[index % nodeCount], index, 0)),
  );
  const one = await measureEach(nodes, direct, pages);
  const samples = { sampled: 0, locked: 0, connections: 0, active: 0 };
  const [before, cpuBefore] = [await countersOf(direct), cpuOf(nodes)];
  const endsAt = Date.now() + loadMs;
  const uploads = repeat('uploads', endsAt, (count) =>
    upload(nodes[count % nodeCount], count % projectCount, count),
  );
  const visits = repeat('pages', endsAt, (count) =>
    visit(nodes[count % nodeCount], pages[count % pages.length] ?? ''),
  );
  while (Date.now() < endsAt) {
    const { rows } = await direct.query(`select count(*) as connections,
      count(*) filter (where wait_event_type = 'Lock') as locked, count(*) filter (where state <> 'idle') as active
      from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`);
    samples.sampled++;
    samples.locked += Number(rows[0].locked);
    samples.active += Number(rows[0].active);
    samples.connections = Math.max(samples.connections, Number(rows[0].connections));
    await pause(sampleMs);
  }
  const [uploadMs, pageMs] = [await uploads, await visits];
  const cpu = cpuOf(nodes) - cpuBefore;
  const transactions = (await countersOf(direct)) - before;
  const { rows } = await direct.query('select count(*) from outbox');
  const at95 = (times: number[]) => round(times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0);
  return [
    ...one,
    ['uploads; pages', `${uploadMs.length}; ${pageMs.length} in ${loadMs / 1000} s, none refused`],
    ['upload: median; 95 %', `${round(median(uploadMs))}; ${at95(uploadMs)} ms`],
    ['page: median; 95 %', `${round(median(pageMs))}; ${at95(pageMs)} ms`],
    ['transactions per second', round(transactions / (loadMs / 1000))],
    ['transactions waiting for a lock, on average', round(samples.locked / samples.sampled)],
    [
      'busy connections, on average; open at most',
      `${round(samples.active / samples.sampled)}; ${samples.connections}`,
    ],
    ['processor of all nodes', `${round((cpu / (loadMs / 1000)) * 100)} % of a core`],
    ['jobs left', rows[0].count],
    [
      'memory of a node',
      `${round(median(nodes.map(({ pid }) => memoryOf(pid).nowBytes)) / 1024 / 1024)} MiB`,
    ],
  ];
}

/** What one upload, with the jobs after it, and one page cost the database. */
async function measureEach(
  nodes: readonly RunningServer[],
  direct: pg.Client,
  pages: readonly string[],
): Promise<Row[]> {
  const times = 50;
  const costOf = async (work: (count: number) => Promise<unknown>) => {
    await pause(5000);
    const [before, cpuBefore] = [await countersOf(direct), cpuOf(nodes)];
    for (let count = 1; count <= times; count++) await work(count);
    await pause(5000);
    const transactions = ((await countersOf(direct)) - before) / times;
    return `${round(transactions)}; ${round(((cpuOf(nodes) - cpuBefore) * 1000) / times)} ms`;
  };
  const what = 'transactions; processor time of nodes, of';
  return [
    [`${what} an upload`, await costOf((count) => upload(nodes[count % nodeCount], 0, 1_000_000 + count))],
    [`${what} a page`, await costOf((count) => visit(nodes[count % nodeCount], pages[0] ?? ''))],
  ];
}

async function visit(node: RunningServer | undefined, page: string): Promise<string> {
  const answer = await fetch((node?.origin ?? '') + new URL(page).pathname);
  if (!answer.ok) throw new Error(`the page answered ${answer.status}`);
  return answer.text();
}

/** Begins the work at a steady rate, and returns how long each took, in milliseconds. */
async function repeat(
  kind: keyof typeof perMinute,
  endsAt: number,
  work: (count: number) => Promise<unknown>,
) {
  const times: number[] = [];
  const running: Promise<void>[] = [];
  const beganAt = Date.now();
  for (let count = 1; ; count++) {
    const at = beganAt + (count * 60_000) / perMinute[kind];
    if (at > endsAt) break;
    await pause(Math.max(0, at - Date.now()));
    const began = performance.now();
    running.push(work(count).then(() => void times.push(performance.now() - began)));
  }
  await Promise.all(running);
  return times;
}

/** Returns the address of the distribution page. */
async function upload(
  node: RunningServer | undefined,
  project: number,
  versionCode: number,
): Promise<string> {
  const form = new FormData();
  form.set('distribution_name', 'main');
  const apk = buildApk({ packageName: 'com.example.scale', versionCode: versionCode + 1 });
  form.set('file', new Blob([new Uint8Array(apk)]), 'app.apk');
  const answer = await fetch(`${node?.origin}/api/users/bench-${project}/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${benchKey}` },
    body: form,
  });
  if (!answer.ok) throw new Error(`the upload answered ${answer.status}: ${await answer.text()}`);
  const { results } = (await answer.json()) as { results: { distribution: { url: string } } };
  return results.distribution.url;
}

/** Claims of as many nodes as above, each with one connection, with jobs of few and of many owners. */
async function measureClaims(url: string): Promise<Row[]> {
  const databases = await Promise.all(
    Array.from({ length: nodeCount }, () => openDatabase({ kind: 'postgres', url, maxConnections: 2 })),
  );
  try {
    const rows: Row[] = [];
    for (const owners of [1, 100]) {
      rows.push([
        `claims per second of ${nodeCount} nodes, jobs of ${owners} owners`,
        round(await claimAll(databases, owners)),
      ]);
    }
    return rows;
  } finally {
    for (const database of databases) await database.close();
  }
}

async function claimAll(databases: readonly Database[], owners: number): Promise<number> {
  const now = Date.now();
  const [first] = databases;
  if (!first) return 0;
  const jobs = Array.from({ length: claimedJobs }, (_, index) =>
    jobRow(
      `owner-${index % owners}`,
      { kind: 'draw-icon', buildId: 'gone' },
      { id: `job-${owners}-${index}`, now, runAt: now },
    ),
  );
  for (let start = 0; start < jobs.length; start += 1000)
    await first.queries
      .insertInto('outbox')
      .values(jobs.slice(start, start + 1000))
      .execute();
  const began = performance.now();
  const counts = await Promise.all(
    databases.map(async (database, node) => {
      const outbox = outboxQueries(createData(database));
      let after: string | null = null;
      for (let claimed = 0; ; claimed++) {
        const claim = { nodeId: `bench-${node}`, number: claimed, takesOver: false };
        const job = await outbox.claim('builds', now, claim, { after, except: [] });
        if (!job) return claimed;
        after = job.ownerId;
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  return counts.reduce((sum, count) => sum + count, 0) / seconds;
}
