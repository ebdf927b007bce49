/** Detects passwords that attackers try first: common ones, and those made of the account's own words. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const hashLength = 8;
/** Read from the file next to this one, which states its source and how it was generated. */
export const commonPasswordHashes: ReadonlySet<string> = new Set(
  readFileSync(new URL('./common-password-hashes.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.length === hashLength),
);

/** Words that everyone who uses the server knows. */
const ownWords = ['slipway'];
/** The rest of a password without those words must be a sufficient password by itself (ASVS 6.2.1). */
const minRemainingLength = 8;
/** Shorter words occur in other words by chance. */
const minWordLength = 3;

/** `about`: the name and email address of the account, if any. Ignores case. */
export function isEasyPassword(password: string, about: readonly (string | null)[]): boolean {
  const plain = password.normalize('NFKC').toLowerCase();
  return commonPasswordHashes.has(hashOf(plain)) || consistsOf(plain, about);
}

function hashOf(plain: string): string {
  return createHash('sha256')
    .update('common password\0')
    .update(plain)
    .digest('base64url')
    .slice(0, hashLength);
}

function consistsOf(plain: string, about: readonly (string | null)[]): boolean {
  const words = [...ownWords, ...about.flatMap((text) => wordsOf(text ?? ''))].sort(
    (one, other) => other.length - one.length,
  );
  let rest = plain;
  for (const word of words) rest = rest.replaceAll(word, '');
  return rest !== plain && rest.length < minRemainingLength;
}

/** For an email address: the whole address, the local part, and the first label of the host. */
function wordsOf(text: string): string[] {
  const whole = text.toLowerCase();
  const [before = '', host = ''] = whole.split('@');
  return [whole, before, host.split('.', 1)[0] ?? ''].filter((word) => word.length >= minWordLength);
}
