/**
 * Opens the database and the blob store independently of any server, and compares them with each other and with the
 * responses that clients received. Returns the violations as full sentences.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { BlobStore } from '../src/blobs/blob-store.ts';
import { openBlobStore } from '../src/blobs/open-blob-store.ts';
import type { Config } from '../src/config.ts';
import { createData } from '../src/db/data.ts';
import type { Database } from '../src/db/database.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { quotaQueries } from '../src/owners/quota-queries.ts';
import type { S3Scratch } from '../test/support/s3-scratch.ts';
import { blobFaults } from './compare-blobs.ts';
import { compareLedger } from './compare-ledger.ts';
import type { Ledger } from './ledger.ts';
import { jobErrors, readStored, revisionErrors } from './stored-rows.ts';

export interface CheckOptions {
  /** Whether everything removable has been removed: every blob has a row, and nothing is incomplete. */
  swept: boolean;
  ledger: Ledger;
  /** Keys of blobs whose bytes have been compared before: blobs never change. */
  compared: Set<string>;
  /** For unfinished multipart uploads. */
  s3?: S3Scratch | null;
  /** Other folders with incomplete uploads, of additional nodes. */
  spools?: readonly string[];
}

export interface CheckResult {
  faults: string[];
  builds: number;
  blobs: number;
  /** Entries of the audit log; 0 if it was not checked. */
  audited: number;
}

export async function checkInvariants(config: Config, options: CheckOptions): Promise<CheckResult> {
  const store = await openBlobStore(config.blobs);
  const database = await openDatabase(config.database);
  try {
    const stored = await readStored(database);
    const blobs = await listBlobs(store);
    const faults = [
      ...(await blobFaults(store, stored, blobs, options)),
      ...(options.swept ? await leftoverFaults(config, options) : []),
      ...revisionErrors(stored),
      ...jobErrors(stored),
      ...compareLedger(options.ledger, stored),
      ...(await engineFaults(database)),
      ...(await totalFaults(database)),
    ];
    return { faults, builds: stored.builds.length, blobs: blobs.size, audited: 0 };
  } finally {
    await database.close();
  }
}

async function listBlobs(store: BlobStore): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { key, sizeBytes } of store.list('')) sizes.set(key, sizeBytes);
  return sizes;
}

async function leftoverFaults(config: Config, { s3, spools = [] }: CheckOptions): Promise<string[]> {
  const folders = [join(config.dataFolder, 'spool'), ...spools];
  if (config.blobs.kind === 'disk') folders.push(join(config.blobs.folder, '.incoming'));
  const faults: string[] = [];
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) faults.push(`${name} was left in ${folder}`);
  }
  for (const key of (await s3?.uploads()) ?? [])
    faults.push(`a multipart upload of ${key} was left unfinished`);
  return faults;
}

/** A server that is killed early has no schema yet. */
async function totalFaults(database: Database): Promise<string[]> {
  const tables = await database.queries.introspection.getTables();
  if (!tables.some(({ name }) => name === 'stored_totals')) return [];
  const wrong = await quotaQueries(createData(database)).countWrongTotals();
  return wrong === 0 ? [] : [`${wrong} totals differ from what is stored`];
}

async function engineFaults(database: Database): Promise<string[]> {
  if (database.dialect !== 'sqlite') return [];
  const whole = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(database.queries);
  const keys = await sql<object>`pragma foreign_key_check`.execute(database.queries);
  return [
    ...whole.rows.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
    ...keys.rows.map((row) => `a foreign key is violated: ${JSON.stringify(row)}`),
  ];
}
