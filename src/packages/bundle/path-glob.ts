/**
 * Patterns of paths as `java.nio.file.FileSystem.getPathMatcher` reads them: `*` and `?` within a segment, `**` across them,
 * `[a-z]`, `{a,b}` and `\`. Own code: they come from the bundle, and its matcher takes no more steps than both lengths multiplied.
 */

export const maxGlobLength = 1_000;
/** Patterns that `{a,b}` stand for. */
export const maxGlobAlternatives = 100;

/** What one step of a pattern accepts; `repeats`: any number of times. */
interface Step {
  accepts: (letter: string) => boolean;
  repeats: boolean;
}

/** A pattern that is invalid or exceeds a limit matches nothing. */
export function createGlob(pattern: string): (path: string) => boolean {
  const patterns = pattern.length > maxGlobLength ? [] : expandAlternatives(pattern);
  const compiled = patterns.map(readSteps).filter((steps) => steps !== null);
  return (path) => compiled.some((steps) => matches(steps, path));
}

/** Groups cannot contain groups. */
function expandAlternatives(pattern: string): string[] {
  let expanded = [''];
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at] ?? '';
    if (letter !== '{') {
      const piece = letter === '\\' ? pattern.slice(at, ++at + 1) : letter;
      expanded = expanded.map((one) => one + piece);
      continue;
    }
    const end = pattern.indexOf('}', at);
    if (end === -1) return [];
    const choices = pattern.slice(at + 1, end).split(',');
    if (expanded.length * choices.length > maxGlobAlternatives) return [];
    expanded = expanded.flatMap((one) => choices.map((choice) => one + choice));
    at = end;
  }
  return expanded;
}

const isInSegment = (letter: string) => letter !== '/';

function readSteps(pattern: string): Step[] | null {
  const steps: Step[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at] ?? '';
    if (letter === '*') {
      const crosses = pattern[at + 1] === '*';
      if (crosses) at++;
      steps.push({ accepts: crosses ? () => true : isInSegment, repeats: true });
    } else if (letter === '?') {
      steps.push({ accepts: isInSegment, repeats: false });
    } else if (letter === '[') {
      const end = pattern.indexOf(']', at + 1);
      if (end === -1) return null;
      steps.push({ accepts: readClass(pattern.slice(at + 1, end)), repeats: false });
      at = end;
    } else {
      const literal = letter === '\\' ? pattern[++at] : letter;
      steps.push({ accepts: (other) => other === literal, repeats: false });
    }
  }
  return steps;
}

function readClass(text: string): (letter: string) => boolean {
  const isNegated = /^[!^]/.test(text);
  const letters = isNegated ? text.slice(1) : text;
  const ranges: [string, string][] = [];
  for (let at = 0; at < letters.length; at++) {
    const first = letters[at] ?? '';
    const last = letters[at + 1] === '-' ? letters[at + 2] : undefined;
    ranges.push([first, last ?? first]);
    if (last !== undefined) at += 2;
  }
  const isListed = (letter: string) => ranges.some(([first, last]) => letter >= first && letter <= last);
  return (letter) => letter !== '/' && isListed(letter) !== isNegated;
}

/** Keeps the set of steps that may come next. */
function matches(steps: readonly Step[], path: string): boolean {
  let places = new Set([0]);
  for (const letter of path) {
    const next = new Set<number>();
    for (const place of withSkipped(steps, places)) {
      const step = steps[place];
      if (step?.accepts(letter)) next.add(step.repeats ? place : place + 1);
    }
    if (next.size === 0) return false;
    places = next;
  }
  return withSkipped(steps, places).has(steps.length);
}

/** Steps that repeat may also be passed over. */
function withSkipped(steps: readonly Step[], places: ReadonlySet<number>): Set<number> {
  const reachable = new Set(places);
  for (const place of reachable) if (steps[place]?.repeats) reachable.add(place + 1);
  return reachable;
}
