/** Passwords that whoever guesses tries first: the common ones, and what is little more than the account's own words. Pure. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const hashLength = 8;
/** A file beside this one, which states its source and how it was generated. */
export const commonPasswordHashes: ReadonlySet<string> = new Set(
  readFileSync(new URL('./common-password-hashes.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.length === hashLength),
);

/** Everybody who is here knows it. */
const ownWords = ['slipway'];
/** What is left of a password without those words would do for one by itself: ASVS 6.2.1. */
const leastBeside = 8;
/** A shorter word stands in other words by chance. */
const leastWordLength = 3;

/** `about`: the name and e-mail address of the account, as far as there are any. Whatever the case. */
export function isEasyPassword(password: string, about: readonly (string | null)[]): boolean {
  const plain = password.normalize('NFKC').toLowerCase();
  return commonPasswordHashes.has(hashOf(plain)) || isMadeOf(plain, about);
}

function hashOf(plain: string): string {
  return createHash('sha256')
    .update('common password\0')
    .update(plain)
    .digest('base64url')
    .slice(0, hashLength);
}

function isMadeOf(plain: string, about: readonly (string | null)[]): boolean {
  const words = [...ownWords, ...about.flatMap((text) => wordsOf(text ?? ''))].sort(
    (one, other) => other.length - one.length,
  );
  let rest = plain;
  for (const word of words) rest = rest.replaceAll(word, '');
  return rest !== plain && rest.length < leastBeside;
}

/** Of an address: the whole of it, what stands before the @, and the first name of its host. */
function wordsOf(text: string): string[] {
  const whole = text.toLowerCase();
  const [before = '', host = ''] = whole.split('@');
  return [whole, before, host.split('.', 1)[0] ?? ''].filter((word) => word.length >= leastWordLength);
}
