/** Path data, read to commands and numbers and written again: nothing of a package's text gets into the SVG. */

import { svgNumber } from '../svg.ts';

export interface PathSegment {
  /** As in SVG, upper case for absolute. */
  command: string;
  numbers: number[];
}

/** Numbers that each command takes. */
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
 * Reads path data as Android does, up to the first thing that is not understood. It starts at 0, 0 when it does not say where.
 *
 * @param spendSegments called for each segment; may throw to end the reading
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

/** Null when they are not all there. The two flags of an arc may be written without space behind them. */
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

/** More pairs after a move are lines. */
function followingCommand(command: string): string {
  if (command === 'M') return 'L';
  return command === 'm' ? 'l' : command;
}

function fromOrigin(segments: PathSegment[]): PathSegment[] {
  const first = segments[0]?.command;
  if (first === undefined || first === 'M' || first === 'm') return segments;
  return [{ command: 'M', numbers: [0, 0] }, ...segments];
}

/** For the `d` of a path. */
export function svgPathData(segments: readonly PathSegment[]): string {
  return segments
    .map(({ command, numbers }) => {
      // The flags of an arc are 0 or 1 in SVG, any number but 0 in Android.
      const written =
        command === 'A' || command === 'a'
          ? numbers.map((number, index) => (index === 3 || index === 4 ? Number(number !== 0) : number))
          : numbers;
      return command + written.map(svgNumber).join(' ');
    })
    .join('');
}
