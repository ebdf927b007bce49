/** Versions of iOS as builds name them: a device tells `22B83` where people say 18.1. */

/** From iOS 15 on the letter counts the minor version; before, it counted releases. */
const firstMajorWithLetters = 19;
/** Build 23 is iOS 26: the versions 19 to 25 were passed over. */
const firstMajorOfYears = 23;

/**
 * `18.1` for the build `22B83`; the major version alone where the build does not tell more (`14` for `18A373`). A plain
 * version comes back as it is. Null for anything else.
 */
export function iosVersionOf(told: string): string | null {
  if (/^\d{1,3}(?:\.\d{1,3}){0,2}$/.test(told)) return told;
  const [, numberText, letter] = /^(\d{1,2})([A-Z])\d{1,5}[a-z]?$/.exec(told) ?? [];
  const number = Number(numberText);
  if (!letter || number < 7) return null;
  const major = number >= firstMajorOfYears ? number + 3 : number - 4;
  // iOS 15.7 and 15.8 share their letter.
  if (number < firstMajorWithLetters || (number === 19 && letter === 'H')) return String(major);
  return `${major}.${letter.charCodeAt(0) - 'A'.charCodeAt(0)}`;
}

/** True when `version` is surely older than `minimum`; parts that `version` leaves out are unknown, not zero. */
export function isOlderIos(version: string, minimum: string): boolean {
  const [have, need] = [version, minimum].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (const [at, part] of have.entries()) {
    const needed = need[at] ?? 0;
    if (part !== needed) return part < needed;
  }
  return false;
}
