/** Validates a new password that is entered twice. */
import * as v from 'valibot';
import { FormInvalid } from '../../core/errors.ts';
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

/** Throws `FormInvalid`. `about`: the account's name and email address, if known. */
export function checkNewPassword(
  { password, again }: { password: string; again: string },
  about: readonly (string | null)[],
): void {
  if (password.length < minimumPasswordLength || password.length > maxPasswordLength)
    throw new FormInvalid({
      password: [t.length({ minimum: minimumPasswordLength, limit: maxPasswordLength })],
    });
  if (isEasyPassword(password, about)) throw new FormInvalid({ password: [t.easy] });
  if (password !== again) throw new FormInvalid({ again: [t.different] });
}
