/** The original names of classes, from the mapping file of R8 or ProGuard. Only lines of classes are read. */
import { LimitExceeded } from '../gaps.ts';

/** Mapping files of large apps have 100 megabytes, almost all of which are lines of members. */
export const maxMapBytes = 1024 * 1024 * 1024;
/** More than sixty files of code can define. */
export const maxMappedClasses = 1_000_000;
/** Names of renamed classes, and of each package once. Limits memory. */
export const maxMappedLetters = 24 * 1024 * 1024;
/** Limits what is kept while a line is incomplete. Longer lines are skipped. */
export const maxMapLineLetters = 64 * 1024;

export interface ClassNames {
  /** The original package by the name of the class in the file; classes that keep their name are not in it. */
  packages: ReadonlyMap<string, string>;
  /** Whether any class or package has another name. */
  isRenamed: boolean;
}

/** A line such as `com.example.Original -> a.b:`. */
const classLine = /^([^\s#][^\s]{0,999}) -> ([^\s:]{1,1000}):\s*$/;

/**
 * Reads the map as it is inflated.
 * @throws UnreadablePackage if a limit is exceeded, or the chunks reject
 */
export async function readClassNames(chunks: AsyncIterable<Buffer>): Promise<ClassNames> {
  const packages = new Map<string, string>();
  /** One string per package, because thousands of classes share it. */
  const shared = new Map<string, string>();
  let isRenamed = false;
  let letters = 0;
  for await (const line of linesOf(chunks)) {
    const [, original, renamed] = classLine.exec(line) ?? [];
    if (original === undefined || renamed === undefined || original === renamed) continue;
    isRenamed ||= !renamed.startsWith('R8$$REMOVED');
    if (packages.size === maxMappedClasses) throw new LimitExceeded('too_many');
    const name = packageOfClass(original);
    const shown = shared.get(name);
    letters += renamed.length + (shown === undefined ? name.length : 0);
    if (letters > maxMappedLetters) throw new LimitExceeded('too_large');
    const known = shown ?? Buffer.from(name).toString();
    shared.set(name, known);
    packages.set(Buffer.from(renamed).toString(), known);
  }
  return { packages, isRenamed };
}

/** Returns '' for a class without a package. */
export const packageOfClass = (className: string) =>
  className.slice(0, Math.max(0, className.lastIndexOf('.')));

/** Yields the lines that can be those of classes: not indented, no comments, and not too long. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  let isSkipping = false;
  for await (const chunk of chunks) {
    const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = text.indexOf(10); end !== -1; end = text.indexOf(10, start)) {
      const first = text[start];
      if (!isSkipping && first !== 0x20 && first !== 0x23 && end - start <= maxMapLineLetters)
        yield text.toString('utf8', start, end);
      isSkipping = false;
      start = end + 1;
    }
    rest = text.subarray(start);
    if (rest.length > maxMapLineLetters) {
      isSkipping = true;
      rest = Buffer.alloc(0);
    }
  }
  if (!isSkipping && rest.length > 0) yield rest.toString('utf8');
}
