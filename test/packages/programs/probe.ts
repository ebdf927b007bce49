/** Replaces the package reader process and reports its permissions on standard error. */
import { spawnSync } from 'node:child_process';
import dgram from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';

// As the server starts it: the process may read no other code.
await import(String(new URL('../../../dist/packages/package-child-main.js', import.meta.url)));

const packagePath = process.argv[2] ?? '';
const attempts: Record<string, () => unknown> = {
  'read the package': () => readFileSync(packagePath),
  'list the folder of packages': () => readdirSync(dirname(packagePath)),
  'read another file': () => readFileSync('/etc/passwd'),
  'read the environment of the server': () => readFileSync(`/proc/${process.ppid}/environ`),
  'write a file': () => writeFileSync('/tmp/slipway-written', 'x'),
  'write the package': () => writeFileSync(packagePath, 'x'),
  'write an APK': () => writeFileSync(`${packagePath}.apk`, 'x'),
  'make a link': () => symlinkSync('/etc/passwd', '/tmp/slipway-linked'),
  'start a program': () => spawnSync('true'),
  'start a thread': () => new Worker('0', { eval: true }),
  'evaluate text': () => new Function('return 1')(),
  'open a connection': () => net.connect(9, '127.0.0.1'),
  listen: () => net.createServer().listen(0),
  'listen by the function behind `listen`': () =>
    (net.createServer() as unknown as { _listen2(...where: unknown[]): void })._listen2('127.0.0.1', 0, 4),
  'listen by the prototype': () => {
    const server = Object.create(net.Server.prototype) as { _listen2(...where: unknown[]): void };
    server._listen2('127.0.0.1', 0, 4);
  },
  'make a raw handle': () =>
    (net as unknown as { _createServerHandle(...where: unknown[]): unknown })._createServerHandle(
      '127.0.0.1',
      0,
      4,
    ),
  'send a datagram': () => dgram.createSocket('udp4').send('x', 9, '127.0.0.1'),
  'resolve a name': () => lookup('localhost'),
  fetch: () => fetch('http://127.0.0.1:9/'),
};

createInterface({ input: process.stdin }).on('line', async () => {
  const done: string[] = [];
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      await attempt();
      done.push(name);
    } catch {}
  }
  const environment = Object.keys(process.env).sort();
  const interfaces = Object.keys(networkInterfaces());
  process.stderr.write(`${JSON.stringify({ done, environment, interfaces })}\n`);
});
