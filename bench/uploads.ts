/** Uploads compared with the bare sink and with express, interleaved in one run on one machine. */

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { curl } from './curl.ts';
import { atMost, median, physicalLimit, type Result, round } from './measure.ts';
import { benchKey, memoryOf, type RunningServer, treeMemoryBytes } from './run-server.ts';

const mebibyte = 1024 * 1024;
const address = '/api/users/admin/apps';

/** Seconds that curl needs to send the file and read the response. */
async function send(url: string, file: string): Promise<number> {
  const key = `Authorization: Bearer ${benchKey}`;
  return Number(
    await curl(['-o', '/dev/null', '-w', '%{time_total}', '-F', `file=@${file}`, '-H', key, url]),
  );
}

export const uploadToSlipway = (server: RunningServer, file: string) =>
  send(`${server.origin}${address}`, file);
export const uploadToSink = (server: RunningServer, file: string) => send(`${server.origin}/`, file);

export interface UploadRun {
  slipway: RunningServer;
  sink: RunningServer;
  /** Express, multer and app-info-parser. */
  express: RunningServer;
  /** The same, but the file and a row are durable before the response. */
  durable: RunningServer;
  dataFolder: string;
  large: string;
  small: string;
  /** Repetitions of each kind, interleaved. */
  runs: number;
}

export async function benchUploads(run: UploadRun): Promise<Result[]> {
  const { slipway, small, large } = run;
  await uploadToSlipway(slipway, small);
  await uploadToSlipway(slipway, large);
  await removeStored(run.dataFolder);
  const idle = memoryOf(slipway.pid).nowBytes;
  const times = await interleave(run, large, run.runs);
  const one = memoryOf(slipway.pid).peakBytes;
  const short = await interleave(run, small, run.runs * 3);
  const warm = treeMemoryBytes(slipway.pid);
  await Promise.all([1, 2, 3, 4].map(() => uploadToSlipway(slipway, large)));
  const four = memoryOf(slipway.pid).peakBytes;
  const afterFour = treeMemoryBytes(slipway.pid);
  await removeStored(run.dataFolder);
  const beyond = (short.slipway - short.sink) * 1000;
  return [
    atMost('large upload, times durable express', times.slipway / times.durable, 1, ' ×', secondsOf(times)),
    physicalLimit('large upload, times the bare sink', times.slipway / times.sink, ' ×'),
    physicalLimit('large upload, times express', times.slipway / times.express, ' ×'),
    atMost('4 MB upload, times durable express', short.slipway / short.durable, 1, ' ×', secondsOf(short)),
    physicalLimit('4 MB upload beyond the bare sink', beyond, ' ms'),
    physicalLimit('4 MB upload, times express', short.slipway / short.express, ' ×'),
    atMost('peak memory above warm idle, 1 upload', (one - idle) / mebibyte, 128, ' MiB'),
    atMost('peak memory above warm idle, 4 at once', (four - idle) / mebibyte, 128, ' MiB'),
    atMost('memory with warm package processes', warm / mebibyte, 230, ' MiB'),
    atMost('the same, right after 4 at once', afterFour / mebibyte, 230, ' MiB'),
  ];
}

const peers = ['slipway', 'durable', 'express', 'sink'] as const;
type Times = Record<(typeof peers)[number], number>;

function secondsOf(times: Times): string {
  return peers.map((name) => `${name} ${round(times[name] * 1000)} ms`).join(', ');
}

/** Medians in seconds. */
async function interleave(run: UploadRun, file: string, runs: number): Promise<Times> {
  const all: Record<keyof Times, number[]> = { slipway: [], durable: [], sink: [], express: [] };
  for (let count = 0; count < runs; count++) {
    all.slipway.push(await uploadToSlipway(run.slipway, file));
    all.sink.push(await uploadToSink(run.sink, file));
    // Three runs of the slow ones are enough.
    if (count < 3 || runs > 9) {
      all.durable.push(await uploadToSink(run.durable, file));
      all.express.push(await uploadToSink(run.express, file));
    }
    await removeStored(run.dataFolder);
  }
  return {
    slipway: median(all.slipway),
    durable: median(all.durable),
    sink: median(all.sink),
    express: median(all.express),
  };
}

/** Frees disk space; the rows of these files are no longer needed. */
export async function removeStored(dataFolder: string): Promise<void> {
  const folder = join(dataFolder, 'blobs', 'packages');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries)
    if (entry.isFile()) await rm(join(entry.parentPath, entry.name), { force: true });
}
