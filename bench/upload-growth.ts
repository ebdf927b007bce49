/** How the cost of uploads grows with their size and concurrency, compared with the bare sink. */
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printColumns, round } from './measure.ts';
import { writeLargeApk } from './packages.ts';
import { memoryOf, startProgram, startSlipway } from './run-server.ts';
import { removeStored, uploadToSink, uploadToSlipway } from './uploads.ts';

const mebibyte = 1024 * 1024;
const sizes = [4, 64, 1024, 4000];
const atOnce = [1, 4, 16, 64];
/** Total bytes of all uploads in one measurement. */
const maxMebibytes = 8192;

export async function benchUploadGrowth(folder: string): Promise<void> {
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

/** Half of the free space, limited so that it does not take too long. */
async function roomMebibytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return Math.min(maxMebibytes, (bavail * bsize) / mebibyte / 2);
}

async function secondsOf(count: number, work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await Promise.all(Array.from({ length: count }, work));
  return (performance.now() - before) / 1000;
}
