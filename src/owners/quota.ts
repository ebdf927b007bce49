/** How much an Owner may store, and how much it does. */
import { readByteSize } from '../core/byte-size.ts';
import { Forbidden, invalid } from '../core/errors.ts';

/** Null: as much as there is room for. */
export interface Quota {
  maxStorageBytes: number | null;
  maxBuilds: number | null;
  /** Of a User: how many Projects may count toward them. */
  maxProjects: number | null;
}

/** A limit with what counts toward it. */
export interface Bound {
  quota: Quota;
  usage: Usage;
}

export interface Usage {
  /** Of packages and simulator builds. What was deleted counts until it is removed, for it takes room until then. */
  bytes: number;
  builds: number;
  /** Without the deleted ones. */
  apps: number;
}

export const quotaReached = () => new Forbidden('application create error: limit');

/** Throws `forbidden` when there is more than the quota allows. */
export function checkQuota(quota: Quota, usage: Pick<Usage, 'bytes' | 'builds'>): void {
  if (quota.maxStorageBytes !== null && usage.bytes > quota.maxStorageBytes) throw quotaReached();
  if (quota.maxBuilds !== null && usage.builds > quota.maxBuilds) throw quotaReached();
}

/** Whether uploads are limited. */
export const isLimited = (quota: Quota) => quota.maxStorageBytes !== null || quota.maxBuilds !== null;

/** Far beyond what anybody stores, and still a number that every part handles exactly. */
export const mostBuilds = 1_000_000_000;

/** From a form or the command line; what is empty sets no limit. Throws `invalid`. */
export function readStorageLimit(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const bytes = readByteSize(trimmed);
  if (bytes === null) throw invalid('storage is a size such as 50GiB or 500MB, or empty for no limit');
  return bytes;
}

export function readBuildLimit(text: string): number | null {
  return readCount(text, 'builds', 1);
}

/** Zero allows none. */
export function readProjectLimit(text: string): number | null {
  return readCount(text, 'Projects', 0);
}

function readCount(text: string, what: string, least: number): number | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const count = /^\d{1,10}$/.test(trimmed) ? Number(trimmed) : -1;
  if (count < least || count > mostBuilds) {
    throw invalid(`the number of ${what} must be between ${least} and ${mostBuilds}, or empty for no limit`);
  }
  return count;
}
