import { AppError, type FieldErrors } from '../../core/errors.ts';
import { checkEmail } from '../../owners/create-owners.ts';
import { accountTexts } from '../account-texts.ts';

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

/** Whether an address typed by a person can receive mail from outside this network: its domain must contain a dot. */
export const isMailAddress = (text: string): boolean => isEmailAddress(text) && /\.[^.@\s]{2,}$/.test(text);

/** Returns what is wrong with a typed address; nothing if it is empty. */
export function emailErrors(email: string): FieldErrors {
  return email === '' || isMailAddress(email) ? {} : { email: [accountTexts.signUp.emailError] };
}
