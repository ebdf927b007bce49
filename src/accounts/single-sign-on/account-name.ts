/** Generates user names for people who do not choose one. */
import { AppError } from '../../core/errors.ts';
import { checkName, maxNameLength } from '../../owners/owner.ts';

/** Leaves room for a suffix that makes the name unique. */
const maxStemLength = maxNameLength - 8;

/** Returns a valid name derived from the first usable entry of `wishes`; `user` if none is usable. */
export function suggestUserName(wishes: readonly string[]): string {
  for (const wish of wishes) {
    const [local = ''] = wish.split('@');
    const stem = local
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, maxStemLength)
      .replace(/(?<!-)-+$/, '');
    if (stem !== '') return isName(stem) ? stem : `${stem}-1`;
  }
  return 'user-1';
}

/**
 * Returns the name for an attempt, counted from 0. `chance`: four hexadecimal digits, for names that many people share.
 */
export function userNameForAttempt(name: string, attempt: number, chance: string): string {
  if (attempt === 0) return name;
  return attempt < 5 ? `${name}-${attempt + 1}` : `${name}-${chance}`;
}

function isName(name: string): boolean {
  try {
    return checkName('user', name) === name;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
