/**
 * How the cost of pages, lists and an upload grows with the number of builds: milliseconds of SQL and of the
 * server’s processor time per request, from 10 builds to the given number, on each database.
 */
import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { fetchedSessionCookie, fetchSignIn } from '../test/support/fetch-sign-in.ts';
import { launchPostgres } from '../test/support/launch-servers.ts';
import { addressesOf, type Place } from './growth-places.ts';
import { printColumns, round } from './measure.ts';
import { openBenchData } from './open-bench-data.ts';
import { writeLargeApk } from './packages.ts';
import { benchKey, type RunningServer, startSlipway } from './run-server.ts';
import { createSeeding } from './seed-builds.ts';

/** Each is measured several times in a row; the smallest mean is the least affected by other work on the machine. */
const series = 4;
const requestsOfSeries = 5;
const warmRequests = 3;
const password = 'a passphrase of the benchmark';

export async function benchGrowth(options: { folder: string; maxBuildLimit: number }): Promise<void> {
  const file = join(options.folder, 'growth.apk');
  await writeLargeApk(file, 0);
  await growBuilds({ ...options, file, name: 'SQLite', port: 18743, database: {} });
  const { facts, stop } = await launchPostgres();
  try {
    const database = { SLIPWAY_DATABASE_URL: facts };
    await growBuilds({ ...options, file, name: 'PostgreSQL', port: 18745, database });
  } finally {
    await stop();
  }
}

interface Growing {
  folder: string;
  maxBuildLimit: number;
  file: string;
  name: string;
  /** The next port is for the metrics. */
  port: number;
  database: Record<string, string>;
}

async function growBuilds(growing: Growing): Promise<void> {
  const settings = {
    SLIPWAY_DATA_DIR: join(growing.folder, growing.name),
    SLIPWAY_PORT: String(growing.port),
    SLIPWAY_METRICS: `127.0.0.1:${growing.port + 1}`,
    SLIPWAY_ADMIN_PASSWORD: password,
    ...growing.database,
  };
  await (await startSlipway(settings)).stop();
  const { database, ownerId } = await openBenchData(settings);
  const seeding = await createSeeding(database, ownerId);
  const columns: string[][] = [];
  for (let count = 10; count <= growing.maxBuildLimit; count *= 10) {
    const before = performance.now();
    await seeding.growTo(count);
    const seconds = round((performance.now() - before) / 1000);
    const slipway = await startSlipway(settings);
    const meter = createMeter(growing.port + 1);
    const cookie = await signIn(slipway);
    const lines: [string, string][] = [];
    for (const place of await addressesOf(slipway.origin, cookie, count)) {
      lines.push([place.what, await meter(() => open(slipway, place, cookie))]);
    }
    lines.push(['upload', await meter(() => upload(slipway, growing.file))]);
    if (columns.length === 0)
      columns.push([`${growing.name}: ms of SQL / CPU`, ...lines.map(([what]) => what)]);
    columns.push([count.toLocaleString('en'), ...lines.map(([, cost]) => cost)]);
    process.stderr.write(`${growing.name}: ${count} builds were made in ${seconds} s and measured\n`);
    await slipway.stop();
  }
  await database.close();
  printColumns((columns[0] ?? []).map((_, row) => columns.map((column) => column[row] ?? '')));
}

async function signIn({ origin }: RunningServer): Promise<string> {
  const answer = await fetchSignIn(origin, 'admin', password);
  const cookie = fetchedSessionCookie(answer);
  if (answer.status !== 303 || !cookie) throw new Error(`sign-in got ${answer.status}`);
  return cookie;
}

async function open({ origin }: RunningServer, { path, key }: Place, cookie: string): Promise<void> {
  const headers: Record<string, string> = key === undefined ? { cookie } : { authorization: `Bearer ${key}` };
  const answer = await fetch(`${origin}${path}`, { headers });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
}

/** Uploads to the administrator’s large App; includes the jobs that follow the response. */
async function upload({ origin }: RunningServer, file: string): Promise<void> {
  const form = new FormData();
  form.set('file', await openAsBlob(file), 'app.apk');
  form.set('disable_notify', 'true');
  const headers = { authorization: `Bearer ${benchKey}` };
  const answer = await fetch(`${origin}/api/users/admin/apps`, { method: 'POST', headers, body: form });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`an upload got ${answer.status}`);
}

interface Cost {
  sqlMs: number;
  cpuMs: number;
}

/** Reads the server’s metrics before and after, and subtracts the cost of reading them. */
function createMeter(metricsPort: number) {
  const read = async (): Promise<Cost> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const sum = (name: string) =>
      [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
        (total, [, value]) => total + Number(value),
        0,
      );
    const seconds = {
      sql: sum('slipway_database_query_duration_seconds_sum'),
      cpu: sum('process_cpu_seconds_total'),
    };
    return { sqlMs: seconds.sql * 1000, cpuMs: seconds.cpu * 1000 };
  };
  const between = (one: Cost, other: Cost): Cost => ({
    sqlMs: other.sqlMs - one.sqlMs,
    cpuMs: other.cpuMs - one.cpuMs,
  });
  return async (work: () => Promise<void>): Promise<string> => {
    for (let count = 0; count < warmRequests; count++) await work();
    const means: Cost[] = [];
    // The minimum cost of reading them, so that an outlier is never subtracted from the result.
    let saying: Cost = { sqlMs: Number.POSITIVE_INFINITY, cpuMs: Number.POSITIVE_INFINITY };
    let last = await read();
    for (let count = 0; count < series; count++) {
      const before = await read();
      const told = between(last, before);
      saying = { sqlMs: Math.min(saying.sqlMs, told.sqlMs), cpuMs: Math.min(saying.cpuMs, told.cpuMs) };
      for (let request = 0; request < requestsOfSeries; request++) await work();
      last = await read();
      const all = between(before, last);
      const mean = (what: keyof Cost) => Math.max(0, (all[what] - saying[what]) / requestsOfSeries);
      means.push({ sqlMs: mean('sqlMs'), cpuMs: mean('cpuMs') });
    }
    const minimum = (what: keyof Cost) => round(Math.min(...means.map((mean) => mean[what])));
    return `${minimum('sqlMs')} / ${minimum('cpuMs')}`;
  };
}
