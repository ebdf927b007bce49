/** How the cost grows: with the size and the number of uploads at once, and of lists and pages with the number of builds. */
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchPostgres } from '../test/support/start-postgres.ts';
import { median, printColumns, round } from './measure.ts';
import { openBenchData } from './open-bench-data.ts';
import { writeLargeApk } from './packages.ts';
import { benchKey, memoryOf, type RunningServer, startProgram, startSlipway } from './run-server.ts';
import { createSeeding, type SeededPlaces } from './seed-builds.ts';
import { removeStored, uploadToSink, uploadToSlipway } from './uploads.ts';

const mebibyte = 1024 * 1024;
const sizes = [4, 64, 1024, 4000];
const atOnce = [1, 4, 16, 64];
/** Of one measurement, all uploads together. */
const mostMebibytes = 8192;
const pageRounds = 15;

export async function benchGrowth(options: { folder: string; mostBuilds: number }): Promise<void> {
  await growUploads(options.folder);
  await growBuilds(options.folder, options.mostBuilds, null);
  const { facts: url, stop } = await launchPostgres();
  try {
    await growBuilds(options.folder, options.mostBuilds, url);
  } finally {
    await stop();
  }
}

async function growUploads(folder: string): Promise<void> {
  const dataFolder = join(folder, 'growth');
  const slipway = await startSlipway({
    SLIPWAY_DATA_DIR: dataFolder,
    SLIPWAY_PORT: '18741',
    SLIPWAY_MAX_UPLOAD: '8GiB',
  });
  const sinkProgram = fileURLToPath(new URL('./sink.ts', import.meta.url));
  const sinkArgs = [sinkProgram, join(folder, 'sink'), '18742'];
  const sink = await startProgram(process.execPath, sinkArgs, process.env, 18742, '/');
  const rows = [['upload', 'at once', 'seconds', 'MiB/s', 'times the sink', 'memory, MiB']];
  for (const size of sizes) {
    const file = join(folder, 'upload.apk');
    await writeLargeApk(file, size * mebibyte);
    for (const count of atOnce) {
      if (size * count > (await roomMebibytes(folder))) continue;
      const seconds = await secondsOf(count, () => uploadToSlipway(slipway, file));
      const memory = memoryOf(slipway.pid).nowBytes / mebibyte;
      await removeStored(dataFolder);
      const sinkSeconds = await secondsOf(count, () => uploadToSink(sink, file));
      const speed = (size * count) / seconds;
      rows.push([
        `${size} MiB`,
        String(count),
        ...[seconds, speed, seconds / sinkSeconds, memory].map((value) => round(value)),
      ]);
    }
    await rm(file);
  }
  await slipway.stop();
  await sink.stop();
  printColumns(rows);
}

/** Half of what is free, and not so much that it takes all day. */
async function roomMebibytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return Math.min(mostMebibytes, (bavail * bsize) / mebibyte / 2);
}

async function secondsOf(count: number, work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await Promise.all(Array.from({ length: count }, work));
  return (performance.now() - before) / 1000;
}

async function growBuilds(folder: string, mostBuilds: number, postgresUrl: string | null): Promise<void> {
  const name = postgresUrl === null ? 'SQLite' : 'PostgreSQL';
  const port = postgresUrl === null ? '18743' : '18744';
  const settings = {
    SLIPWAY_DATA_DIR: join(folder, name),
    SLIPWAY_PORT: port,
    ...(postgresUrl === null ? {} : { SLIPWAY_DATABASE_URL: postgresUrl }),
  };
  await (await startSlipway(settings)).stop();
  const { database, ownerId } = await openBenchData(settings);
  const seeding = createSeeding(database, ownerId);
  const rows: string[][] = [];
  for (let count = 10; count <= mostBuilds; count *= 10) {
    const places = await seeding.growTo(count);
    const slipway = await startSlipway(settings);
    const addresses = addressesOf(places);
    if (rows.length === 0) rows.push([`${name}: ms at builds`, ...addresses.map(([what]) => what)]);
    const times: string[] = [];
    for (const [, path] of addresses) times.push(round(await msOfPage(slipway, path)));
    rows.push([String(count), ...times]);
    await slipway.stop();
  }
  await database.close();
  printColumns(rows);
}

function addressesOf({ bigApp, accessKey }: SeededPlaces): [string, string][] {
  const app = `/users/admin/apps/${bigApp}`;
  return [
    ['list', '/api/organizations'],
    ['home', '/'],
    ['home search', '/?q=app1'],
    ['owner', '/users/admin'],
    ['app', app],
    ['app search', `${app}?q=branch-7`],
    ['app search, no hit', `${app}?q=nothing-like-it`],
    ['tester page', `/distributions/${accessKey}`],
  ];
}

async function msOfPage(server: RunningServer, path: string): Promise<number> {
  const all: number[] = [];
  for (let count = 0; count < pageRounds; count++) {
    const before = performance.now();
    const answer = await fetch(`${server.origin}${path}`, {
      headers: { authorization: `Bearer ${benchKey}` },
    });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    if (count > 2) all.push(performance.now() - before);
  }
  return median(all);
}
