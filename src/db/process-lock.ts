/**
 * Locks between processes, which the kernel releases when the holder dies. A lock is an SQLite file with an open write
 * transaction (https://www.sqlite.org/lockingv3.html, RESERVED): other processes can read who holds it, but cannot begin a write.
 */
import { chmodSync, existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { conflict, reasonOf, unavailable } from '../core/errors.ts';
import type { DatabaseConfig } from './database.ts';

export interface LockHolder {
  /** Null if unknown. */
  pid: number | null;
  host: string;
  /** When the lock was acquired, in epoch milliseconds. */
  since: number;
}

export interface ProcessLock {
  /**
   * The nodes that held the lock before on this host. They have ended, because the kernel released their locks. There are several
   * because a node may have died before releasing what its predecessor had claimed. Only on this host, because another one may
   * run a copy of the folder.
   */
  predecessors: readonly string[];
  release(): void;
}

/** A process that acquires a lock. */
export interface LockingProcess {
  /** Null if unknown. */
  pid: number | null;
  /** Recorded for the next holder; null if the process is not a node. */
  nodeId: string | null;
}

/** The lock of the server that uses this data folder. */
export const serverLockPath = (dataFolder: string) => join(dataFolder, 'server.lock');

/** Long enough for another process that only checks whether the lock is held. SQLite blocks this process while it waits. */
const waitTimeoutMs = 1000;
/** More than the number of starts that fail in a row. */
const maxPredecessors = 20;

/** Throws `conflict` with its holder. `what` begins the message: `another server`. */
export function acquireProcessLock(path: string, what: string, { pid, nodeId }: LockingProcess): ProcessLock {
  let file: BetterSqlite.Database | null = null;
  let predecessors: readonly string[] = [];
  try {
    file = new BetterSqlite(path, { timeout: waitTimeoutMs });
    chmodSync(path, 0o600);
    file.pragma('synchronous = OFF');
    file.exec('begin immediate');
    predecessors = recordHolder(file, { pid, nodeId });
    file.exec('begin immediate');
  } catch (error) {
    const holder = isBusy(error) && file ? readHolder(file) : null;
    file?.close();
    if (isBusy(error))
      throw conflict(`${what} uses ${path}${holder ? `: ${describeLockHolder(holder)}` : ''}`);
    throw unavailable(`the lock ${path} cannot be acquired: ${reasonOf(error)}`, error);
  }
  const held = file;
  return { predecessors, release: () => held.close() };
}

/**
 * Allows one server per data folder and SQLite database, because a server treats existing temporary files as leftovers. Throws
 * `conflict` if another process holds one of the locks.
 */
export function acquireServerLocks(
  dataFolder: string,
  database: DatabaseConfig,
  process: LockingProcess,
): ProcessLock {
  const paths = [serverLockPath(dataFolder)];
  if (database.kind === 'sqlite') paths.push(`${database.path}.lock`);
  const taken: ProcessLock[] = [];
  const release = () => {
    for (const lock of taken) lock.release();
  };
  try {
    for (const path of paths) taken.push(acquireProcessLock(path, 'another server', process));
  } catch (error) {
    release();
    throw error;
  }
  // The first lock is that of the data folder.
  return { predecessors: taken[0]?.predecessors ?? [], release };
}

/** Returns the holder of the lock; null if there is none. */
export function findLockHolder(path: string): LockHolder | null {
  if (!existsSync(path)) return null;
  const file = new BetterSqlite(path, { fileMustExist: true, timeout: 0 });
  try {
    file.exec('begin immediate');
    return null;
  } catch (error) {
    if (!isBusy(error)) throw error;
    file.pragma(`busy_timeout = ${waitTimeoutMs}`);
    return readHolder(file);
  } finally {
    file.close();
  }
}

/**
 * Ends the transaction. Returns the nodes that held the lock before. On a full disk, the lock works without the record, because
 * its file is not written.
 */
function recordHolder(file: BetterSqlite.Database, { pid, nodeId }: LockingProcess): string[] {
  let predecessors: string[] = [];
  try {
    file.exec('create table if not exists holder (pid integer, host text not null, since integer not null)');
    file.exec('create table if not exists node (id text not null, host text not null)');
    predecessors = readNodes(file);
    file.exec('delete from holder');
    file.prepare('insert into holder values (?, ?, ?)').run(pid, hostname(), Date.now());
    if (nodeId !== null) file.prepare('insert into node values (?, ?)').run(nodeId, hostname());
    file
      .prepare('delete from node where host <> ? or rowid <= (select max(rowid) from node) - ?')
      .run(hostname(), maxPredecessors);
    file.exec('commit');
  } catch (error) {
    if (file.inTransaction) file.exec('rollback');
    if (!(error instanceof BetterSqlite.SqliteError) || error.code !== 'SQLITE_FULL') throw error;
  }
  return predecessors;
}

function readNodes(file: BetterSqlite.Database): string[] {
  const rows = file.prepare('select id from node where host = ?').all(hostname()) as { id: string }[];
  return rows.map(({ id }) => id);
}

function readHolder(file: BetterSqlite.Database): LockHolder | null {
  try {
    return (file.prepare('select pid, host, since from holder').get() as LockHolder | undefined) ?? null;
  } catch {
    return null;
  }
}

const isBusy = (error: unknown) =>
  error instanceof BetterSqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');

function describeLockHolder({ pid, host, since }: LockHolder): string {
  const who = pid === null ? 'a process' : `process ${pid}`;
  return `${who} on ${host}, since ${new Date(since).toISOString()}`;
}
