/** Storage quotas of Owners, and their usage. */
import { readByteSize } from '../core/byte-size.ts';
import { Forbidden, invalid } from '../core/errors.ts';
import { ownerTexts } from './owner-texts.ts';

/** Null for unlimited. */
export interface Quota {
  maxStorageBytes: number | null;
  maxBuilds: number | null;
  /** For a User: the number of Projects that may count toward them. */
  maxProjects: number | null;
}

/** A quota with its current usage. */
export interface QuotaUsage {
  quota: Quota;
  usage: Usage;
}

export interface Usage {
  /** Size of packages and simulator builds. Deleted builds count until they are removed from storage. */
  bytes: number;
  builds: number;
  /** Excludes deleted apps. */
  apps: number;
}

export const quotaReached = () => new Forbidden('application create error: limit');

/** Throws `forbidden` if the usage exceeds the quota. */
export function checkQuota(quota: Quota, usage: Pick<Usage, 'bytes' | 'builds'>): void {
  if (quota.maxStorageBytes !== null && usage.bytes > quota.maxStorageBytes) throw quotaReached();
  if (quota.maxBuilds !== null && usage.builds > quota.maxBuilds) throw quotaReached();
}

/** Returns the bytes left under all quotas: negative above one of them, and Infinity if there are none. */
export const remainingStorage = (bounds: readonly QuotaUsage[]): number =>
  Math.min(
    Number.POSITIVE_INFINITY,
    ...bounds.map(({ quota, usage }) => (quota.maxStorageBytes ?? Number.POSITIVE_INFINITY) - usage.bytes),
  );

/** Whether uploads are limited. */
export const isLimited = (quota: Quota) => quota.maxStorageBytes !== null || quota.maxBuilds !== null;

/** Far beyond real use, and exact in all number types involved. */
export const maxBuildLimit = 1_000_000_000;

/** Reads a limit from a form or the command line. Empty for no limit. Throws `invalid`. */
export function readStorageLimit(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const bytes = readByteSize(trimmed);
  if (bytes === null) throw invalid(ownerTexts.quota.storage);
  return bytes;
}

/** Zero prevents uploads. */
export const readBuildLimit = (text: string): number | null => readCount(text, ownerTexts.quota.builds);

/** Zero prevents creating Projects. */
export const readProjectLimit = (text: string): number | null => readCount(text, ownerTexts.quota.projects);

/** Also the `pattern` of the fields. */
export const countPattern = '\\d{1,10}';
const countSyntax = new RegExp(`^${countPattern}$`);

/** `refusal`: the error message for a number that is out of range. */
function readCount(text: string, refusal: (values: { limit: number }) => string): number | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const count = countSyntax.test(trimmed) ? Number(trimmed) : -1;
  if (count < 0 || count > maxBuildLimit) throw invalid(refusal({ limit: maxBuildLimit }));
  return count;
}
