/**
 * Reads META-INF/MANIFEST.MF and *.SF: a main section, then one section per file. A section consists of `Name: value`
 * lines and ends at a blank line; a line that starts with a space continues the previous one.
 *
 * @see https://docs.oracle.com/en/java/javase/21/docs/specs/jar/jar.html#jar-manifest
 */
import { MalformedSigningData } from './signing-bytes.ts';

/** Maximum size of such a file after inflating. A game with 100,000 files has about 15 million bytes. */
export const maxJarManifestBytes = 32 * 1024 * 1024;
export const maxJarSections = 200_000;
/** Total of all sections. */
export const maxJarLines = 1_000_000;

export interface JarSection {
  /** The whole file that contains the section. */
  file: Buffer;
  /** Where the section starts in the file; digests cover exactly these bytes. */
  start: number;
  /** Position after the blank line that ends the section. */
  end: number;
  /** Value of `Name` if that is the first line, otherwise null. */
  name: string | null;
}

export interface JarManifest {
  file: Buffer;
  main: JarSection;
  /** In order. */
  sections: JarSection[];
}

const space = 0x20;

/** Accepts any bytes and ignores everything that is not a section. Throws `MalformedSigningData` above a limit. */
export function readJarManifest(file: Buffer): JarManifest {
  const sections: JarSection[] = [];
  let lineCount = 0;
  for (let position = 0; position < file.length; ) {
    const start = position;
    let name: string | null = null;
    for (const [key, value, next] of attributesFrom(file, start)) {
      if (position === start && key === 'name') name = value;
      position = next;
      lineCount++;
    }
    // a blank line ends a section; further ones belong to none
    const end = position < file.length ? lineAt(file, position).next : position;
    if (position > start) sections.push({ file, start, end, name });
    position = end;
    if (sections.length > maxJarSections || lineCount > maxJarLines) {
      throw new MalformedSigningData('it has too many lines');
    }
  }
  const [main = { file, start: 0, end: 0, name: null }, ...rest] = sections;
  return { file, main, sections: rest };
}

/** Returns values by lowercase name, the first of each name. Not stored in the section, because there may be many. */
export function jarAttributes({ file, start }: JarSection): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [key, value] of attributesFrom(file, start))
    if (!attributes.has(key)) attributes.set(key, value);
  return attributes;
}

/** Yields the lowercase name, the value and the start of the next line, up to the blank line or the end of the file. */
function* attributesFrom(file: Buffer, start: number): Generator<[string, string, number]> {
  for (let position = start; position < file.length; ) {
    let line = lineAt(file, position);
    if (line.end === position) return;
    const pieces = [file.subarray(position, line.end)];
    position = line.next;
    for (; file[position] === space; position = line.next) {
      line = lineAt(file, position);
      pieces.push(file.subarray(position + 1, line.end));
    }
    yield [...splitAttribute(Buffer.concat(pieces).toString('utf8')), position];
  }
}

/** A line ends with CR LF, LF, CR or the end of the file. */
function lineAt(file: Buffer, start: number): { end: number; next: number } {
  let end = start;
  while (end < file.length && file[end] !== 0x0a && file[end] !== 0x0d) end++;
  const next = file[end] === 0x0d && file[end + 1] === 0x0a ? end + 2 : end + 1;
  return { end, next: Math.min(next, file.length) };
}

function splitAttribute(line: string): [string, string] {
  const colon = line.indexOf(':');
  if (colon < 0) return [line.trim().toLowerCase(), ''];
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
}
