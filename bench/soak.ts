/**
 * Memory under minutes of mixed load: concurrent uploads of real packages, downloads and pages, first with a
 * connection per request, then with kept-alive connections. Each server starts fresh; memory includes child
 * processes.
 */
import { openAsBlob } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { basename, extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildApk } from '../test/support/build-apk.ts';
import { buildBundle } from '../test/support/build-bundle.ts';
import { buildIpa } from '../test/support/build-ipa.ts';
import { sharedFixturePath, sharedFixtures } from '../test/support/shared-fixtures.ts';
import { atMost, type Result, round } from './measure.ts';
import { writeLargeApk } from './packages.ts';
import { benchKey, type RunningServer, startSlipway, treeMemoryBytes } from './run-server.ts';

const mebibyte = 1024 * 1024;
const uploaders = 4;
const downloaders = 4;
const visitors = 8;
/** The load under which version 0.1 grew to 914 MiB. A slower machine achieves less. */
const perMinute = { uploads: 107, downloads: 411, pages: 1739 };
type Kind = keyof typeof perMinute;
const sampleMs = 500;
const minuteMs = 60_000;
const maxDuringMebibytes = 300;
const maxAfterMebibytes = 256;

export async function benchSoak(folder: string, minutes: number, times: number): Promise<Result[]> {
  const run = { folder, packages: await packagesFor(folder), minutes, times };
  return [
    ...(await soak({ ...run, keepAlive: false })),
    ...(await soak({ ...run, keepAlive: true })),
    ...(await benchEachLoad(folder, await onePackageOfEachKind(folder))),
  ];
}

/** Real packages of 150 KB to 6 MB if available, otherwise generated ones. */
async function packagesFor(folder: string): Promise<string[]> {
  const real = sharedFixtures().filter(
    ({ path, size, verdict }) =>
      path.startsWith('apk/') && verdict === 'accept' && size > 150_000 && size < 6 * mebibyte,
  );
  if (real.length > 0) return real.map(({ path }) => sharedFixturePath(path));
  const sizes = [1, 2, 3, 5].map((mebibytes) => ({ mebibytes, path: join(folder, `soak-${mebibytes}.apk`) }));
  for (const { mebibytes, path } of sizes) await writeLargeApk(path, mebibytes * mebibyte);
  return sizes.map(({ path }) => path);
}

async function onePackageOfEachKind(folder: string): Promise<string[]> {
  const packages = {
    apk: buildApk({ packageName: 'com.example.soak' }),
    ipa: buildIpa(),
    aab: buildBundle(),
  };
  return Promise.all(
    Object.entries(packages).map(async ([kind, bytes]) => {
      const path = join(folder, `soak.${kind}`);
      await writeFile(path, bytes);
      return path;
    }),
  );
}

interface SoakRun {
  folder: string;
  packages: readonly string[];
  minutes: number;
  times: number;
  keepAlive: boolean;
}

async function soak({ folder, packages, minutes, times, keepAlive }: SoakRun): Promise<Result[]> {
  const dataFolder = join(folder, keepAlive ? 'soak-kept' : 'soak-each');
  const slipway = await startSlipway({ SLIPWAY_DATA_DIR: dataFolder, SLIPWAY_PORT: '18745' });
  const load = createLoad(
    slipway,
    packages,
    new Agent({ keepAlive, maxSockets: uploaders + downloaders + visitors }),
  );
  const restBytes = treeMemoryBytes(slipway.pid);
  const endsAt = Date.now() + minutes * minuteMs;
  const running = load.run(endsAt, times);
  let peakBytes = 0;
  while (Date.now() < endsAt) {
    peakBytes = Math.max(peakBytes, treeMemoryBytes(slipway.pid));
    await pause(sampleMs);
  }
  const counts = await running;
  await pause(minuteMs);
  const afterBytes = treeMemoryBytes(slipway.pid);
  await slipway.stop();
  await rm(dataFolder, { recursive: true });
  const what = `${minutes} min of mixed load${times === 1 ? '' : ` × ${times}`}, ${keepAlive ? 'kept connections' : 'a connection per request'}`;
  const note = `${counts.uploads} uploads, ${counts.downloads} downloads, ${counts.pages} pages; at rest ${round(restBytes / mebibyte)} MiB`;
  return [
    atMost(`peak memory, ${what}`, peakBytes / mebibyte, maxDuringMebibytes, ' MiB', note),
    atMost('memory a minute later', afterBytes / mebibyte, maxAfterMebibytes, ' MiB'),
  ];
}

function createLoad(slipway: RunningServer, packages: readonly string[], agent: Agent) {
  const counts = { uploads: 0, downloads: 0, pages: 0 };
  const files: string[] = [];
  const pages: string[] = [];
  let nextPackage = 0;
  const upload = async () => {
    const results = await sendPackage(slipway, agent, packages[nextPackage++ % packages.length] ?? '');
    files.push(results.file);
    if (!pages.includes(results.distribution.url)) {
      pages.push(results.distribution.url, new URL(results.path, slipway.origin).href);
    }
    counts.uploads++;
  };
  const visit = async (addresses: readonly string[], kind: Exclude<Kind, 'uploads'>) => {
    await exchange(agent, addresses[counts[kind] % addresses.length] ?? '', null);
    counts[kind]++;
  };
  return {
    async run(endsAt: number, times: number) {
      await upload();
      const beganAt = Date.now();
      const repeat = (kind: Kind, clients: number, work: () => Promise<unknown>) => {
        let begun = 0;
        const nextAt = () => beganAt + (begun++ * minuteMs) / (perMinute[kind] * times);
        return Array.from({ length: clients }, async () => {
          for (let at = nextAt(); at < endsAt && Date.now() < endsAt; at = nextAt()) {
            await pause(Math.max(0, at - Date.now()));
            await work();
          }
        });
      };
      await Promise.all([
        ...repeat('uploads', uploaders, upload),
        ...repeat('downloads', downloaders, () => visit(files, 'downloads')),
        ...repeat('pages', visitors, () => visit(pages, 'pages')),
      ]);
      return counts;
    },
  };
}

async function sendPackage(slipway: RunningServer, agent: Agent, path: string) {
  const form = new FormData();
  form.set('distribution_name', 'soak');
  form.set('file', await openAsBlob(path), basename(path));
  // Encodes the form.
  const encoded = new Request(slipway.origin, { method: 'POST', body: form });
  const answer = await exchange(agent, `${slipway.origin}/api/users/admin/apps`, {
    type: encoded.headers.get('content-type') ?? '',
    body: Buffer.from(await encoded.arrayBuffer()),
  });
  const { results } = JSON.parse(answer.toString()) as {
    results: { file: string; path: string; distribution: { url: string } };
  };
  return results;
}

const eachSeconds = 30;
const connections = 50;

/** Every kind of request on its own, from 50 connections at once, on one server after another kind. */
async function benchEachLoad(folder: string, packages: readonly string[]): Promise<Result[]> {
  const dataFolder = join(folder, 'soak-each-kind');
  const slipway = await startSlipway({ SLIPWAY_DATA_DIR: dataFolder, SLIPWAY_PORT: '18746' });
  const connect = () => new Agent({ keepAlive: true, maxSockets: connections });
  let agent = connect();
  try {
    const first = await sendPackage(slipway, agent, packages[0] ?? '');
    const app = `${slipway.origin}/users/admin/platforms/android/apps/com.example.soak`;
    const get = (address: string) => () => exchange(agent, address, null);
    const loads: Record<string, () => Promise<unknown>> = {
      'List Your Projects': get(`${slipway.origin}/api/organizations`),
      'distribution page': get(first.distribution.url),
      'search, which soon meets its rate limit': () =>
        get(`${slipway.origin}/api/v1/search?q=soak`)().catch(ignoreRateLimit),
      'API, apps': get(`${slipway.origin}/api/v1/owners/admin/apps`),
      'console, app': get(app),
      downloads: get(first.file),
      'event streams': () => openForAMoment(`${app}/live`).catch(ignoreRateLimit),
      ...Object.fromEntries(
        packages.map((path) => [`uploads, ${extname(path)}`, () => sendPackage(slipway, agent, path)]),
      ),
    };
    const results: Result[] = [];
    for (const [what, work] of Object.entries(loads)) {
      const endsAt = Date.now() + eachSeconds * 1000;
      let count = 0;
      const repeat = async () => {
        for (; Date.now() < endsAt; count++) await work();
      };
      await Promise.all(Array.from({ length: connections }, repeat));
      const rightAfter = round(treeMemoryBytes(slipway.pid) / mebibyte);
      // The server may close idle connections.
      agent.destroy();
      agent = connect();
      await pause(minuteMs);
      const afterBytes = treeMemoryBytes(slipway.pid);
      const note = `${count} requests; ${rightAfter} MiB right after`;
      results.push(
        atMost(
          `memory a minute after 50 connections: ${what}`,
          afterBytes / mebibyte,
          maxAfterMebibytes,
          ' MiB',
          note,
        ),
      );
    }
    return results;
  } finally {
    await slipway.stop();
    await rm(dataFolder, { recursive: true });
  }
}

function ignoreRateLimit(error: Error): void {
  if (!error.message.includes(' answered 429')) throw error;
}

/** Opens an event stream and closes it after its first event. */
function openForAMoment(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${benchKey}` };
    const outgoing = request(address, { agent: false, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${address} answered ${response.statusCode}`));
      response.once('data', () => outgoing.destroy());
      response.once('close', resolve).on('error', () => undefined);
    });
    outgoing.on('error', reject).end();
  });
}

/** Returns the body of a 200 response; rejects otherwise. */
function exchange(
  agent: Agent,
  address: string,
  sent: { type: string; body: Buffer } | null,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${benchKey}`, ...(sent ? { 'content-type': sent.type } : {}) };
    const outgoing = request(address, { agent, method: sent ? 'POST' : 'GET', headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(pieces);
        if (response.statusCode === 200) resolve(body);
        else
          reject(new Error(`${address} answered ${response.statusCode}: ${body.toString().slice(0, 200)}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(sent?.body);
  });
}
