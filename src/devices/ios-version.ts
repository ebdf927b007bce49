/** Converts iOS build numbers to versions, because devices send `22B83` for 18.1. */

/** Since iOS 15, the letter encodes the minor version. Before that, it counted releases. */
const firstMajorWithLetters = 19;
/** Build 23 is iOS 26: Apple skipped versions 19 to 25. */
const firstMajorOfYears = 23;

/**
 * Returns `18.1` for the build `22B83`, or the major version alone if the build does not determine more (`14` for
 * `18A373`). Returns a plain version unchanged, and null for anything else.
 */
export function iosVersionOf(text: string): string | null {
  if (/^\d{1,3}(?:\.\d{1,3}){0,2}$/.test(text)) return text;
  const [, numberText, letter] = /^(\d{1,2})([A-Z])\d{1,5}[a-z]?$/.exec(text) ?? [];
  const number = Number(numberText);
  if (!letter || number < 7) return null;
  const major = number >= firstMajorOfYears ? number + 3 : number - 4;
  // iOS 15.7 and 15.8 share their letter.
  if (number < firstMajorWithLetters || (number === 19 && letter === 'H')) return String(major);
  return `${major}.${letter.charCodeAt(0) - 'A'.charCodeAt(0)}`;
}

/** Returns true only if `version` is certainly older than `minimum`. Missing parts of `version` are unknown, not zero. */
export function isOlderIos(version: string, minimum: string): boolean {
  const [have, need] = [version, minimum].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (const [at, part] of have.entries()) {
    const needed = need[at] ?? 0;
    if (part !== needed) return part < needed;
  }
  return false;
}
