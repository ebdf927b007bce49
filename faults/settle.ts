/** What comes after a fault: the next start clears away what is left, all owed work is done, and the server serves. */
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pino from 'pino';
import { buildQueries } from '../src/apps/builds/build-queries.ts';
import { sweepBlobs } from '../src/blobs/sweep-blobs.ts';
import type { Config } from '../src/config.ts';
import { AppError } from '../src/core/errors.ts';
import { openAlone } from '../src/db/open-alone.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { leaseMs } from '../src/jobs/outbox.ts';
import type { Service } from '../src/service.ts';
import { type CheckResult, checkInvariants } from './check-invariants.ts';
import { ask, hashOf } from './client.ts';
import { adminKey, type Ground, loadService } from './ground.ts';
import type { Ledger } from './ledger.ts';
import { until } from './scenario.ts';

const dayMs = 24 * 60 * 60_000;

/** As the fault has left it: no row may lack its blob, nothing that was acknowledged may be gone. No server may run. */
export async function checkAtOnce(
  ground: Ground,
  ledger: Ledger,
  compared: Set<string>,
): Promise<CheckResult> {
  await lastStatementsEnded(ground.config());
  return checkInvariants(ground.config(), { swept: false, ledger, compared });
}

/**
 * PostgreSQL finishes what a process asked for that is no more by then: a commit or a lease of such a one would come between
 * two of our looks.
 */
async function lastStatementsEnded({ database }: Config): Promise<void> {
  if (database.kind === 'sqlite') return;
  await until('PostgreSQL had ended what was asked for', async () => {
    try {
      await (await openAlone(database)).database.close();
      return true;
    } catch (error) {
      if (error instanceof AppError && error.kind === 'conflict') return false;
      throw error;
    }
  });
}

/** No server may run, and `checkAtOnce` has looked. */
export async function settleAndCheck(
  ground: Ground,
  ledger: Ledger,
  compared: Set<string>,
): Promise<CheckResult> {
  await letTimePass(ground);
  const { createService } = await loadService();
  const service = await createService(ground.config(), { logger: pino({ level: 'silent' }) });
  let serving: string[];
  try {
    const { port } = await service.listen();
    await service.startupSweep();
    await service.outbox.idle();
    await sweepLater(service);
    serving = await servingFaults(`http://127.0.0.1:${port}`, ledger);
  } finally {
    await service.close();
  }
  for (const build of ledger.builds.values()) if (build.expired) build.allowed = ['gone'];
  const result = await checkInvariants(ground.config(), { swept: true, ledger, compared, s3: ground.s3 });
  return { ...result, faults: [...result.faults, ...serving] };
}

/** Leases of processes that are no more have run out, and what they left in files has lain for days. */
async function letTimePass(ground: Ground): Promise<void> {
  const config = ground.config();
  await endLeases(config);
  // Other nodes may share what nodes on PostgreSQL write, so that there only a day makes litter.
  if (ground.stores === 'sqlite+disk') return;
  const then = new Date(Date.now() - 2 * dayMs);
  const folders = [join(config.dataFolder, 'spool')];
  if (config.blobs.kind === 'disk') folders.push(config.blobs.folder);
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), then, then);
    }
  }
}

/** As long after the end of the processes that held them. */
export async function endLeases(config: Config): Promise<void> {
  const database = await openDatabase(config.database);
  try {
    if (!(await database.queries.introspection.getTables()).some(({ name }) => name === 'mails')) return;
    await database.queries
      .updateTable('outbox')
      .set({ leased_until: null, run_at: 0 })
      .where('leased_until', 'is not', null)
      .execute();
    await database.queries
      .updateTable('mails')
      .set((set) => ({ updated_at: set('updated_at', '-', leaseMs) }))
      .where('state', '=', 'sending')
      .execute();
  } finally {
    await database.close();
  }
}

/** S3 dates by a clock of its own, so that its sweep is that of the day after tomorrow. */
export async function sweepLater({ blobs, data }: Pick<Service, 'blobs' | 'data'>): Promise<void> {
  await sweepBlobs({ store: blobs, isNamed: buildQueries(data).namedBlobs, before: Date.now() + dayMs });
}

/** One proof of writing counts for ten seconds. */
const readinessMs = 15_000;

/** Whether `/readyz` answers `status` before a proof of writing has become old. */
export async function becomesReady(origin: string, status: 200 | 503): Promise<boolean> {
  const deadline = performance.now() + readinessMs;
  while (performance.now() < deadline) {
    if ((await ask(`${origin}/readyz`))?.status === status) return true;
    await pause(200);
  }
  return false;
}

/** One of each: the list, a page of people, a package. */
export async function servingFaults(origin: string, ledger: Ledger): Promise<string[]> {
  const faults: string[] = [];
  const listed = await ask(`${origin}/api/organizations`, {
    headers: { authorization: `Bearer ${adminKey}` },
  });
  if (listed?.status !== 200) faults.push(`the list was answered ${listed?.status}`);
  if (!(await becomesReady(origin, 200))) faults.push('readyz did not become 200');
  const present = [...ledger.builds.values()].filter(({ allowed }) => allowed.join() === 'present');
  const last = present.at(-1);
  if (!last) return faults;
  const answer = await fetch(`${origin}${last.file}`);
  const hash = hashOf(new Uint8Array(await answer.arrayBuffer()));
  if (hash !== last.sha256) faults.push(`the package of revision ${last.revision} was sent with other bytes`);
  const page = [...ledger.pages.values()].flatMap(({ allowed }) => allowed)[0];
  if (!page?.accessKey) return faults;
  const opened = await ask(`${origin}/distributions/${page.accessKey}`, { headers: { accept: 'text/html' } });
  if (opened?.status !== 200) faults.push(`a distribution page was answered ${opened?.status}`);
  return faults;
}
