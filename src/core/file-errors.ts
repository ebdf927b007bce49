/** Classifies errors of the file system. */
import { errorTexts } from './error-texts.ts';
import { AppError, unavailableForNow } from './errors.ts';

export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Whether the disk or the account’s quota is full. */
export function isDiskFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

const unlinkable = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Whether the file system cannot create this hard link, although a copy may work. */
export function isUnlinkable(error: unknown): boolean {
  return unlinkable.has(errorCode(error) ?? '');
}

const away = new Set(['EROFS', 'EIO', 'ESTALE', 'ENODEV', 'ENXIO', 'EMFILE', 'ENFILE']);

/** Returns the error for callers when a disk is full, failing or read-only; null for other errors. */
export function toFileStoreError(error: unknown): AppError | null {
  if (isDiskFull(error)) return new AppError('no_space', errorTexts.files.noSpace, { cause: error });
  if (!away.has(errorCode(error) ?? '')) return null;
  return unavailableForNow(errorTexts.files.away, error);
}
