/** nginx on loopback in front of several nodes, round robin; skips nodes that do not answer. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

const program = '/usr/sbin/nginx';
export const hasLoadBalancer = existsSync(program);

export interface LoadBalancer {
  origin: string;
  stop(): Promise<void>;
}

/** Uses the configuration of docs/operations.md with the nodes of a test, in a temporary folder. */
export async function startLoadBalancer(ports: readonly number[], upstream: string): Promise<LoadBalancer> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-balancer-'));
  const port = await freePort();
  const nodes = ports.map((node) => `    server 127.0.0.1:${node} max_fails=0;`).join('\n');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join('\n');
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr crit;
events {}
http {
access_log off;
${temporary}
upstream slipway {
${nodes}
}
server {
    listen 127.0.0.1:${port};
${upstream}
}
}`,
  );
  const child = spawn(program, ['-p', folder, '-e', 'stderr', '-c', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'close');
  while (!(await isOpen(port))) {
    if (child.exitCode !== null) throw new Error('nginx did not start');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
