/** Parses path data to commands and numbers, which are serialized again, so that no text from the package gets into the SVG. */

import { svgNumber } from '../svg.ts';

export interface PathSegment {
  /** Uppercase for absolute, as in SVG. */
  command: string;
  numbers: number[];
}

/** Number of arguments of each command. */
const numbersOf: Readonly<Record<string, number>> = {
  M: 2,
  L: 2,
  H: 1,
  V: 1,
  C: 6,
  S: 4,
  Q: 4,
  T: 2,
  A: 7,
  Z: 0,
};

const numberPattern = /[\s,]*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/y;
const flagPattern = /[\s,]*([01])(?!\.)/y;
const commandPattern = /[\s,]*([MmLlHhVvCcSsQqTtAaZz])/y;

/**
 * Reads path data like Android, up to the first invalid token. The default starting point is 0, 0.
 *
 * @param spendSegments called for each segment; may throw to stop reading
 */
export function parsePathData(text: string, spendSegments: (count: number) => void): PathSegment[] {
  const segments: PathSegment[] = [];
  let position = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = position;
    const match = pattern.exec(text)?.[1] ?? null;
    if (match !== null) position = pattern.lastIndex;
    return match;
  };
  for (let command = take(commandPattern); command !== null; command = take(commandPattern)) {
    for (let isFirst = true; ; isFirst = false) {
      const start = position;
      const numbers = takeNumbers(command, take);
      if (!numbers) {
        position = start;
        if (isFirst) return fromOrigin(segments);
        break;
      }
      spendSegments(1);
      segments.push({ command: isFirst ? command : followingCommand(command), numbers });
      if (numbers.length === 0) break;
    }
  }
  return fromOrigin(segments);
}

/** Returns null if arguments are missing. The two flags of an arc may be written without a space after them. */
function takeNumbers(command: string, take: (pattern: RegExp) => string | null): number[] | null {
  const letter = command.toUpperCase();
  const numbers: number[] = [];
  for (let index = 0; index < (numbersOf[letter] ?? 0); index++) {
    const isFlag = letter === 'A' && (index === 3 || index === 4);
    const found = (isFlag ? take(flagPattern) : null) ?? take(numberPattern);
    const number = Number(found ?? Number.NaN);
    if (!Number.isFinite(number)) return null;
    numbers.push(number);
  }
  return numbers;
}

/** Additional pairs of numbers after a move are lines. */
function followingCommand(command: string): string {
  if (command === 'M') return 'L';
  return command === 'm' ? 'l' : command;
}

function fromOrigin(segments: PathSegment[]): PathSegment[] {
  const first = segments[0]?.command;
  if (first === undefined || first === 'M' || first === 'm') return segments;
  return [{ command: 'M', numbers: [0, 0] }, ...segments];
}

/** Returns the `d` attribute of a path. */
export function svgPathData(segments: readonly PathSegment[]): string {
  return segments
    .map(({ command, numbers }) => {
      // Flags of an arc are 0 or 1 in SVG, but any number counts as 1 in Android unless it is 0.
      const written =
        command === 'A' || command === 'a'
          ? numbers.map((number, index) => (index === 3 || index === 4 ? Number(number !== 0) : number))
          : numbers;
      return command + written.map(svgNumber).join(' ');
    })
    .join('');
}
