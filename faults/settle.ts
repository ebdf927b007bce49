/** After a fault: the next start cleans up, all pending jobs finish, and the server works. */
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pino from 'pino';
import { buildQueries } from '../src/apps/builds/build-queries.ts';
import type { BlobStore } from '../src/blobs/blob-store.ts';
import { sweepBlobs } from '../src/blobs/sweep-blobs.ts';
import type { Config } from '../src/config.ts';
import { AppError } from '../src/core/errors.ts';
import { createData, type Data } from '../src/db/data.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { openExclusively } from '../src/db/open-exclusive.ts';
import { auditLogStreamed, checkAuditLog, endStreamPause } from './audit-log.ts';
import { type CheckOptions, type CheckResult, checkInvariants } from './check-invariants.ts';
import { ask, hashOf } from './client.ts';
import { adminKey, type Ground, loadService } from './ground.ts';
import type { Ledger } from './ledger.ts';
import { until } from './scenario.ts';

const dayMs = 24 * 60 * 60_000;

/**
 * Checks the state directly after the fault: every row has its blobs, and nothing acknowledged is lost. No server may
 * be running.
 */
export async function checkNow(ground: Ground, ledger: Ledger, compared: Set<string>): Promise<CheckResult> {
  await lastStatementsEnded(ground.config());
  return checkAll(ground, { swept: false, ledger, compared });
}

async function checkAll(ground: Ground, options: CheckOptions): Promise<CheckResult> {
  const result = await checkInvariants(ground.config(), options);
  const { faults, entries } = await checkAuditLog(ground, { streamed: options.swept });
  return { ...result, faults: [...result.faults, ...faults], audited: entries };
}

/**
 * PostgreSQL finishes statements of processes that no longer exist: their commit or lease must not happen between
 * two checks.
 */
async function lastStatementsEnded({ database }: Config): Promise<void> {
  if (database.kind === 'sqlite') return;
  await until('PostgreSQL had ended what was asked for', async () => {
    try {
      await (await openExclusively(database)).database.close();
      return true;
    } catch (error) {
      if (error instanceof AppError && error.kind === 'conflict') return false;
      throw error;
    }
  });
}

/** No server may be running, and `checkNow` must have run. `spools`: folders of further nodes, which no restart cleans up. */
export async function settleAndCheck(
  ground: Ground,
  ledger: Ledger,
  compared: Set<string>,
  spools: readonly string[] = [],
): Promise<CheckResult> {
  await letTimePass(ground);
  const { createService } = await loadService();
  const service = await createService(ground.config(), { logger: pino({ level: 'silent' }) });
  let serving: string[];
  try {
    const { port } = await service.listen();
    await service.startupSweep();
    await service.outbox.idle();
    await withData(ground.config(), async (data) => {
      await sweepLater({ blobs: service.blobs, data });
      await auditLogStreamed(data);
    });
    serving = await servingErrors(`http://127.0.0.1:${port}`, ledger);
  } finally {
    await service.close();
  }
  for (const build of ledger.builds.values()) if (build.expired) build.allowed = ['gone'];
  const options = { swept: true, ledger, compared, s3: ground.s3, spools };
  const result = await checkAll(ground, options);
  return { ...result, faults: [...result.faults, ...serving] };
}

/** Expires the leases of dead processes and ages their files by days. */
async function letTimePass(ground: Ground): Promise<void> {
  const config = ground.config();
  await endLeases(config);
  // Other nodes may share what nodes on PostgreSQL write, so there only files older than a day are removed.
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

/** As if the leases had ended since, and everything were due. */
export async function endLeases(config: Config): Promise<void> {
  const database = await openDatabase(config.database);
  try {
    if (!(await database.queries.introspection.getTables()).some(({ name }) => name === 'mails')) return;
    await database.queries
      .updateTable('outbox')
      .set({ leased_until: null, run_at: 0 })
      .where('leased_until', 'is not', null)
      .execute();
    await endStreamPause(createData(database));
  } finally {
    await database.close();
  }
}

/** Opens a separate connection, because the service is compiled and its modules are not those of this process. */
export async function withData<T>(config: Config, work: (data: Data) => Promise<T>): Promise<T> {
  const database = await openDatabase(config.database);
  try {
    return await work(createData(database));
  } finally {
    await database.close();
  }
}

/** S3 uses its own clock, so its sweep runs with the date of the day after tomorrow. */
export async function sweepLater({ blobs, data }: { blobs: BlobStore; data: Data }): Promise<void> {
  await sweepBlobs({ store: blobs, isNamed: buildQueries(data).namedBlobs, before: Date.now() + dayMs });
}

/** A proof of writing is cached for ten seconds. */
const readinessMs = 15_000;

/** Whether `/readyz` returns `status` before a cached proof of writing expires. */
export async function becomesReady(origin: string, status: 200 | 503): Promise<boolean> {
  const deadline = performance.now() + readinessMs;
  while (performance.now() < deadline) {
    if ((await ask(`${origin}/readyz`))?.status === status) return true;
    await pause(200);
  }
  return false;
}

/** Requests the list, a page of people and a package. */
export async function servingErrors(origin: string, ledger: Ledger): Promise<string[]> {
  const faults: string[] = [];
  const listed = await ask(`${origin}/api/organizations`, {
    headers: { authorization: `Bearer ${adminKey}` },
  });
  if (listed?.status !== 200) faults.push(`the list got ${listed?.status}`);
  if (!(await becomesReady(origin, 200))) faults.push('readyz did not become 200');
  const present = [...ledger.builds.values()].filter(({ allowed }) => allowed.join() === 'present');
  const last = present.at(-1);
  if (!last) return faults;
  const answer = await fetch(`${origin}${last.file}`);
  const hash = hashOf(new Uint8Array(await answer.arrayBuffer()));
  if (hash !== last.sha256)
    faults.push(`the package of revision ${last.revision} was sent with different bytes`);
  const page = [...ledger.pages.values()].flatMap(({ allowed }) => allowed)[0];
  if (!page?.accessKey) return faults;
  const opened = await ask(`${origin}/distributions/${page.accessKey}`, { headers: { accept: 'text/html' } });
  if (opened?.status !== 200) faults.push(`a distribution page got ${opened?.status}`);
  return faults;
}
