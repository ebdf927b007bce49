/**
 * Response time and size of console pages on a large installation (1,000 apps, 10,000 builds, 500 people) next to
 * a small one (10 apps, 100 builds, 5 people), on each database.
 */
import { request } from 'node:http';
import { join } from 'node:path';
import { fetchedSessionCookie, fetchSignIn } from '../test/support/fetch-sign-in.ts';
import { launchPostgres } from '../test/support/start-postgres.ts';
import { consolePlaces } from './console-places.ts';
import type { Place } from './growth-places.ts';
import { median, printColumns, round } from './measure.ts';
import { openBenchData } from './open-bench-data.ts';
import { type RunningServer, startSlipway } from './run-server.ts';
import { seedActivity } from './seed-activity.ts';
import { createSeeding } from './seed-builds.ts';

const shape = { buildsOfApp: 9, appsOfProject: 50, buildsOfPerson: 20 };
const smallBuilds = 100;
const largeBuilds = 10_000;
const maxMs = 100;
const maxRatio = 5;
/** A ratio of times below it says nothing. */
const minMs = 10;
const warmRequests = 3;
const requests = 11;
const password = 'a passphrase of the benchmark';

interface Visit {
  ms: number;
  bytes: number;
}

interface Installation {
  slipway: RunningServer;
  cookie: string;
}

/** Returns whether each page of the large installation is within its limits; only twice the limits fail. */
export async function benchConsole(folder: string): Promise<boolean> {
  const onSqlite = await compare('SQLite', 18751, async (size) => ({
    SLIPWAY_DATA_DIR: join(folder, `console-${size}`),
  }));
  const stops: (() => Promise<void>)[] = [];
  try {
    const onPostgres = await compare('PostgreSQL', 18755, async (size) => {
      const { facts, stop } = await launchPostgres();
      stops.push(stop);
      return { SLIPWAY_DATA_DIR: join(folder, `console-postgres-${size}`), SLIPWAY_DATABASE_URL: facts };
    });
    return onSqlite && onPostgres;
  } finally {
    for (const stop of stops) await stop();
  }
}

type SettingsOf = (size: 'small' | 'large') => Promise<Record<string, string>>;

async function compare(name: string, port: number, settingsOf: SettingsOf): Promise<boolean> {
  const small = await install({ ...(await settingsOf('small')), SLIPWAY_PORT: String(port) }, smallBuilds);
  const large = await install(
    { ...(await settingsOf('large')), SLIPWAY_PORT: String(port + 1) },
    largeBuilds,
  );
  const rows = [[name, 'small', 'large', 'ratio', 'KiB small', 'KiB large', '']];
  let isGood = true;
  for (const place of consolePlaces) {
    const [one, other] = await visitBoth(small, large, place);
    const ratio = other.ms / one.ms;
    const share = Math.max(other.ms / maxMs, other.ms > minMs ? ratio / maxRatio : 0);
    isGood &&= share <= 2;
    rows.push([
      place.what,
      `${round(one.ms)} ms`,
      `${round(other.ms)} ms`,
      `${round(ratio)} ×`,
      round(one.bytes / 1024),
      round(other.bytes / 1024),
      share > 1 ? 'MISSED' : '',
    ]);
  }
  printColumns(rows);
  await small.slipway.stop();
  await large.slipway.stop();
  return isGood;
}

async function install(given: Record<string, string>, builds: number): Promise<Installation> {
  const settings = { SLIPWAY_ADMIN_PASSWORD: password, ...given };
  await (await startSlipway(settings)).stop();
  const { database, ownerId } = await openBenchData(settings);
  await (await createSeeding(database, ownerId, shape)).growTo(builds);
  await seedActivity(database, ownerId, builds / shape.buildsOfPerson);
  await database.close();
  const slipway = await startSlipway(settings);
  const answer = await fetchSignIn(slipway.origin, 'admin', password);
  const cookie = fetchedSessionCookie(answer);
  if (answer.status !== 303 || !cookie) throw new Error(`sign-in got ${answer.status}`);
  return { slipway, cookie };
}

/** Alternates, so that other work on the machine affects both. */
async function visitBoth(small: Installation, large: Installation, place: Place): Promise<[Visit, Visit]> {
  const visits: [Visit[], Visit[]] = [[], []];
  for (let count = 0; count < warmRequests + requests; count++) {
    for (const [at, installation] of [small, large].entries()) {
      const visit = await open(installation, place);
      if (count >= warmRequests) visits[at]?.push(visit);
    }
  }
  const summary = (list: Visit[]): Visit => ({
    ms: median(list.map(({ ms }) => ms)),
    bytes: list[0]?.bytes ?? 0,
  });
  return [summary(visits[0]), summary(visits[1])];
}

/** Counts the compressed bytes, which `fetch` hides. */
function open({ slipway, cookie }: Installation, { path, key }: Place): Promise<Visit> {
  const headers = {
    accept: 'text/html',
    'accept-encoding': 'gzip',
    ...(key === undefined ? { cookie } : { authorization: `Bearer ${key}` }),
  };
  const before = performance.now();
  return new Promise((resolve, reject) => {
    request(`${slipway.origin}${path}`, { headers }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve({ ms: performance.now() - before, bytes });
        else reject(new Error(`${path} answered ${answer.statusCode}`));
      });
    })
      .on('error', reject)
      .end();
  });
}
