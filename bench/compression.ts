/** Processor time of the server per page with full lists: compressed in each coding, relative to uncompressed. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { contentCodings } from '../src/http/sending/content-coding.ts';
import { fetchedSessionCookie, fetchSignIn } from '../test/support/fetch-sign-in.ts';
import { atMost, median, type Result, round } from './measure.ts';
import { openBenchData } from './open-bench-data.ts';
import { cpuSecondsOf, type RunningServer, startSlipway } from './run-server.ts';
import { seedActivity } from './seed-activity.ts';
import { createSeeding, seededPlaces } from './seed-builds.ts';

const password = 'a passphrase of the benchmark';
const requestsPerRound = 150;
const rounds = 5;
/** Compression may add this share to the processor time of a page. */
const maxRatio = 1.25;

interface Load {
  cpuMs: number;
  ms: number;
  bytes: number;
}

export async function benchCompression(folder: string): Promise<Result[]> {
  const settings = {
    SLIPWAY_DATA_DIR: join(folder, 'compression'),
    SLIPWAY_PORT: '18763',
    SLIPWAY_ADMIN_PASSWORD: password,
  };
  await (await startSlipway(settings)).stop();
  const { database, ownerId } = await openBenchData(settings);
  const shape = { buildsOfApp: 9, appsOfProject: 50, buildsOfPerson: 20 };
  await (await createSeeding(database, ownerId, shape)).growTo(2000);
  await seedActivity(database, ownerId, 100);
  await database.close();
  const slipway = await startSlipway(settings);
  try {
    const cookie = fetchedSessionCookie(await fetchSignIn(slipway.origin, 'admin', password)) ?? '';
    const app = `/users/admin/platforms/android/apps/${seededPlaces.bigApp}`;
    const results: Result[] = [];
    for (const [what, path] of [
      ['app', app],
      ['home', '/'],
      ['page of testers', `/distributions/${seededPlaces.mainKey}`],
    ] as const)
      results.push(...(await comparePage(slipway, { what, path, cookie })));
    return results;
  } finally {
    await slipway.stop();
  }
}

async function comparePage(
  slipway: RunningServer,
  page: { what: string; path: string; cookie: string },
): Promise<Result[]> {
  const codings = ['identity', ...contentCodings];
  const loads = new Map<string, Load[]>(codings.map((coding) => [coding, []]));
  // Alternates, so that other work on the machine affects all; the first round only warms up.
  for (let round = 0; round <= rounds; round++)
    for (const coding of codings) {
      const load = await loadOften(slipway, page, coding);
      if (round > 0) loads.get(coding)?.push(load);
    }
  const of = (coding: string, pick: (load: Load) => number) => median((loads.get(coding) ?? []).map(pick));
  const plain = of('identity', ({ cpuMs }) => cpuMs);
  return contentCodings.map((coding) => {
    const sizes = ['identity', coding].map((one) => round(of(one, ({ bytes }) => bytes) / 1024));
    const times = ['identity', coding].map((one) => round(of(one, ({ ms }) => ms)));
    return atMost(
      `${page.what}, ${coding}: processor time relative to no compression`,
      of(coding, ({ cpuMs }) => cpuMs) / plain,
      maxRatio,
      ' ×',
      `${round(plain)} ms; ${sizes.join(' → ')} KiB; response after ${times.join(' → ')} ms`,
    );
  });
}

async function loadOften(
  { origin, pid }: RunningServer,
  { path, cookie }: { path: string; cookie: string },
  coding: string,
): Promise<Load> {
  const headers = { accept: 'text/html', 'accept-encoding': coding, 'sec-fetch-site': 'same-origin', cookie };
  const before = cpuSecondsOf(pid);
  const times: number[] = [];
  let bytes = 0;
  for (let count = 0; count < requestsPerRound; count++) {
    const began = performance.now();
    bytes = (await fetchEncoded(`${origin}${path}`, headers)).byteLength;
    times.push(performance.now() - began);
  }
  return { cpuMs: ((cpuSecondsOf(pid) - before) * 1000) / requestsPerRound, ms: median(times), bytes };
}

/** The body as it was sent, which the global `fetch` would decompress. */
export async function fetchEncoded(address: string, headers: Record<string, string>): Promise<Buffer> {
  const [answer] = (await once(request(address, { headers }).end(), 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  if (answer.statusCode !== 200) throw new Error(`${address} answered ${answer.statusCode}`);
  return Buffer.concat(chunks);
}
