/** Local checks: data folder, disk, database, file store, clock. */
import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import type { KnownNode } from '../../claims/claim-queries.ts';
import type { Limits } from '../../config.ts';
import { formatBytes } from '../../core/byte-size.ts';
import { withTimeout } from '../../core/time-limit.ts';
import { canCloseNetwork } from '../../packages/package-child.ts';
import { formatCount, formatTimestamp } from '../../web/components/formats.ts';
import { type DoctorCheck, ok, problem, skipped, warning } from './doctor-check.ts';
import { reasonOf } from './doctor-reason.ts';
import { doctorTexts } from './doctor-texts.ts';

const responseTimeoutMs = 10_000;
/** Counting a million builds takes a second or two. */
const countingTimeoutMs = 30_000;
const maxClockSkewMs = 60_000;
/** A clock before Slipway’s first release, or a century later, cannot be correct. */
const earliestTime = Date.UTC(2025, 0, 1);
const latestTime = Date.UTC(2125, 0, 1);

export async function checkDataFolder(folder: string): Promise<DoctorCheck> {
  const t = doctorTexts.dataFolder;
  const found = await stat(folder).catch(() => null);
  if (!found?.isDirectory()) return problem('data-folder', t.missing({ folder }), t.missingAdvice);
  const writable = await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!writable) return problem('data-folder', t.closed({ folder }), t.closedAdvice);
  // On systems without users, modes have no meaning.
  if (found.uid === 0 && found.gid === 0 && (found.mode & 0o777) === 0o666) {
    return skipped('data-folder', t.noModes);
  }
  if ((found.mode & 0o077) === 0) return ok('data-folder', t.good({ folder }));
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  return problem('data-folder', t.open({ folder, mode }), t.openAdvice({ folder }));
}

export async function checkDiskSpace(
  folder: string,
  limits: Pick<Limits, 'minimumFreeBytes' | 'maxUploadBytes'>,
): Promise<DoctorCheck> {
  const t = doctorTexts.disk;
  try {
    const { bavail, bsize } = await statfs(folder);
    return evaluateDiskSpace(bavail * bsize, limits);
  } catch (error) {
    // Another check reports a missing folder.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return skipped('disk-space', doctorTexts.skippedFolder);
    }
    return problem('disk-space', t.unknown({ reason: reasonOf(error) }), t.unknownAdvice);
  }
}

export function evaluateDiskSpace(
  freeBytes: number,
  limits: Pick<Limits, 'minimumFreeBytes' | 'maxUploadBytes'>,
): DoctorCheck {
  const t = doctorTexts.disk;
  const { minimumFreeBytes, maxUploadBytes } = limits;
  const free = formatBytes(freeBytes);
  if (freeBytes < minimumFreeBytes) {
    const full = t.full({ free, minimum: formatBytes(minimumFreeBytes) });
    return problem('disk-space', full, t.fullAdvice);
  }
  if (freeBytes - maxUploadBytes < minimumFreeBytes) {
    const low = t.low({ free, largest: formatBytes(maxUploadBytes) });
    return warning('disk-space', low, t.lowAdvice);
  }
  return ok('disk-space', t.good({ free }));
}

/** `ask` returns the database’s clock, or null if it uses this machine's. */
export async function checkDatabase(
  kind: string,
  ask: () => Promise<number | null>,
): Promise<{ check: DoctorCheck; clock: number | null }> {
  const t = doctorTexts.database;
  try {
    const clock = await withTimeout(responseTimeoutMs, ask());
    return { check: ok('database', t.good({ kind })), clock };
  } catch (error) {
    return { check: problem('database', t.bad({ reason: reasonOf(error) }), t.badAdvice), clock: null };
  }
}

export async function checkFileStore(ask: () => Promise<void>): Promise<DoctorCheck> {
  const t = doctorTexts.fileStore;
  try {
    await withTimeout(responseTimeoutMs, ask());
    return ok('file-store', t.good);
  } catch (error) {
    return problem('file-store', t.bad({ reason: reasonOf(error) }), t.badAdvice);
  }
}

/** Recalculates the storage totals, which are otherwise updated incrementally. */
export async function checkTotals(countWrong: () => Promise<number>): Promise<DoctorCheck> {
  const t = doctorTexts.totals;
  try {
    const wrong = await withTimeout(countingTimeoutMs, countWrong());
    return wrong === 0 ? ok('totals', t.good) : problem('totals', t.wrong({ count: wrong }), t.wrongAdvice);
  } catch (error) {
    return skipped('totals', t.unknown({ reason: reasonOf(error) }));
  }
}

/** Reports files that earlier checks have marked as damaged. */
export async function checkStoredFiles(countDamaged: () => Promise<number>): Promise<DoctorCheck> {
  const t = doctorTexts.files;
  try {
    const damaged = await withTimeout(responseTimeoutMs, countDamaged());
    return damaged === 0
      ? ok('files', t.good)
      : problem('files', t.damaged({ builds: formatCount(damaged), count: damaged }), t.damagedAdvice);
  } catch (error) {
    return skipped('files', t.unknown({ reason: reasonOf(error) }));
  }
}

/** Reports how the processes that read untrusted packages are isolated from the network. */
export async function checkPackageReader(): Promise<DoctorCheck> {
  const t = doctorTexts.packageReader;
  return ok('package-reader', (await canCloseNetwork()) ? t.closed : t.bestEffort);
}

/** The time of another clock, read when this machine’s own clock showed `at`. */
export interface OtherClock {
  whose: 'database' | 'address';
  time: number;
  at: number;
}

export function checkClock(
  now: number,
  others: readonly OtherClock[],
  nodes: readonly KnownNode[] = [],
): DoctorCheck {
  const t = doctorTexts.clock;
  if (now < earliestTime || now > latestTime)
    return problem('clock', t.wrong({ time: formatTimestamp(now) }), t.advice);
  for (const { whose, time, at } of others) {
    const apartMs = Math.abs(time - at);
    if (apartMs <= maxClockSkewMs) continue;
    const name = whose === 'database' ? t.ofDatabase : t.ofAddress;
    return problem('clock', t.apart({ whose: name, seconds: Math.round(apartMs / 1000) }), t.advice);
  }
  for (const { host, clockOffsetMs } of nodes) {
    if (Math.abs(clockOffsetMs) <= maxClockSkewMs) continue;
    const seconds = Math.round(Math.abs(clockOffsetMs) / 1000);
    return problem('clock', t.nodeApart({ host, seconds }), t.advice);
  }
  return ok('clock', others.length > 0 ? t.good : t.alone);
}
