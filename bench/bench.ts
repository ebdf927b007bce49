/**
 * `npm run bench`: speed and memory relative to a minimal implementation, in one run on one machine. `--quick`
 * measures fewer things and less often. Alternatively, `--growth` measures how the cost grows with the number of
 * builds, `--console` pages of a large installation next to a small one, `--phone` pages on a slow phone, `--pages` the
 * requests of a link (next to an earlier version with `--before FILE`), `--streams` the
 * cost of idle event streams, `--analyses` the analysis of packages, real ones too, `--directory` the synchronization of a directory over LDAP and SCIM, `--deprovisioning` what someone keeps whom a directory deactivates, `--access-reviews` the export of a large Workspace's review, `--scale` eight nodes on one database, `--crashes` when work continues after a crash, `--upload-growth` how it grows with the size and number of uploads, and `--soak` memory under
 * minutes of mixed load (`--minutes N`, default 10; `--load N` multiplies the specified load, default 1). `--large-mib N`
 * (default 1024) sets the large upload, `--runs N` (default 7) the repetitions.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchPostgres } from '../test/support/launch-servers.ts';
import { benchAccessReviews } from './access-reviews.ts';
import { benchAnalyses, benchRealAnalyses } from './analyses.ts';
import { benchCompression } from './compression.ts';
import { benchConsole } from './console.ts';
import { benchCrashes } from './crashes.ts';
import { benchDeprovisioning } from './deprovisioning.ts';
import { benchDirectory } from './directory.ts';
import { benchDownload } from './downloads.ts';
import { benchEventStreams } from './event-streams.ts';
import { benchFacts } from './facts.ts';
import { benchGrowth } from './growth.ts';
import { benchLdap } from './ldap.ts';
import { benchList } from './lists.ts';
import { atMost, printTable, type Result } from './measure.ts';
import { writeLargeApk } from './packages.ts';
import { benchPages } from './pages.ts';
import { benchPhone } from './phone.ts';
import { fillProjects } from './projects.ts';
import { benchResourceTables } from './resource-tables.ts';
import { memoryOf, startProgram, startSlipway } from './run-server.ts';
import { benchS3 } from './s3-uploads.ts';
import { benchScale } from './scale.ts';
import { benchSoak } from './soak.ts';
import { benchStarts } from './starts.ts';
import { benchUploadGrowth } from './upload-growth.ts';
import { benchUploadThenDownload } from './upload-then-download.ts';
import { benchUploads } from './uploads.ts';

const mebibyte = 1024 * 1024;
const { values } = parseArgs({
  options: {
    'large-mib': { type: 'string' },
    runs: { type: 'string' },
    quick: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    console: { type: 'boolean', default: false },
    phone: { type: 'boolean', default: false },
    pages: { type: 'boolean', default: false },
    /** With `--pages`: the `dist/main.js` of an earlier version. */
    before: { type: 'string' },
    'upload-growth': { type: 'boolean', default: false },
    soak: { type: 'boolean', default: false },
    streams: { type: 'boolean', default: false },
    crashes: { type: 'boolean', default: false },
    scale: { type: 'boolean', default: false },
    analyses: { type: 'boolean', default: false },
    directory: { type: 'boolean', default: false },
    deprovisioning: { type: 'boolean', default: false },
    'access-reviews': { type: 'boolean', default: false },
    s3: { type: 'boolean', default: false },
    /** With `--soak`: the duration of each load. */
    minutes: { type: 'string', default: '10' },
    /** With `--soak`: the multiple of the specified load. */
    load: { type: 'string', default: '1' },
    /** With `--growth`: the maximum number of builds. */
    builds: { type: 'string', default: '1000000' },
  },
});
const largeMebibytes = Number(values['large-mib'] ?? (values.quick ? 128 : 1024));
const s3Bytes = Math.min(largeMebibytes, 256) * mebibyte;
const runs = Number(values.runs ?? (values.quick ? 3 : 7));
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));

try {
  if (values.growth) await benchGrowth({ folder, maxBuildLimit: Number(values.builds) });
  else if (values.console) process.exitCode = (await benchConsole(folder)) ? 0 : 1;
  else if (values['upload-growth']) await benchUploadGrowth(folder);
  else if (values.streams) await benchEventStreams(folder);
  else if (values.scale) await benchScale(folder);
  else if (values.directory) printTable([...(await benchLdap(folder)), ...(await benchDirectory(folder))]);
  else {
    const results = await benchChosen();
    printTable(results);
    process.exitCode = results.every((result) => result.good) ? 0 : 1;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

function benchChosen(): Promise<Result[]> {
  if (values['access-reviews']) return benchAccessReviews(folder);
  if (values.deprovisioning) return benchDeprovisioning(folder);
  if (values.phone) return benchPhone(folder);
  if (values.pages) return benchPagesOnly();
  if (values.analyses) return benchAnalysesOnly();
  if (values.soak) return benchSoak(folder, Number(values.minutes), Number(values.load));
  if (values.s3) return benchS3Only();
  return values.crashes ? benchBothAfterCrashes() : benchAll();
}

async function benchPagesOnly(): Promise<Result[]> {
  const small = join(folder, 'small.apk');
  await writeLargeApk(small, 4 * mebibyte);
  return benchPages({ folder, before: values.before ?? null, small });
}

async function benchAnalysesOnly(): Promise<Result[]> {
  const [small, large] = [join(folder, 'small.apk'), join(folder, 'large.apk')];
  await writeLargeApk(small, 4 * mebibyte);
  await writeLargeApk(large, largeMebibytes * mebibyte);
  return [
    ...(await benchFacts({ small, large, folder })),
    ...(await benchAnalyses(folder)),
    ...(await benchRealAnalyses(folder)),
  ];
}

async function benchS3Only(): Promise<Result[]> {
  const [file, small] = [join(folder, 's3.apk'), join(folder, 'small.apk')];
  await writeLargeApk(file, s3Bytes);
  await writeLargeApk(small, 4 * mebibyte);
  return benchS3({ settings: settingsOf('s3', 18735), file, small });
}

async function benchAll(): Promise<Result[]> {
  const [large, small, onS3] = ['large', 'small', 's3'].map((name) => join(folder, `${name}.apk`)) as [
    string,
    string,
    string,
  ];
  await writeLargeApk(large, largeMebibytes * mebibyte);
  await writeLargeApk(small, 4 * mebibyte);
  await writeLargeApk(onS3, s3Bytes);
  return [
    ...(await benchOnDisk(large, small)),
    ...(await benchInMemory(large)),
    ...(await benchFacts({ small, large, folder })),
    ...(await benchResourceTables(folder)),
    ...(await benchAnalyses(folder)),
    ...(await benchListOnPostgres()),
    ...(values.quick ? [] : await benchBothAfterCrashes()),
    ...(await benchCompression(folder)),
    ...(await benchS3({ settings: settingsOf('s3', 18735), file: onS3, small })),
  ];
}

function settingsOf(name: string, port: number): Record<string, string> {
  return { SLIPWAY_DATA_DIR: join(folder, name), SLIPWAY_PORT: String(port) };
}

function startNode(args: string[], port: number, path: string) {
  return startProgram(process.execPath, args, process.env, port, path);
}

async function benchOnDisk(large: string, small: string): Promise<Result[]> {
  const settings = settingsOf('data', 18731);
  const dataFolder = join(folder, 'data');
  await (await startSlipway(settings)).stop();
  await fillProjects(settings, 10);
  const starts = await benchStarts(settings);
  const slipway = await startSlipway(settings);
  const results = [
    ...starts,
    atMost('memory at rest', memoryOf(slipway.pid).nowBytes / mebibyte, 130, ' MiB'),
  ];
  const sink = await startNode([here('./sink.ts'), join(folder, 'sink'), '18732'], 18732, '/');
  const express = await startNode([here('./express-sink.mjs'), join(folder, 'express'), '18736'], 18736, '/');
  const durable = await startNode(
    [here('./express-sink.mjs'), join(folder, 'durable-express'), '18735', 'durable'],
    18735,
    '/',
  );
  results.push(...(await benchUploads({ slipway, sink, express, durable, dataFolder, large, small, runs })));
  await sink.stop();
  await durable.stop();
  await express.stop();
  const database = `sqlite:${join(dataFolder, 'slipway.sqlite')}`;
  results.push(...(await listBeside('List Your Projects on SQLite', slipway.origin, database)));
  results.push(
    ...(await benchUploadThenDownload({ slipway, dataFolder, large, folder, runs, where: 'disk' })),
  );
  results.push(...(await benchDownload({ slipway, large, folder })));
  await slipway.stop();
  return results;
}

/** The same uploads without a disk, which is where the work of the processor decides. */
async function benchInMemory(large: string): Promise<Result[]> {
  const memory = await mkdtemp('/dev/shm/slipway-bench-');
  try {
    const dataFolder = join(memory, 'data');
    const slipway = await startSlipway({ SLIPWAY_DATA_DIR: dataFolder, SLIPWAY_PORT: '18730' });
    const run = { slipway, dataFolder, large, folder: memory, runs, where: 'memory file system' };
    const results = await benchUploadThenDownload(run);
    await slipway.stop();
    return results;
  } finally {
    await rm(memory, { recursive: true, force: true });
  }
}

async function benchBothAfterCrashes(): Promise<Result[]> {
  const onSqlite = await benchCrashes('SQLite', settingsOf('crashed', 18738), null);
  const { facts: url, stop } = await launchPostgres();
  try {
    const shared = { SLIPWAY_DATABASE_URL: url, SLIPWAY_SECRET: 'the secret of both nodes of the benchmark' };
    const first = { ...settingsOf('crashed-first', 18739), ...shared };
    return [...onSqlite, ...(await benchCrashes('PostgreSQL', first, settingsOf('crashed-second', 18740)))];
  } finally {
    await stop();
  }
}

async function benchListOnPostgres(): Promise<Result[]> {
  const { facts: url, stop } = await launchPostgres();
  try {
    const settings = { ...settingsOf('on-postgres', 18737), SLIPWAY_DATABASE_URL: url };
    await (await startSlipway(settings)).stop();
    await fillProjects(settings, 10);
    const slipway = await startSlipway(settings);
    const results = await listBeside('List Your Projects on PostgreSQL', slipway.origin, url);
    await slipway.stop();
    return results;
  } finally {
    await stop();
  }
}

async function listBeside(what: string, slipway: string, database: string): Promise<Result[]> {
  const start = (port: number, ...mode: string[]) =>
    startNode([here('./bare-list.ts'), String(port), database, ...mode], port, '/healthz');
  const [bare, sameWork] = [await start(18733), await start(18734, 'same-work')];
  const results = await benchList(what, { slipway, bare: bare.origin, sameWork: sameWork.origin });
  await bare.stop();
  await sameWork.stop();
  return results;
}
