/**
 * The database goes down and comes back during uploads: PostgreSQL through breaking connections, SQLite through a
 * lock.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { startFaultyProxy } from '../test/support/faulty-proxy.ts';
import { createGround } from './ground.ts';
import { openLedger } from './ledger.ts';
import { isUnavailable, type Outcome, type Scenario, type ScenarioRun } from './scenario.ts';
import { faultWhileUploading } from './under-fault.ts';

export const databaseUnavailable: Scenario = {
  name: 'database',
  about:
    'PostgreSQL down and back; the SQLite file locked by another process, for less and for more than the lock timeout',
  stores: ['sqlite+disk', 'postgres+disk'],
  run: (run) => (run.stores === 'sqlite+disk' ? locked(run) : gone(run)),
};

async function gone(run: ScenarioRun): Promise<Outcome> {
  const ground = await createGround(run.servers, run.stores);
  const address = new URL(ground.environment.SLIPWAY_DATABASE_URL ?? '');
  const proxy = await startFaultyProxy(new URL(`http://${address.host}`));
  address.host = new URL(proxy.endpoint).host;
  try {
    return await faultWhileUploading(run, ground, openLedger(), {
      environment: { SLIPWAY_DATABASE_URL: address.href },
      name: 'cuts',
      times: Math.ceil(run.rounds / 10),
      mayBeRefused: isUnavailable,
      begin: async () => proxy.set({ kind: 'refuse' }),
      end: async () => proxy.set({ kind: 'none' }),
      refusesAtLast: true,
    });
  } finally {
    await ground.remove();
    await proxy.close();
  }
}

const driver = createRequire(import.meta.url).resolve('better-sqlite3');

async function locked(run: ScenarioRun): Promise<Outcome> {
  const ground = await createGround(run.servers, run.stores);
  const path = join(ground.dataFolder, 'slipway.sqlite');
  const program = `const db = require(${JSON.stringify(driver)})(${JSON.stringify(path)}); db.pragma('busy_timeout = 60000');
    db.exec('begin immediate'); console.log('locked'); process.stdin.resume(); process.stdin.on('end', () => db.close());`;
  let lock: ReturnType<typeof spawn> | null = null;
  try {
    return await faultWhileUploading(run, ground, openLedger(), {
      environment: {},
      name: 'locks',
      times: Math.ceil(run.rounds / 10),
      mayBeRefused: isUnavailable,
      begin: async () => {
        lock = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
        if (lock.stdout) await once(lock.stdout, 'data');
      },
      end: async () => {
        const holder = lock;
        lock = null;
        holder?.stdin?.end();
        if (holder) await once(holder, 'exit');
      },
      refusesAtLast: true,
    });
  } finally {
    await ground.remove();
  }
}
