/**
 * Source positions in stack traces of the bundled program. Node's own support reads every source map at the start, which takes
 * 230 ms and 55 MiB; here, maps are read only when a stack trace is shown.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The folder of the bundle, which is the parent of its chunks. */
const bundle = new URL('..', import.meta.url).href;
/** A line of a stack trace, up to its position: `    at name (file:///…/dist/chunks/name.cjs:1:2)`. */
const framePattern = /^( {4}at (?:.* \()?)(file:\/\/[^\s()]+\.c?js):(\d+):(\d+)/gm;
/** Far more positions than the code can throw from. */
const maxKnown = 10_000;
const known = new Map<string, string>();

/** Returns the trace with the file, line and column of each source, relative to the folder of the program. */
export function withSourcePositions(trace: string): string {
  const maps = new Map<string, SourceMap | null>();
  return trace.replace(framePattern, (frame, before: string, file: string, line: string, column: string) => {
    const place = `${file}:${line}:${column}`;
    const found = known.get(place) ?? positionOf(maps, file, Number(line), Number(column));
    if (found === null) return frame;
    if (known.size < maxKnown) known.set(place, found);
    return `${before}${found}`;
  });
}

function positionOf(
  maps: Map<string, SourceMap | null>,
  file: string,
  line: number,
  column: number,
): string | null {
  const map = maps.has(file) ? maps.get(file) : readMap(file);
  maps.set(file, map ?? null);
  const origin = map?.findOrigin(line, column);
  if (!origin || !('fileName' in origin)) return null;
  const source = new URL(origin.fileName, file).href;
  const root = new URL('..', bundle).href;
  return `${source.startsWith(root) ? source.slice(root.length) : source}:${origin.lineNumber}:${origin.columnNumber}`;
}

/** Null for a file of another program. */
function readMap(file: string): SourceMap | null {
  if (!new URL(file).href.startsWith(bundle)) return null;
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')));
  } catch {
    return null;
  }
}
