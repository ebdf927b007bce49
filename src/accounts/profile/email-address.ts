import { AppError } from '../../core/errors.ts';
import { checkEmail } from '../../owners/create-owners.ts';

/** Checks only the form of the address. */
export function isEmailAddress(text: string): boolean {
  try {
    checkEmail(text);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
