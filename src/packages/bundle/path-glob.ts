/**
 * Path patterns as in `java.nio.file.FileSystem.getPathMatcher`: `*` and `?` within a segment, `**` across segments, `[a-z]`,
 * `{a,b}` and `\`. Own code, because they come from the bundle. All are matched at once, one character of the path after another,
 * with one bit for each step of a pattern (Baeza-Yates and Gonnet, "A New Approach to Text Searching"), so that no pattern can
 * make it slow.
 */
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';

/**
 * Limits the length of all patterns, where each alternative in `{a,b}` counts as a pattern. Those of Android's build tools have
 * 540 characters.
 */
export const maxGlobLetters = 8_192;

/** One step of a pattern. `repeats`: it may match any number of times. */
interface Step {
  accepts: (letter: string) => boolean;
  repeats: boolean;
  /** Characters at which the result of `accepts` changes. */
  letters: readonly string[];
}

/**
 * Returns whether a path matches any of the patterns.
 * @throws UnreadablePackage if a pattern is invalid, or they exceed the limit
 */
export function createGlobs(patterns: readonly string[]): (path: string) => boolean {
  const expanded: string[] = [];
  let left = maxGlobLetters;
  for (const pattern of patterns) {
    if (pattern.length > left) throw tooLong();
    for (const one of expandAlternatives('', pattern)) {
      left -= one.length + 1;
      if (left < 0) throw tooLong();
      expanded.push(one);
    }
  }
  return createMatcher(expanded.map(readSteps));
}

const tooLong = () => new UnreadablePackage(say('bundle-globs-too-long', { count: maxGlobLetters }));
const invalid = (pattern: string) => new UnreadablePackage(say('bundle-glob-invalid', { pattern }));

/** Groups cannot contain groups. */
function* expandAlternatives(start: string, pattern: string): Generator<string> {
  const [, before = '', group] = /^((?:[^\\{]|\\.)*)(\{.*)?$/su.exec(pattern) ?? [];
  if (group === undefined) {
    yield start + pattern;
    return;
  }
  const [, choices, after = ''] = /^\{([^{}]*)\}(.*)$/su.exec(group) ?? [];
  if (choices === undefined) throw invalid(pattern);
  for (const choice of choices.split(',')) yield* expandAlternatives(start + before + choice, after);
}

const isInSegment = (letter: string) => letter !== '/';
const neighborsOf = (letter: string) => [letter, String.fromCodePoint((letter.codePointAt(0) ?? 0) + 1)];

function readSteps(pattern: string): Step[] {
  const letters = [...pattern];
  const steps: Step[] = [];
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] ?? '';
    if (letter === '*') {
      const crosses = letters[at + 1] === '*';
      if (crosses) at++;
      addRepeat(steps, crosses);
    } else if (letter === '?') {
      steps.push({ accepts: isInSegment, repeats: false, letters: neighborsOf('/') });
    } else if (letter === '[') {
      const end = letters.indexOf(']', at + 1);
      const content = letters.slice(at + 1, end);
      if (end === -1 || content.includes('/')) throw invalid(pattern);
      steps.push(readClass(content, pattern));
      at = end;
    } else {
      const literal = letter === '\\' ? letters[++at] : letter;
      if (literal === undefined) throw invalid(pattern);
      const accepts = (other: string) => other === literal;
      steps.push({ accepts, repeats: false, letters: neighborsOf(literal) });
    }
  }
  return steps;
}

/** If two repeats follow each other, the one that crosses segments is equivalent to both. */
function addRepeat(steps: Step[], crosses: boolean): void {
  const before = steps.at(-1);
  const isSecond = before?.repeats ?? false;
  const accepts = crosses || (isSecond && before?.accepts('/')) ? () => true : isInSegment;
  if (isSecond) steps.pop();
  steps.push({ accepts, repeats: true, letters: neighborsOf('/') });
}

function readClass(content: readonly string[], pattern: string): Step {
  const isNegated = content[0] === '!';
  const letters = isNegated ? content.slice(1) : content;
  const ranges: [string, string][] = [];
  for (let at = 0; at < letters.length; at++) {
    const first = letters[at] ?? '';
    const last =
      at > 0 || first !== '-' ? (letters[at + 1] === '-' ? letters[at + 2] : undefined) : undefined;
    if (last !== undefined && last < first) throw invalid(pattern);
    ranges.push([first, last ?? first]);
    if (last !== undefined) at += 2;
  }
  const isListed = (letter: string) => ranges.some(([first, last]) => letter >= first && letter <= last);
  return {
    accepts: (letter) => letter !== '/' && isListed(letter) !== isNegated,
    repeats: false,
    letters: ['/', ...ranges.flat()].flatMap(neighborsOf),
  };
}

/** All patterns share one row of bits: each step has one bit, and another one is reached after the last step. */
function createMatcher(patterns: readonly Step[][]): (path: string) => boolean {
  const length = patterns.reduce((sum, steps) => sum + steps.length + 1, 0);
  const words = Math.ceil(length / 32);
  const newBits = () => new Int32Array(words);
  const set = (bits: Int32Array, at: number) => {
    bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
  };
  const [starts, ends, repeats] = [newBits(), newBits(), newBits()];
  const placed: { at: number; step: Step }[] = [];
  let next = 0;
  for (const steps of patterns) {
    set(starts, next);
    for (const step of steps) {
      placed.push({ at: next, step });
      if (step.repeats) set(repeats, next);
      next++;
    }
    set(ends, next++);
  }
  skipRepeats(starts, repeats);
  const acceptsOf = acceptedSteps(placed, newBits, set);
  return (path) => {
    let [current, following] = [Int32Array.from(starts), newBits()];
    for (const letter of path) {
      const accepted = acceptsOf(letter);
      let carry = 0;
      for (let word = 0; word < words; word++) {
        const taken = (current[word] ?? 0) & (accepted[word] ?? 0);
        const moves = taken & ~(repeats[word] ?? 0);
        following[word] = (taken & (repeats[word] ?? 0)) | (moves << 1) | carry;
        carry = moves >>> 31;
      }
      skipRepeats(following, repeats);
      [current, following] = [following, current];
    }
    return current.some((word, at) => (word & (ends[at] ?? 0)) !== 0);
  };
}

/** Also activates the steps after repeated steps, which may match nothing. No repeated step follows another. */
function skipRepeats(bits: Int32Array, repeats: Int32Array): void {
  let carry = 0;
  for (let word = 0; word < bits.length; word++) {
    const skipped = (bits[word] ?? 0) & (repeats[word] ?? 0);
    bits[word] = (bits[word] ?? 0) | (skipped << 1) | carry;
    carry = skipped >>> 31;
  }
}

/** Returns the steps that accept a character. Results are cached for all characters between two that occur in patterns. */
function acceptedSteps(
  placed: readonly { at: number; step: Step }[],
  newBits: () => Int32Array,
  set: (bits: Int32Array, at: number) => void,
): (letter: string) => Int32Array {
  const codeOf = (letter: string) => letter.codePointAt(0) ?? 0;
  const codes = new Set(placed.flatMap(({ step }) => step.letters.map(codeOf)));
  const bounds = Uint32Array.from(codes).sort();
  const known = new Map<number, Int32Array>();
  return (letter) => {
    const code = codeOf(letter);
    let [low, high] = [0, bounds.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((bounds[middle] ?? 0) <= code) low = middle + 1;
      else high = middle;
    }
    let bits = known.get(low);
    if (!bits) {
      bits = newBits();
      for (const { at, step } of placed) if (step.accepts(letter)) set(bits, at);
      known.set(low, bits);
    }
    return bits;
  };
}
