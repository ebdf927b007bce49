/** Opens a reader like the server, starts two processes, prints their ids and waits. */
import { subscribe } from 'node:diagnostics_channel';
import { createPackageReader } from '../../../src/packages/package-reader.ts';

const [folder = '', path = ''] = process.argv.slice(2);
const pids: unknown[] = [];
subscribe('child_process', (message) => {
  const { process: child } = message as { process: import('node:child_process').ChildProcess };
  child.once('spawn', () => pids.push(child.pid));
});
const reader = createPackageReader({ folder });
await Promise.all([reader.read(path, 'ann'), reader.drawMonogram('Test', 'seed', 'ann')]);
process.stdout.write(JSON.stringify(pids));
setInterval(() => {}, 1000);
