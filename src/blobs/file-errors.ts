/** Questions about errors of the file system. */

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
