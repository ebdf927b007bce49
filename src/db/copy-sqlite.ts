/** A copy of the embedded database while others write it, by SQLite's online backup (https://www.sqlite.org/backup.html). */
import { existsSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { unavailable } from '../core/errors.ts';

/** 4 KiB each; between two helpings signals and timers get their turn. */
const pagesAtOnce = 2000;

/**
 * `to` is the database as of one moment, in one file, checked; not yet fsynced. Writers do not wait. The open read
 * transaction pins that moment: without it every commit of another process would start the copying anew.
 */
export async function copySqlite(from: string, to: string): Promise<void> {
  if (!existsSync(from)) throw unavailable(`there is no database at ${from}`);
  const source = new BetterSqlite(from, { fileMustExist: true });
  try {
    source.exec('begin; select count(*) from sqlite_schema;');
    await source.backup(to, { progress: () => pagesAtOnce });
    source.exec('commit');
  } finally {
    source.close();
  }
  checkSqlite(to);
}

/** Reads the whole file. Throws `unavailable` with what SQLite says is wrong with it. */
export function checkSqlite(path: string): void {
  const copy = new BetterSqlite(path, { fileMustExist: true });
  try {
    const faults = copy.pragma('integrity_check', { simple: true });
    if (faults !== 'ok') throw unavailable(`the database ${path} is damaged: ${String(faults)}`);
    const [broken] = copy.pragma('foreign_key_check') as unknown[];
    if (broken) throw unavailable(`the database ${path} has rows that name what is not there`);
  } finally {
    copy.close();
  }
}
