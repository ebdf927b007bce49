/** Uploads beside the bare sink, interleaved in one run on one machine. */
import { spawn } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { atMost, median, type Result } from './measure.ts';
import { benchKey, memoryOf, type RunningServer } from './run-server.ts';

const mebibyte = 1024 * 1024;

/** Seconds that curl took to send the file and read the answer. Rejects unless the status is 200. */
export async function upload(origin: string, path: string, file: string): Promise<number> {
  const args = ['-s', '-o', '/dev/null', '-w', '%{http_code} %{time_total}', '-F', `file=@${file}`];
  args.push('-H', `Authorization: Bearer ${benchKey}`, `${origin}${path}`);
  const child = spawn('curl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  const [status, seconds] = text.split(' ');
  if (status !== '200') throw new Error(`${origin} answered ${status}`);
  return Number(seconds);
}

export interface UploadRun {
  slipway: RunningServer;
  sink: RunningServer;
  dataFolder: string;
  large: string;
  small: string;
  /** Of each kind, interleaved. */
  runs: number;
}

const address = '/api/users/admin/apps';

export async function benchUploads(run: UploadRun): Promise<Result[]> {
  const { slipway, sink } = run;
  await upload(slipway.origin, address, run.small);
  await upload(slipway.origin, address, run.large);
  await removeStored(run);
  const idle = memoryOf(slipway.pid).nowBytes;
  const [large, largeSink] = await interleave(run, run.large, run.runs);
  const one = memoryOf(slipway.pid).peakBytes;
  const [small, smallSink] = await interleave(run, run.small, run.runs * 3);
  await Promise.all([1, 2, 3, 4].map(() => upload(slipway.origin, address, run.large)));
  const four = memoryOf(slipway.pid).peakBytes;
  await removeStored(run);
  await upload(sink.origin, '/', run.small);
  return [
    atMost(
      'large upload, times the sink',
      large / largeSink,
      1.35,
      '×',
      `${large.toFixed(2)} s, sink ${largeSink.toFixed(2)} s`,
    ),
    atMost('peak memory above warm idle, 1 upload', (one - idle) / mebibyte, 128, ' MiB'),
    atMost('peak memory above warm idle, 4 at once', (four - idle) / mebibyte, 128, ' MiB'),
    atMost(
      '4 MB upload beyond the sink',
      (small - smallSink) * 1000,
      15,
      ' ms',
      `${(small * 1000).toFixed(1)} ms, sink ${(smallSink * 1000).toFixed(1)} ms`,
    ),
    atMost('memory with warm workers', memoryOf(slipway.pid).nowBytes / mebibyte, 210, ' MiB'),
  ];
}

async function interleave(run: UploadRun, file: string, runs: number): Promise<[number, number]> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let count = 0; count < runs; count++) {
    ours.push(await upload(run.slipway.origin, address, file));
    theirs.push(await upload(run.sink.origin, '/', file));
    await removeStored(run);
  }
  return [median(ours), median(theirs)];
}

/** The disk must not fill up; rows that name these files are of no further use. */
async function removeStored({ dataFolder }: UploadRun): Promise<void> {
  const folder = join(dataFolder, 'blobs', 'packages');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries)
    if (entry.isFile()) await rm(join(entry.parentPath, entry.name), { force: true });
}
