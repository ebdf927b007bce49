import { AppError } from '../../core/errors.ts';
import { checkEmail } from '../../owners/create-owners.ts';

/** Whether a text has the form of an e-mail address. */
export function isEmailAddress(text: string): boolean {
  try {
    checkEmail(text);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
