/** What testers wait for after a CI run: a durable upload and the first download of it, beside nginx, with PUT, fsync and GET. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { atMost, median, type Result, round } from './measure.ts';
import { benchKey, type RunningServer, startProgram } from './run-server.ts';
import { removeStored } from './uploads.ts';

const nginx = '/usr/sbin/nginx';
const port = 18738;

export interface PairRun {
  slipway: RunningServer;
  dataFolder: string;
  large: string;
  folder: string;
  /** Of one at a time; of four at once half as many. */
  runs: number;
}

/** Seconds of the uploads until all are durable, and of the downloads after it. */
interface Pair {
  uploads: number;
  downloads: number;
}

export async function benchUploadThenDownload(run: PairRun): Promise<Result[]> {
  if (!existsSync(nginx)) {
    process.stderr.write(
      'skipped: upload and first download beside nginx; apt-get install nginx-light brings it\n',
    );
    return [];
  }
  const root = join(run.folder, 'dav');
  const peer = await startDavServer(root);
  const results: Result[] = [];
  try {
    for (const [atOnce, limit] of [
      [1, 1.4],
      [4, 1.65],
    ] as const) {
      const ours: Pair[] = [];
      const theirs: Pair[] = [];
      // The first of each is not counted.
      for (let count = 0; count <= Math.ceil(run.runs / atOnce ** 0.5); count++) {
        const pairs = [await slipwayPair(run, atOnce), await nginxPair(run.large, root, peer.origin, atOnce)];
        if (count === 0) continue;
        ours.push(pairs[0] as Pair);
        theirs.push(pairs[1] as Pair);
      }
      const [mine, other] = [secondsOf(ours), secondsOf(theirs)];
      const note = `${inWords(mine)}; nginx ${inWords(other)}`;
      const what = `upload and first download, ${atOnce === 1 ? 'one' : 'four'} at once, times nginx`;
      results.push(atMost(what, mine.both / other.both, limit, ' ×', note));
    }
  } finally {
    await peer.stop();
  }
  return results;
}

function secondsOf(pairs: readonly Pair[]) {
  return {
    uploads: median(pairs.map(({ uploads }) => uploads)),
    downloads: median(pairs.map(({ downloads }) => downloads)),
    both: median(pairs.map(({ uploads, downloads }) => uploads + downloads)),
  };
}

const inWords = ({ uploads, downloads }: Pair) => `${round(uploads)} + ${round(downloads)} s`;

async function slipwayPair({ slipway, dataFolder, large }: PairRun, atOnce: number): Promise<Pair> {
  const form = ['-F', `file=@${large}`, '-H', `Authorization: Bearer ${benchKey}`];
  const [uploads, answers] = await timed(() =>
    times(atOnce, () => curl([...form, `${slipway.origin}/api/users/admin/apps`])),
  );
  const files = answers.map((text) => (JSON.parse(text) as { results: { file: string } }).results.file);
  const [downloads] = await timed(() =>
    times(atOnce, (index) => curl(['-o', '/dev/null', files[index] ?? ''])),
  );
  await removeStored(dataFolder);
  return { uploads, downloads };
}

async function nginxPair(large: string, root: string, origin: string, atOnce: number): Promise<Pair> {
  const [uploads] = await timed(async () => {
    await times(atOnce, async (index) => {
      await curl(['-T', large, `${origin}/${index}.apk`]);
      for (const path of [join(root, `${index}.apk`), root]) await syncPath(path);
    });
  });
  const [downloads] = await timed(() =>
    times(atOnce, (index) => curl(['-o', '/dev/null', `${origin}/${index}.apk`])),
  );
  await times(atOnce, (index) => rm(join(root, `${index}.apk`)));
  return { uploads, downloads };
}

const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const before = performance.now();
  const result = await work();
  return [(performance.now() - before) / 1000, result];
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync();
  await handle.close();
}

/** What it printed. */
async function curl(args: readonly string[]): Promise<string> {
  const child = spawn('curl', ['-sS', '--fail', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  if (child.exitCode !== null && child.exitCode !== 0) throw new Error(`curl ${args.join(' ')} failed`);
  return text;
}

async function startDavServer(root: string): Promise<RunningServer> {
  const prefix = `${root}-server`;
  await mkdir(root, { recursive: true });
  await mkdir(prefix, { recursive: true });
  const configuration = join(prefix, 'nginx.conf');
  await writeFile(
    configuration,
    `daemon off; master_process off; pid ${prefix}/pid; error_log stderr crit; events {}
http { access_log off; sendfile on; client_body_temp_path ${prefix}/body; proxy_temp_path ${prefix}/proxy;
fastcgi_temp_path ${prefix}/fastcgi; uwsgi_temp_path ${prefix}/uwsgi; scgi_temp_path ${prefix}/scgi;
server { listen 127.0.0.1:${port}; root ${root}; client_max_body_size 0; location / { dav_methods PUT; } } }`,
  );
  return startProgram(nginx, ['-p', prefix, '-c', configuration], process.env, port, '/');
}
