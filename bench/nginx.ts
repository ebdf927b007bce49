/** nginx, the baseline for uploads and downloads. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningServer, startProgram } from './run-server.ts';

const program = '/usr/sbin/nginx';

/** Prints what is skipped when nginx is not installed. */
export function hasNginx(what: string): boolean {
  if (existsSync(program)) return true;
  process.stderr.write(`skipped: ${what} beside nginx; apt-get install nginx-light brings it\n`);
  return false;
}

/** Starts one process that serves the folder `root`; `directives` are added to its server block. */
export async function startNginx(root: string, port: number, directives = ''): Promise<RunningServer> {
  const prefix = `${root}-server`;
  await mkdir(root, { recursive: true });
  await mkdir(prefix, { recursive: true });
  const configuration = join(prefix, 'nginx.conf');
  await writeFile(
    configuration,
    `daemon off; master_process off; pid ${prefix}/pid; error_log stderr crit; events {}
http { access_log off; sendfile on; client_body_temp_path ${prefix}/body; proxy_temp_path ${prefix}/proxy;
fastcgi_temp_path ${prefix}/fastcgi; uwsgi_temp_path ${prefix}/uwsgi; scgi_temp_path ${prefix}/scgi;
server { listen 127.0.0.1:${port}; root ${root}; ${directives} } }`,
  );
  return startProgram(program, ['-p', prefix, '-c', configuration], process.env, port, '/');
}
