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

/** What is wrong with the address that a person typed. Mail leaves a network only for a domain with a dot. */
export function emailErrors(email: string): FieldErrors {
  const isFine = email === '' || (isEmailAddress(email) && /\.[^.@\s]{2,}$/.test(email));
  return isFine ? {} : { email: [accountTexts.signUp.emailError] };
}
