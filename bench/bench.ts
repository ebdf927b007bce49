/**
 * `npm run bench`: speed and memory as ratios beside the least that could do the same, in one run on one machine.
 * `--large-mib N` (default 1024) sets the large upload, `--runs N` (default 7) how often each is measured.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchDownload } from './downloads.ts';
import { benchList } from './lists.ts';
import { atMost, printTable, type Result } from './measure.ts';
import { writeLargeApk } from './packages.ts';
import { fillProjects } from './projects.ts';
import { memoryOf, startProgram, startSlipway } from './run-server.ts';
import { benchUploads } from './uploads.ts';

const mebibyte = 1024 * 1024;
const { values } = parseArgs({
  options: { 'large-mib': { type: 'string', default: '1024' }, runs: { type: 'string', default: '7' } },
});
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
const dataFolder = join(folder, 'data');
const settings = { SLIPWAY_DATA_DIR: dataFolder, SLIPWAY_PORT: '18731' };
const results: Result[] = [];

try {
  const large = join(folder, 'large.apk');
  const small = join(folder, 'small.apk');
  await writeLargeApk(large, Number(values['large-mib']) * mebibyte);
  await writeLargeApk(small, 4 * mebibyte);

  await (await startSlipway(settings)).stop();
  await fillProjects(settings, 10);
  const slipway = await startSlipway(settings);
  results.push(atMost('ready after the process starts', slipway.readyAfterMs / 1000, 1, ' s'));
  results.push(atMost('memory at rest', memoryOf(slipway.pid).nowBytes / mebibyte, 130, ' MiB'));

  const sink = await startProgram(
    process.execPath,
    [here('./sink.ts'), join(folder, 'sink'), '18732'],
    process.env,
    18732,
    '/',
  );
  results.push(
    ...(await benchUploads({ slipway, sink, dataFolder, large, small, runs: Number(values.runs) })),
  );
  await sink.stop();

  const bareArgs = [here('./bare-list.ts'), '18733', `sqlite:${join(dataFolder, 'slipway.sqlite')}`];
  const bare = await startProgram(process.execPath, bareArgs, process.env, 18733, '/healthz');
  results.push(await benchList('List Your Projects on SQLite', slipway.origin, bare.origin));
  await bare.stop();
  results.push(...(await benchDownload({ slipway, large, folder })));
  await slipway.stop();
} finally {
  await rm(folder, { recursive: true, force: true });
}
printTable(results);
process.exitCode = results.every((result) => result.good) ? 0 : 1;
