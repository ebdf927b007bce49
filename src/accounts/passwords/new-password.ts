/** Validates a new password that is entered twice. */
import * as v from 'valibot';
import { type FieldErrors, refuseFields } from '../../core/errors.ts';
import { accountTexts } from '../account-texts.ts';
import { maxPasswordLength, minimumPasswordLength } from './password.ts';
import { isEasyPassword } from './weak-password.ts';

/** Full sentences. */
export interface NewPasswordErrors {
  password?: readonly string[];
  again?: readonly string[];
}

const t = accountTexts.password;

/** Fields of the form. `checkNewPassword` validates their values, because it knows the account. */
export const newPasswordFields = { password: v.string(), again: v.string() };

/** Returns what is wrong with the two entries. `about`: the account's name and email address, if known. */
export function newPasswordErrors(
  { password, again }: { password: string; again: string },
  about: readonly (string | null)[],
): NewPasswordErrors & FieldErrors {
  const [minimum, limit] = [minimumPasswordLength, maxPasswordLength];
  const isShort = password.length < minimum || password.length > limit;
  return {
    ...(isShort ? { password: [t.length({ minimum, limit })] } : {}),
    ...(!isShort && isEasyPassword(password, about) ? { password: [t.easy] } : {}),
    ...(password === again ? {} : { again: [t.different] }),
  };
}

/** Throws `FormInvalid`. */
export function checkNewPassword(...entered: Parameters<typeof newPasswordErrors>): void {
  refuseFields(newPasswordErrors(...entered));
}
