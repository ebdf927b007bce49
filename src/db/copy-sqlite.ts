/** Copies the SQLite database while others write to it, with SQLite’s online backup (https://www.sqlite.org/backup.html). */
import { existsSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { unavailable } from '../core/errors.ts';

/** Pages (4 KiB each) per step. Signals and timers run between steps. */
const pagesPerBatch = 2000;

/**
 * `to` becomes a verified snapshot of the database in one file, not yet fsynced. Writers do not wait. The open read transaction
 * pins the snapshot; without it, every commit of another process would restart the copy.
 */
export async function copySqlite(from: string, to: string): Promise<void> {
  if (!existsSync(from)) throw unavailable(`there is no database at ${from}`);
  const source = new BetterSqlite(from, { fileMustExist: true });
  try {
    source.exec('begin; select count(*) from sqlite_schema;');
    await source.backup(to, { progress: () => pagesPerBatch });
    source.exec('commit');
  } finally {
    source.close();
  }
  checkSqlite(to);
}

/** Reads the whole file. Throws `unavailable` with the integrity errors reported by SQLite. */
export function checkSqlite(path: string): void {
  const copy = new BetterSqlite(path, { fileMustExist: true });
  try {
    const errors = copy.pragma('integrity_check', { simple: true });
    if (errors !== 'ok') throw unavailable(`the database ${path} is damaged: ${String(errors)}`);
    const [broken] = copy.pragma('foreign_key_check') as unknown[];
    if (broken) throw unavailable(`the database ${path} has rows that violate foreign keys`);
  } finally {
    copy.close();
  }
}
