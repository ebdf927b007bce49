/** A password that somebody chooses, typed twice. Pure. */
import { accountTexts } from '../web/account-texts.ts';
import { maxPasswordLength, minimumPasswordLength } from './password.ts';

/** Full sentences. */
export interface NewPasswordFaults {
  password?: readonly string[];
  again?: readonly string[];
}

const words = accountTexts.password;

/** Null when nothing is wrong with it. */
export function faultsOfNewPassword(password: string, again: string): NewPasswordFaults | null {
  if (password.length < minimumPasswordLength || password.length > maxPasswordLength) {
    return { password: [words.length(minimumPasswordLength, maxPasswordLength)] };
  }
  return password === again ? null : { again: [words.different] };
}
