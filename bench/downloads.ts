/** Downloads beside nginx with sendfile, when it is on the machine. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { atLeast, atMost, median, type Result, round } from './measure.ts';
import { benchKey, type RunningServer, startProgram } from './run-server.ts';

const nginx = '/usr/sbin/nginx';
const rounds = 7;

export interface DownloadRun {
  slipway: RunningServer;
  large: string;
  folder: string;
}

export async function benchDownload({ slipway, large, folder }: DownloadRun): Promise<Result[]> {
  const form = new FormData();
  const file = await (await import('node:fs')).openAsBlob(large);
  form.set('file', file, 'large.apk');
  form.set('distribution_name', 'bench');
  const response = await fetch(`${slipway.origin}/api/users/admin/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${benchKey}` },
    body: form,
  });
  const { results } = (await response.json()) as { results: { file: string; distribution: { url: string } } };
  const page = await pageBytes(results.distribution.url);
  const pageResult = atMost('distribution page, HTML, CSS and script', page / 1024, 30, ' KiB');
  if (!existsSync(nginx)) {
    process.stderr.write('skipped: downloads beside nginx; apt-get install nginx-light brings it\n');
    return [pageResult];
  }
  const peer = await startNginx(large, folder);
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

async function startNginx(large: string, folder: string): Promise<RunningServer> {
  const prefix = join(folder, 'nginx');
  await mkdir(join(prefix, 'root'), { recursive: true });
  await copyFile(large, join(prefix, 'root', 'large.apk'));
  const configuration = join(prefix, 'nginx.conf');
  await writeFile(
    configuration,
    `daemon off; master_process off; pid ${prefix}/pid; error_log stderr crit; events {}
http { access_log off; sendfile on; client_body_temp_path ${prefix}/body; proxy_temp_path ${prefix}/proxy;
fastcgi_temp_path ${prefix}/fastcgi; uwsgi_temp_path ${prefix}/uwsgi; scgi_temp_path ${prefix}/scgi;
server { listen 127.0.0.1:18734; root ${prefix}/root; } }`,
  );
  return startProgram(nginx, ['-p', prefix, '-c', configuration], process.env, 18734, '/');
}

/** Seconds. */
async function download(address: string): Promise<number> {
  const child = spawn('curl', ['-s', '-o', '/dev/null', '-w', '%{http_code} %{time_total}', address], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  const [status, seconds] = text.split(' ');
  if (status !== '200') throw new Error(`${address} answered ${status}`);
  return Number(seconds);
}

/** Bytes on the wire of a page with the style and script that it loads, as a browser asks for them. */
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
  const args = ['-s', '-o', '/dev/null', '-w', '%{size_download}', '-H', 'Accept-Encoding: gzip', address];
  const child = spawn('curl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  return Number(text);
}
