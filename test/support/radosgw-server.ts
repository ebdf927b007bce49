/**
 * A real S3 service on free ports of the loopback address, in a temporary folder: Ceph's object gateway with one
 * monitor and one in-memory store. Prints its future address as one line of JSON, and stops when standard input ends.
 * It runs in a separate process, so that it ends when the tests are killed.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from './free-port.ts';
import type { S3Service } from './s3-scratch.ts';

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'slipway-radosgw-'));
const configuration = join(folder, 'ceph.conf');
const [monitorPort, gatewayPort] = await Promise.all([freePort(), freePort()]);
const service: S3Service = {
  endpoint: `http://127.0.0.1:${gatewayPort}`,
  bucket: 'slipway-tests',
  accessKeyId: 'slipway',
  secretAccessKey: 'secret-of-the-tests',
};
const running: ChildProcess[] = [];
let stopping = false;

process.stdin.resume();
process.stdin.once('end', () => stop(0));
process.stdout.write(`${JSON.stringify(service)}\n`);
await start().catch(async (error) => {
  if (stopping) return;
  process.stderr.write(`radosgw did not start: ${error}\n${await readStartupLog()}\n`);
  await stop(1);
});

async function start(): Promise<void> {
  const fsid = randomUUID();
  const osd = randomUUID();
  for (const name of ['mon', 'osd', 'rgw']) await mkdir(join(folder, name));
  await writeFile(configuration, cephConfiguration(fsid));
  const map = join(folder, 'monmap');
  const address = `[v2:127.0.0.1:${monitorPort}]`;
  await run('monmaptool', ['--create', '--fsid', fsid, '--addv', 'a', address, map]);
  await run('ceph-mon', ['--mkfs', '-i', 'a', '-c', configuration, '--monmap', map]);
  launch('ceph-mon', ['-i', 'a']);
  await run('ceph', ['-c', configuration, '--connect-timeout', '60', 'osd', 'new', osd]);
  await run('ceph-osd', ['--mkfs', '-i', '0', '-c', configuration, '--osd-uuid', osd]);
  await run('ceph', ['-c', configuration, 'osd', 'crush', 'add', '0', '1', 'root=default']);
  launch('ceph-osd', ['-i', '0']);
  await run('radosgw-admin', [
    ...['--no-mon-config', '-c', configuration, 'user', 'create', '--uid=tests', '--display-name=tests'],
    ...[`--access-key=${service.accessKeyId}`, `--secret-key=${service.secretAccessKey}`],
  ]);
  launch('radosgw', ['-n', 'client.rgw']);
  await createBucket();
}

/** Retries until the gateway answers. */
async function createBucket(): Promise<void> {
  const client = new S3Client({
    endpoint: service.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: service,
    maxAttempts: 1,
  });
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: service.bucket }));
      return;
    } catch (error) {
      if (stopping || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function launch(program: string, args: string[]): void {
  if (stopping) throw new Error('stopped');
  const log = openSync(join(folder, `${program}.log`), 'a');
  const child = spawn(program, ['-f', '--no-mon-config', '-c', configuration, ...args], {
    stdio: ['ignore', log, log],
  });
  running.push(child);
  child.once('exit', (code) => {
    if (stopping) return;
    process.stderr.write(`${program} ended with ${code}\n`);
    stop(1);
  });
}

async function readStartupLog(): Promise<string> {
  const logs = ['ceph-mon', 'ceph-osd', 'radosgw'].map((name) =>
    readFile(join(folder, `${name}.log`), 'utf8').catch(() => ''),
  );
  return (await Promise.all(logs)).map((text) => text.slice(-2000)).join('');
}

/** No orderly shutdown is needed, because nothing is kept. */
async function stop(code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  for (const child of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await rm(folder, { recursive: true, force: true });
  process.exit(code);
}

/** Without authentication between its parts, which requires plain connections, and with short election timeouts. */
function cephConfiguration(fsid: string): string {
  const settings = {
    fsid,
    mon_host: `[v2:127.0.0.1:${monitorPort}/0]`,
    public_network: '127.0.0.0/8',
    auth_cluster_required: 'none',
    auth_service_required: 'none',
    auth_client_required: 'none',
    ms_mon_client_mode: 'crc',
    ms_mon_service_mode: 'crc',
    ms_mon_cluster_mode: 'crc',
    ms_client_mode: 'crc',
    run_dir: folder,
    crash_dir: folder,
    admin_socket: '',
    keyring: join(folder, 'keyring'),
    log_file: '',
    mon_cluster_log_to_file: false,
    mon_data: join(folder, 'mon'),
    mon_allow_pool_size_one: true,
    mon_max_pg_per_osd: 10_000,
    mon_data_avail_crit: 0,
    paxos_propose_interval: 0.01,
    paxos_min_wait: 0.01,
    osd_data: join(folder, 'osd'),
    osd_objectstore: 'memstore',
    memstore_device_bytes: 8 * 1024 ** 3,
    osd_pool_default_size: 1,
    osd_pool_default_min_size: 1,
    osd_pool_default_pg_num: 1,
    osd_pool_default_pgp_num: 1,
    osd_pool_default_pg_autoscale_mode: 'off',
    osd_crush_chooseleaf_type: 0,
    osd_crush_update_on_start: false,
    osd_class_update_on_start: false,
    rgw_data: join(folder, 'rgw'),
    rgw_frontends: `beast endpoint=127.0.0.1:${gatewayPort} tcp_nodelay=1`,
    // Frees the memory of removed objects soon.
    rgw_gc_obj_min_wait: 5,
    rgw_gc_processor_period: 5,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  return `[global]\n${lines.join('\n')}\n`;
}
