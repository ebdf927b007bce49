/** A password that somebody chooses, typed twice. Pure. */
import { accountTexts } from '../web/account-texts.ts';
import { isEasyPassword } from './easy-password.ts';
import { maxPasswordLength, minimumPasswordLength } from './password.ts';

/** Full sentences. */
export interface NewPasswordFaults {
  password?: readonly string[];
  again?: readonly string[];
}

const words = accountTexts.password;

/** Null when nothing is wrong with it. `about`: name and e-mail address of the account, as far as they are known. */
export function faultsOfNewPassword(
  password: string,
  again: string,
  about: readonly (string | null)[],
): NewPasswordFaults | null {
  if (password.length < minimumPasswordLength || password.length > maxPasswordLength) {
    return { password: [words.length(minimumPasswordLength, maxPasswordLength)] };
  }
  if (isEasyPassword(password, about)) return { password: [words.easy] };
  return password === again ? null : { again: [words.different] };
}
