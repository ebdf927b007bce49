/**
 * Response time and transferred bytes of console pages on a large installation (1,000 apps, 10,000 builds, 500 people) next to
 * a small one (10 apps, 100 builds, 5 people), on each database.
 */
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { fetchedSessionCookie, fetchSignIn } from '../test/support/fetch-sign-in.ts';
import { launchPostgres } from '../test/support/launch-servers.ts';
import { assetsOf, maxBytesOf } from '../test/support/page-weight.ts';
import { fetchEncoded } from './compression.ts';
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
/** Ratios of shorter times are not meaningful. */
const minMs = 10;
const warmRequests = 3;
const requests = 11;
const password = 'a passphrase of the benchmark';

interface Visit {
  ms: number;
  /** The page as sent. */
  page: Buffer;
}

interface Installation {
  slipway: RunningServer;
  cookie: string;
  /** The sizes of styles and scripts as sent, by address. */
  assets: Map<string, number>;
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
  const rows = [[name, 'small', 'large', 'ratio', 'HTML small', 'HTML large', 'with styles, scripts', '']];
  let isGood = true;
  for (const place of consolePlaces) {
    const [one, other] = await visitBoth(small, large, place);
    const ratio = other.ms / one.ms;
    const totalBytes = other.page.byteLength + (await assetBytesOf(large, other.page));
    const isLight = totalBytes <= maxBytesOf(place.path);
    const share = Math.max(other.ms / maxMs, other.ms > minMs ? ratio / maxRatio : 0);
    isGood &&= share <= 2 && isLight;
    rows.push([
      place.what,
      `${round(one.ms)} ms`,
      `${round(other.ms)} ms`,
      `${round(ratio)} ×`,
      `${round(one.page.byteLength / 1024)} KiB`,
      `${round(other.page.byteLength / 1024)} KiB`,
      `${round(totalBytes / 1024)} KiB`,
      share > 1 || !isLight ? 'MISSED' : '',
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
  return { slipway, cookie, assets: new Map() };
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
    page: list[0]?.page ?? Buffer.alloc(0),
  });
  return [summary(visits[0]), summary(visits[1])];
}

async function open({ slipway, cookie }: Installation, { path, key }: Place): Promise<Visit> {
  const headers = {
    accept: 'text/html',
    'accept-encoding': 'gzip',
    'sec-fetch-site': 'same-origin',
    ...(key === undefined ? { cookie } : { authorization: `Bearer ${key}` }),
  };
  const before = performance.now();
  const page = await fetchEncoded(`${slipway.origin}${path}`, headers);
  return { ms: performance.now() - before, page };
}

async function assetBytesOf({ slipway, assets }: Installation, page: Buffer): Promise<number> {
  let bytes = 0;
  for (const address of assetsOf(gunzipSync(page).toString())) {
    const known = assets.get(address);
    const size =
      known ?? (await fetchEncoded(`${slipway.origin}${address}`, { 'accept-encoding': 'gzip' })).byteLength;
    assets.set(address, size);
    bytes += size;
  }
  return bytes;
}
