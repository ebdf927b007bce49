/**
 * The wait of testers after a CI run: a durable, hashed upload and its first download, compared with PUT, fsync, MD5 and
 * SHA-256 of the stored file (`openssl dgst`, faster than `sha256sum`) and GET on nginx.
 */
import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { curl } from './curl.ts';
import { atMost, median, physicalLimit, type Result, round } from './measure.ts';
import { hasNginx, startNginx } from './nginx.ts';
import { benchKey, type RunningServer } from './run-server.ts';
import { removeStored } from './uploads.ts';

const port = 18738;
const runProgram = promisify(execFile);

export interface PairRun {
  slipway: RunningServer;
  dataFolder: string;
  large: string;
  folder: string;
  /** Repetitions of one at a time; half as many with four at once. */
  runs: number;
  /** The kind of file system. */
  where: string;
}

/** Seconds until all uploads are durable, and of the downloads afterwards. */
interface Pair {
  uploads: number;
  downloads: number;
}

export async function benchUploadThenDownload(run: PairRun): Promise<Result[]> {
  if (!hasNginx('upload and first download')) return [];
  const root = join(run.folder, 'dav');
  const peer = await startNginx(root, port, 'client_max_body_size 0; location / { dav_methods PUT; }');
  const results: Result[] = [];
  try {
    for (const [atOnce, limit] of [
      [1, 0.7],
      [4, 1],
    ] as const) {
      const ours: Pair[] = [];
      const theirs: Pair[] = [];
      const unhashed: Pair[] = [];
      // The first of each is a warm-up.
      for (let count = 0; count <= Math.ceil(run.runs / atOnce ** 0.5); count++) {
        const nginx = (hashes: boolean) => nginxPair(run.large, root, peer.origin, { atOnce, hashes });
        const pairs = [await slipwayPair(run, atOnce), await nginx(true), await nginx(false)] as const;
        if (count === 0) continue;
        ours.push(pairs[0]);
        theirs.push(pairs[1]);
        unhashed.push(pairs[2]);
      }
      const [mine, other, least] = [secondsOf(ours), secondsOf(theirs), secondsOf(unhashed)];
      const note = (peer: typeof other) => `${inWords(mine)}; nginx ${inWords(peer)}`;
      const what = `upload and first download, ${run.where}, ${atOnce === 1 ? 'one' : 'four'} at once, times nginx`;
      results.push(atMost(`${what} and hashes`, mine.both / other.both, limit, ' ×', note(other)));
      results.push(physicalLimit(what, mine.both / least.both, ' ×', note(least)));
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

async function nginxPair(
  large: string,
  root: string,
  origin: string,
  { atOnce, hashes }: { atOnce: number; hashes: boolean },
): Promise<Pair> {
  const [uploads] = await timed(async () => {
    await times(atOnce, async (index) => {
      await curl(['-T', large, `${origin}/${index}.apk`]);
      const path = join(root, `${index}.apk`);
      for (const synced of [path, root]) await syncPath(synced);
      if (hashes)
        await Promise.all(['-md5', '-sha256'].map((hash) => runProgram('openssl', ['dgst', hash, path])));
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
