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

/** Whether mail can leave the network for the address that a person typed: only to a domain with a dot. */
export const isMailAddress = (text: string): boolean => isEmailAddress(text) && /\.[^.@\s]{2,}$/.test(text);

/** What is wrong with the address that a person typed; nothing if there is none. */
export function emailErrors(email: string): FieldErrors {
  return email === '' || isMailAddress(email) ? {} : { email: [accountTexts.signUp.emailError] };
}
