/** Questions about errors of the file system. */
import { AppError, unavailable } from './errors.ts';

export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** The disk, or this account's share of it, is used up. */
export function isDiskFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

const unlinkable = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** What says that this file cannot be linked to that place, though a copy of it may. */
export function isUnlinkable(error: unknown): boolean {
  return unlinkable.has(errorCode(error) ?? '');
}

const away = new Set(['EROFS', 'EIO', 'ESTALE', 'ENODEV', 'ENXIO', 'EMFILE', 'ENFILE']);

/** What callers may be told of a disk that is full, fails or may not be written; null for everything else. */
export function refusalOfFile(error: unknown): AppError | null {
  if (isDiskFull(error)) return new AppError('no_space', 'there is not enough space left', { cause: error });
  if (!away.has(errorCode(error) ?? '')) return null;
  return unavailable('the file store does not answer at the moment, try again later', error);
}
