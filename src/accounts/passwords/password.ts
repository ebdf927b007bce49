/** Passwords are hashed with argon2id and the first parameter set of the OWASP password storage cheat sheet. */

import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { invalid } from '../../core/errors.ts';
import { accountTexts } from '../account-texts.ts';
import { isEasyPassword } from './weak-password.ts';

/** Argon2id is the library's default algorithm. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const minimumPasswordLength = 10;
export const maxPasswordLength = 256;

/** `about`: name and email address of the account, which the password must not consist of. Throws `invalid`. */
export function checkPassword(password: string, about: readonly (string | null)[]): string {
  if (password.length < minimumPasswordLength || password.length > maxPasswordLength) {
    const [minimum, limit] = [minimumPasswordLength, maxPasswordLength];
    throw invalid(accountTexts.password.length({ minimum, limit }));
  }
  if (isEasyPassword(password, about)) {
    throw invalid(accountTexts.password.easy);
  }
  return password;
}

const { memoryCost, timeCost, parallelism } = parameters;
/** No password has this hash. Comparing with it takes as long as comparing with a User's hash. */
export const hashOfNobody = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

export function hashPassword(password: string): Promise<string> {
  return hash(password, parameters);
}

/** Takes equally long for a user that does not exist (a null `passwordHash`) as for one that does. */
export async function passwordMatches(passwordHash: string | null, password: string): Promise<boolean> {
  if (password.length > maxPasswordLength) return false;
  return verify(passwordHash ?? hashOfNobody, password);
}

/** 20 letters and digits without look-alikes: about 115 bits. */
export function newPassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789';
  let password = '';
  while (password.length < 20) {
    for (const byte of randomBytes(32)) {
      // Skips bytes beyond the last full multiple of the alphabet, which would favor its first letters.
      if (byte < 256 - (256 % alphabet.length) && password.length < 20)
        password += alphabet[byte % alphabet.length];
    }
  }
  return password;
}
