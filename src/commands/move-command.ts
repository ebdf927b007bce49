/** `slipway move`: moves the database, the files or both to another location, such as PostgreSQL and S3. */

import { join } from 'node:path';
import { openBlobStore } from '../blobs/open-blob-store.ts';
import { createSpool } from '../blobs/spool/spool.ts';
import type { Config } from '../config.ts';
import { formatBytes } from '../core/byte-size.ts';
import { type MoveResult, moveBlobs } from '../operations/backup/move-blobs.ts';
import { type CommandIo, print } from './command-io.ts';
import { type MoveOptions, type MovePlan, planMove } from './move-settings.ts';
import { writeLines } from './terminal-text.ts';
import { acquireProcessLock, openEmptyData, openSourceData, type SourceData } from './with-data.ts';

/** Interval of progress reports. */
const progressMs = 5_000;

export async function runMove(io: CommandIo, options: MoveOptions): Promise<void> {
  const plan = await planMove(io, options);
  const source = await openSourceData(io, plan.from, options.ahead !== true);
  const report = createProgress(io, options.json ?? false);
  try {
    const moved = await moveAll(plan, source, { ...options, pid: io.host.pid }, report);
    print(io, options.json ?? false, factsOf(plan, moved), ...summaryOf(plan, moved, options));
  } finally {
    await source.close();
  }
}

type MoveRun = MoveOptions & { pid: number };

interface Moved {
  files: MoveResult | null;
  database: { tables: number; rows: number } | null;
}

/** Moves the files first, then all rows that reference them in one transaction, so that an interrupted move can be resumed. */
async function moveAll(
  plan: MovePlan,
  source: SourceData,
  options: MoveRun,
  report: (text: string) => void,
): Promise<Moved> {
  const { moves, to } = plan;
  const target = moves.database ? await openEmptyData(to.database) : null;
  try {
    const files = moves.files ? await moveFiles(plan, source, options, report) : null;
    const database = target && (await source.copyTo(target, (rows) => report(`${count(rows)} rows copied`)));
    return { files, database };
  } finally {
    await target?.close();
  }
}

async function moveFiles(
  { from, to }: MovePlan,
  { data }: SourceData,
  { ahead = false, verify = false, pid }: MoveRun,
  report: (text: string) => void,
): Promise<MoveResult> {
  // Not the server's spool, because a starting server treats files there as leftovers.
  const lock = acquireProcessLock(join(from.dataFolder, 'move.lock'), 'another move', { pid, nodeId: null });
  const spool = createSpool({
    folder: join(from.dataFolder, 'move'),
    minimumFreeBytes: from.limits.minimumFreeBytes,
  });
  try {
    await spool.sweepLeftovers();
    return await moveBlobs({
      data,
      source: await openBlobStore(from.blobs),
      target: await openBlobStore(to.blobs),
      spool,
      ahead,
      verify,
      onBlob: (moved) => report(`${count(moved.count)} files, ${formatBytes(moved.sizeBytes)}`),
    });
  } finally {
    await spool.close();
    lock.release();
  }
}

function createProgress(io: CommandIo, json: boolean): (text: string) => void {
  let reportedAt = performance.now();
  return (text) => {
    const now = performance.now();
    if (json || now - reportedAt < progressMs) return;
    reportedAt = now;
    writeLines(io.stderr, `${text} …`);
  };
}

function factsOf({ secret }: MovePlan, { files, database }: Moved): object {
  return {
    database: database && { tables: database.tables, rows: database.rows },
    files: files && {
      count: files.count,
      bytes: files.sizeBytes,
      copied: files.copied,
      present: files.present,
      verified: files.verified,
    },
    secret: secret.kind,
  };
}

const count = (number: number) => number.toLocaleString('en');

function summaryOf(plan: MovePlan, { files, database }: Moved, options: MoveOptions): string[] {
  const lines: string[] = [];
  if (files) {
    const { copied, present, verified, sizeBytes } = files;
    const read = options.verify ? `, ${count(verified)} packages read back` : '';
    lines.push(
      `Files: ${count(files.count)} (${formatBytes(sizeBytes)}), ${count(copied)} copied, ${count(present)} already present${read}.`,
    );
  }
  if (database) {
    lines.push(`Database: ${count(database.rows)} rows in ${database.tables} tables; the row counts match.`);
  }
  return [...lines, '', ...(options.ahead ? nextStepsAfterCopy : nextSteps(plan, options))];
}

const nextStepsAfterCopy = [
  'Nothing else has changed. To finish the move, stop the server and run the same command without --ahead:',
  'it copies the files added since then and the database.',
];

function nextSteps({ moves, to, blobUrl, secret }: MovePlan, options: MoveOptions): string[] {
  const changed = [
    ...(moves.database ? [`  SLIPWAY_DATABASE_URL=${redactedDatabaseUrl(to)}`] : []),
    ...(moves.files ? [`  SLIPWAY_BLOB_URL=${blobUrl}`] : []),
  ];
  const where =
    options.settings === undefined ? 'with these settings' : `with the settings of ${options.settings}`;
  const rest = {
    none: [],
    kept: ['SLIPWAY_SECRET is unchanged, so links, tickets and webhooks keep working.'],
    setting: [
      'Keep SLIPWAY_SECRET unchanged on every machine: it signs links, tickets and webhook deliveries.',
    ],
    file: [
      'and set the secret of this installation on every machine; without it, links, tickets and webhooks stop working:',
      '',
      `  SLIPWAY_SECRET=<content of ${secret.kind === 'file' ? secret.path : ''}>`,
    ],
  }[secret.kind];
  return [
    `Start the server ${where}, and never again with the old ones:`,
    '',
    ...changed,
    '',
    ...rest,
    '',
    'The old location was not changed. Keep it until you have a backup of the new one.',
  ];
}

/** Returns the address without its password. */
function redactedDatabaseUrl({ database }: Config): string {
  if (database.kind === 'sqlite') return `sqlite:${database.path}`;
  const url = URL.parse(database.url);
  if (!url) return 'postgres://…';
  if (url.password) url.password = '***';
  return url.href;
}
