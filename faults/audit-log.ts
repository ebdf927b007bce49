/**
 * The audit log after a fault: `slipway audit verify` finds nothing in the database or in the file that the log is streamed to, the file
 * has every entry of the database in order, and every build has its entry.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { auditChainQueries } from '../src/audit/audit-chain-queries.ts';
import { readAuditStatus } from '../src/audit/audit-stream.ts';
import type { Data } from '../src/db/data.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { jsonLines } from '../test/support/run-cli.ts';
import type { Ground } from './ground.ts';
import { until } from './scenario.ts';

interface Problem {
  problem: string;
  seq: number | null;
  about: string | null;
}

interface Line {
  seq: number;
  entry?: { id: string; action: string; details: { build?: string } };
}

export interface AuditCheck {
  faults: string[];
  /** Entries in the database. */
  entries: number;
}

/** Resolves when everything recorded is sealed and sent. A server must be running. */
export async function auditLogStreamed(data: Data): Promise<void> {
  await until('the audit log was streamed', async () => {
    const { unsealed, sealed, stream } = await readAuditStatus(data);
    return !unsealed && stream.seq === sealed;
  });
}

/** As if the pause after the last failed attempt had ended. */
export async function endStreamPause(data: Data): Promise<void> {
  const { stream } = await readAuditStatus(data);
  if (stream.retryAt === 0) return;
  await data.transaction((tx) =>
    auditChainQueries(tx).setFact('audit-stream', JSON.stringify({ ...stream, retryAt: 0 })),
  );
}

/**
 * `streamed`: whether a server had the time to send everything. `hasOthers`: the file also has entries that the database does not have,
 * because an older backup was restored.
 */
export async function checkAuditLog(
  ground: Ground,
  { streamed, hasOthers = false }: { streamed: boolean; hasOthers?: boolean },
): Promise<AuditCheck> {
  const { ids, builds } = await readEntries(ground);
  if (ids.length === 0) return { faults: [], entries: 0 };
  const file = fileURLToPath(ground.environment.SLIPWAY_AUDIT_STREAM ?? '');
  const isThere = existsSync(file);
  const faults = await verifyFaults(ground, isThere && !hasOthers ? ['--file', file] : []);
  const lines = isThere ? wholeLines(await readFile(file, 'utf8')) : [];
  if (!hasOthers) faults.push(...orderFaults(lines));
  if (streamed) {
    const sent = new Set(lines.map(({ entry }) => entry?.id));
    const uploaded = new Set(
      lines.flatMap(({ entry }) => (entry?.action === 'build.uploaded' ? [entry.details.build] : [])),
    );
    faults.push(
      ...ids.filter((id) => !sent.has(id)).map((id) => `the entry ${id} of the audit log was not streamed`),
      ...builds
        .filter((id) => !uploaded.has(id))
        .map((id) => `the upload of the build ${id} is not in the audit log`),
    );
  }
  return { faults, entries: ids.length };
}

/** Empty before the first start has created the tables. */
async function readEntries(ground: Ground): Promise<{ ids: string[]; builds: string[] }> {
  const database = await openDatabase(ground.config().database);
  try {
    const { queries } = database;
    if (!(await queries.introspection.getTables()).some(({ name }) => name === 'mails'))
      return { ids: [], builds: [] };
    const entries = await queries.selectFrom('audit_rows').select('id').execute();
    const builds = await queries.selectFrom('builds').select('id').execute();
    return { ids: entries.map(({ id }) => id), builds: builds.map(({ id }) => id) };
  } finally {
    await database.close();
  }
}

async function verifyFaults(ground: Ground, args: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await ground.run(['audit', 'verify', '--json', ...args]);
  const found = jsonLines(stdout).flatMap((facts) => facts.problems as Problem[]);
  // A clock that is set back makes entries older than earlier ones.
  const problems = found.filter(({ problem }) => !(ground.clockJumps && problem === 'backdated'));
  if (code !== 0 && found.length === 0) return [`slipway audit verify ended with ${code}: ${stderr}`];
  return problems.map(({ problem, seq, about }) => `slipway audit verify: ${problem} ${seq} ${about ?? ''}`);
}

/** A process that was killed, or a full disk, can end a line early; it is sent again. */
function wholeLines(text: string): Line[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Line];
    } catch {
      return [];
    }
  });
}

function orderFaults(lines: readonly Line[]): string[] {
  let last = 0;
  return lines.flatMap(({ seq }) => {
    if (seq <= last) return [];
    const fault = seq === last + 1 ? [] : [`the stream of the audit log goes on with ${seq} after ${last}`];
    last = seq;
    return fault;
  });
}
