/**
 * What a link in a chat costs: the distribution page with its files, next to a bare Fastify route that sends the same bytes and
 * headers from memory and writes the log line. `before`: the `dist/main.js` of an earlier version, compared at equal requests.
 */
import { openAsBlob } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { atLeast, median, physicalLimit, type Result, round } from './measure.ts';
import { benchKey, cpuSecondsOf, type RunningServer, startProgram, startSlipway } from './run-server.ts';

const rounds = 3;
const requestsPerRound = 1000;
/** As browsers send them. */
const headers = { accept: '*/*', 'accept-encoding': 'gzip, br, zstd', 'accept-language': 'en-US,en;q=0.9' };

type Kind = 'page' | 'page, 304' | 'stylesheet' | 'script' | 'icon' | 'icon, 304';
interface Request {
  path: string;
  headers: Record<string, string>;
}
type Requests = Record<Kind, Request>;

interface Measured {
  server: RunningServer;
  requests: Requests;
  /** Microseconds of processor time per request. */
  costs: Record<Kind, number[]>;
}

export async function benchPages({
  folder,
  before,
  small,
}: {
  folder: string;
  before: string | null;
  small: string;
}): Promise<Result[]> {
  const start = async (name: string, port: number, entry?: string) => {
    const settings = {
      SLIPWAY_DATA_DIR: await mkdtemp(join(folder, `${name}-`)),
      SLIPWAY_PORT: String(port),
    };
    const server = await startSlipway(settings, entry);
    return measured(server, await publish(server.origin, small));
  };
  const ours = await start('pages', 18741);
  const earlier = before === null ? null : await start('pages-before', 18742, before);
  const bare = await startBare(folder, ours);
  const all = [ours, bare, ...(earlier ? [earlier] : [])];
  const kinds = Object.keys(ours.requests) as Kind[];
  // The first round warms up.
  for (let count = 0; count <= rounds; count++)
    for (const kind of kinds)
      for (const one of all) {
        const cost = await costOf(one, kind);
        if (count > 0) one.costs[kind].push(cost);
      }
  for (const { server } of all) await server.stop();
  return kinds.flatMap((kind) => {
    const [mine, least] = [median(ours.costs[kind]), median(bare.costs[kind])];
    const note = `${round(mine)} µs of processor time, bare ${round(least)}`;
    const results = [physicalLimit(`${kind}: requests/s, of a bare route`, (least / mine) * 100, ' %', note)];
    if (earlier)
      results.push(atLeast(`${kind}: requests/s, times before`, ratio(earlier, ours, kind), 2, ' ×'));
    return results;
  });
}

const ratio = (one: Measured, other: Measured, kind: Kind) =>
  median(one.costs[kind].map((cost, at) => cost / (other.costs[kind][at] ?? Number.NaN)));

function measured(server: RunningServer, requests: Requests): Measured {
  const costs = Object.fromEntries(Object.keys(requests).map((kind) => [kind, []])) as unknown;
  return { server, requests, costs: costs as Measured['costs'] };
}

/** Uploads a build and returns what a browser requests of its page. */
async function publish(origin: string, file: string): Promise<Requests> {
  const form = new FormData();
  form.set('file', await openAsBlob(file), 'small.apk');
  form.set('distribution_name', 'bench');
  const response = await fetch(`${origin}/api/users/admin/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${benchKey}` },
    body: form,
  });
  const { results } = (await response.json()) as { results: { distribution: { url: string } } };
  const page = new URL(results.distribution.url).pathname;
  const html = await (await fetch(origin + page)).text();
  const find = (pattern: RegExp) =>
    new URL((pattern.exec(html)?.[1] ?? '').replaceAll('&amp;', '&'), origin + page);
  const pathOf = ({ pathname, search }: URL) => pathname + search;
  const icon = pathOf(find(/src="([^"]*\/icon[^"]*)"/));
  const known = async (path: string) => {
    const etag = (await fetch(origin + path, { headers })).headers.get('etag') ?? '""';
    return { path, headers: { ...headers, 'if-none-match': etag } };
  };
  return {
    page: { path: page, headers },
    'page, 304': await known(page),
    stylesheet: { path: pathOf(find(/href="(\/assets\/slipway\.css[^"]*)"/)), headers },
    script: { path: pathOf(find(/src="(\/assets\/slipway\.js[^"]*)"/)), headers },
    icon: { path: icon, headers },
    'icon, 304': await known(icon),
  };
}

/** A server that sends what `of` answers. */
async function startBare(folder: string, of: Measured): Promise<Measured> {
  const answers = [];
  const requests = { ...of.requests };
  for (const [index, kind] of (Object.keys(requests) as Kind[]).entries()) {
    const response = await fetch(of.server.origin + requests[kind].path, { headers: requests[kind].headers });
    // Decoded by fetch; its length differs from what was sent, so the bare server sends as many bytes of its own.
    const sent = Number(response.headers.get('content-length') ?? 0);
    const kept = [...response.headers].filter(
      ([name]) => !['date', 'connection', 'keep-alive'].includes(name),
    );
    await response.arrayBuffer();
    answers.push({ path: `/${index}`, status: response.status, headers: kept, bytes: sent });
    requests[kind] = { path: `/${index}`, headers };
  }
  const list = join(folder, 'answers.json');
  await writeFile(list, JSON.stringify(answers));
  const program = fileURLToPath(new URL('./bare-files.ts', import.meta.url));
  return measured(
    await startProgram(process.execPath, [program, '18743', list], process.env, 18743, '/healthz'),
    requests,
  );
}

async function costOf({ server, requests }: Measured, kind: Kind): Promise<number> {
  const before = cpuSecondsOf(server.pid);
  const result = await autocannon({
    url: server.origin + requests[kind].path,
    headers: requests[kind].headers,
    connections: 50,
    amount: requestsPerRound,
  });
  const refused = result['4xx'] + result['5xx'];
  if (refused + result.errors > 0)
    throw new Error(`${kind} from ${server.origin}: ${refused} refused, ${result.errors} failed`);
  return ((cpuSecondsOf(server.pid) - before) * 1e6) / requestsPerRound;
}
