/** Downloads compared with nginx and sendfile, if nginx is installed. */
import { openAsBlob } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { curl } from './curl.ts';
import { atLeast, atMost, median, type Result, round } from './measure.ts';
import { hasNginx, startNginx } from './nginx.ts';
import { benchKey, type RunningServer } from './run-server.ts';

const port = 18734;
const rounds = 7;

export interface DownloadRun {
  slipway: RunningServer;
  large: string;
  folder: string;
}

export async function benchDownload({ slipway, large, folder }: DownloadRun): Promise<Result[]> {
  const form = new FormData();
  form.set('file', await openAsBlob(large), 'large.apk');
  form.set('distribution_name', 'bench');
  const response = await fetch(`${slipway.origin}/api/users/admin/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${benchKey}` },
    body: form,
  });
  const { results } = (await response.json()) as { results: { file: string; distribution: { url: string } } };
  const page = await pageBytes(results.distribution.url);
  const pageResult = atMost('distribution page, HTML, CSS and script', page / 1024, 30, ' KiB');
  if (!hasNginx('downloads')) return [pageResult];
  const root = join(folder, 'nginx');
  const peer = await startNginx(root, port);
  await copyFile(large, join(root, 'large.apk'));
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let count = 0; count < rounds; count++) {
    ours.push(await download(results.file));
    theirs.push(await download(`${peer.origin}/large.apk`));
  }
  await peer.stop();
  const ratio = (median(theirs) / median(ours)) * 100;
  const note = `${round(median(ours))} s, nginx ${round(median(theirs))} s`;
  return [pageResult, atLeast('download, of the speed of nginx', ratio, 85, ' %', note)];
}

/** Seconds. */
async function download(address: string): Promise<number> {
  return Number(await curl(['-o', '/dev/null', '-w', '%{time_total}', address]));
}

/** Bytes on the wire of a page with its stylesheet and script, as a browser requests them. */
async function pageBytes(address: string): Promise<number> {
  const html = await (await fetch(address)).text();
  const loaded = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:css|js)[^"]*)"/g)].map(
    ([, path = '']) => new URL(path.replaceAll('&amp;', '&'), address).href,
  );
  let total = 0;
  for (const part of [address, ...loaded]) total += await wireBytes(part);
  return total;
}

async function wireBytes(address: string): Promise<number> {
  const args = ['-o', '/dev/null', '-w', '%{size_download}', '-H', 'Accept-Encoding: gzip', address];
  return Number(await curl(args));
}
