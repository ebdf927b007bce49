/** Passwords that whoever guesses tries first: the common ones, and what is little more than the account's own words. Pure. */
import { createHash } from 'node:crypto';
import { commonPasswordMarks } from './common-password-marks.ts';

const markLength = 8;
const marks = new Set(commonPasswordMarks.match(/[\w-]{8}/g));

/** Everybody who is here knows it. */
const ownWords = ['slipway'];
/** What is left of a password without those words would do for one by itself: ASVS 6.2.1. */
const leastBeside = 8;
/** A shorter word stands in other words by chance. */
const leastWordLength = 3;

/** `about`: the name and e-mail address of the account, as far as there are any. Whatever the case. */
export function isEasyPassword(password: string, about: readonly (string | null)[]): boolean {
  const plain = password.normalize('NFKC').toLowerCase();
  return marks.has(markOf(plain)) || isMadeOf(plain, about);
}

function markOf(plain: string): string {
  return createHash('sha256')
    .update('common password\0')
    .update(plain)
    .digest('base64url')
    .slice(0, markLength);
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
