/** `slipway move`: the database, the files or both into another place, such as PostgreSQL and S3. */
import { join } from 'node:path';
import { openBlobStore } from '../blobs/open-blob-store.ts';
import { createSpool } from '../blobs/spool/spool.ts';
import type { Config } from '../config.ts';
import { formatBytes } from '../core/byte-size.ts';
import { type MovedBlobs, moveBlobs } from '../operations/backup/move-blobs.ts';
import { type CommandIo, print } from './command-io.ts';
import { type MoveOptions, type MovePlan, planMove } from './move-settings.ts';
import { type LeftData, openEmptyData, openLeftData, takeProcessLock } from './with-data.ts';

/** So often a person who waits is told how far it is. */
const progressMs = 5_000;

export async function runMove(io: CommandIo, options: MoveOptions): Promise<void> {
  const plan = await planMove(io, options);
  const left = await openLeftData(io, plan.from, options.ahead !== true);
  const tell = createProgress(io, options.json ?? false);
  try {
    const moved = await moveAll(plan, left, { ...options, pid: io.host.pid }, tell);
    print(io, options.json ?? false, factsOf(plan, moved), wordsOf(plan, moved, options));
  } finally {
    await left.close();
  }
}

type MoveRun = MoveOptions & { pid: number };

interface Moved {
  files: MovedBlobs | null;
  database: { tables: number; rows: number } | null;
}

/** The files first, the rows that name them last and all at once: whatever cuts this, the next run goes on. */
async function moveAll(
  plan: MovePlan,
  left: LeftData,
  options: MoveRun,
  tell: (words: string) => void,
): Promise<Moved> {
  const { moves, to } = plan;
  const target = moves.database ? await openEmptyData(to.database) : null;
  try {
    const files = moves.files ? await moveFiles(plan, left, options, tell) : null;
    const database = target && (await left.copyTo(target, (rows) => tell(`${count(rows)} rows copied`)));
    return { files, database };
  } finally {
    await target?.close();
  }
}

async function moveFiles(
  { from, to }: MovePlan,
  { data }: LeftData,
  { ahead = false, verify = false, pid }: MoveRun,
  tell: (words: string) => void,
): Promise<MovedBlobs> {
  // Not the server's spool: a starting server treats files there as leftovers.
  const lock = takeProcessLock(join(from.dataFolder, 'move.lock'), 'another move', pid);
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
      ...{ spool, ahead, verify },
      onBlob: (moved) => tell(`${count(moved.count)} files, ${formatBytes(moved.sizeBytes)}`),
    });
  } finally {
    await spool.close();
    lock.release();
  }
}

function createProgress(io: CommandIo, json: boolean): (words: string) => void {
  let toldAt = performance.now();
  return (words) => {
    const now = performance.now();
    if (json || now - toldAt < progressMs) return;
    toldAt = now;
    io.stderr.write(`${words} …\n`);
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

function wordsOf(plan: MovePlan, { files, database }: Moved, options: MoveOptions): string {
  const lines: string[] = [];
  if (files) {
    const { copied, present, verified, sizeBytes } = files;
    const read = options.verify ? `, ${count(verified)} packages read back` : '';
    lines.push(
      `Files: ${count(files.count)} (${formatBytes(sizeBytes)}), ${count(copied)} copied, ${count(present)} were there already${read}.`,
    );
  }
  if (database) {
    lines.push(
      `Database: ${count(database.rows)} rows of ${database.tables} tables, as many in each as before.`,
    );
  }
  return [...lines, '', ...(options.ahead ? aheadWords : nextWords(plan, options))].join('\n');
}

const aheadWords = [
  'Nothing else has changed. When the time has come, stop the server and run the same without --ahead:',
  'it copies what has come since, and the database.',
];

function nextWords({ moves, to, blobUrl, secret }: MovePlan, options: MoveOptions): string[] {
  const changed = [
    ...(moves.database ? [`  SLIPWAY_DATABASE_URL=${databaseWords(to)}`] : []),
    ...(moves.files ? [`  SLIPWAY_BLOB_URL=${blobUrl}`] : []),
  ];
  const where =
    options.settings === undefined ? 'with these settings' : `with the settings of ${options.settings}`;
  const rest = {
    none: [],
    kept: ['SLIPWAY_SECRET is the same, so that links, tickets and hooks go on working.'],
    setting: ['Keep SLIPWAY_SECRET as it is, on every machine: it signs links, tickets and what hooks send.'],
    file: [
      'and on every machine the secret of this installation, without which links, tickets and hooks are void:',
      '',
      `  SLIPWAY_SECRET=<what is in ${secret.kind === 'file' ? secret.path : ''}>`,
    ],
  }[secret.kind];
  return [
    `Start it anew ${where}, and never again with the old ones:`,
    '',
    ...changed,
    '',
    ...rest,
    '',
    'What lies in the old place was not touched. Keep it until you have a backup of the new one.',
  ];
}

/** Without what only the settings themselves should hold. */
function databaseWords({ database }: Config): string {
  if (database.kind === 'sqlite') return `sqlite:${database.path}`;
  const url = URL.parse(database.url);
  if (!url) return 'postgres://…';
  if (url.password) url.password = '***';
  return url.href;
}
