/** User names for people who do not choose one. Pure. */
import { AppError } from '../../core/errors.ts';
import { checkName, maxNameLength } from '../../owners/owner.ts';

/** Room for what tells two alike names apart. */
const maxStemLength = maxNameLength - 8;

/** A name that `checkName` takes, near to the first of `wishes` that leaves anything; `user` when none does. */
export function nameNear(wishes: readonly string[]): string {
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

/** The name for the try of that number, from 0. `chance`: four hexadecimal digits, for when many have the same. */
export function nameForTry(name: string, attempt: number, chance: string): string {
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
