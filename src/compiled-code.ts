/**
 * Loads the CommonJS modules of the bundle with the code that an earlier process compiled. Node's own cache omits every function
 * that V8 compiles when it is first called, which is most of a start.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

export interface CompiledCode {
  load(path: string): unknown;
  /** Stores what was compiled, unless an earlier process did. */
  store(): void;
}

const wrapper = '(function(exports,require,module,__filename,__dirname){';
const sumBytes = 4;

/** `purpose`: of the process; modules that serve several purposes run other functions for each. */
export function openCompiledCode(cache: string, purpose: string, pid: number): CompiledCode {
  // V8 refuses what another version compiled, or one with other flags.
  const name = `${purpose}-${cachedDataVersionTag()}`;
  const folder = join(cache, name);
  const modules = new Map<string, { exports: unknown }>();
  const uncached = new Map<string, Script>();

  function load(path: string): unknown {
    const loaded = modules.get(path);
    if (loaded) return loaded.exports;
    const module = { exports: {} };
    modules.set(path, module);
    const source = readFileSync(path);
    // V8 compares nothing but the length of the source.
    const file = join(folder, crc32(source).toString(16));
    const cachedData = readCompiled(file);
    const script = new Script(`${wrapper}${source.toString()}\n})`, {
      // Like the frames of ES modules in a stack trace.
      filename: pathToFileURL(path).href,
      columnOffset: -wrapper.length,
      ...(cachedData && { cachedData }),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    if (!cachedData || script.cachedDataRejected) uncached.set(file, script);
    const builtin = createRequire(path);
    const require = (id: string) => (id.startsWith('.') ? load(join(dirname(path), id)) : builtin(id));
    script.runInThisContext()(module.exports, require, module, path, dirname(path));
    return module.exports;
  }

  function store(): void {
    if (uncached.size === 0) return;
    try {
      mkdirSync(folder, { recursive: true });
      for (const [file, script] of uncached) writeCompiled(file, script.createCachedData(), pid);
      for (const other of readdirSync(cache))
        if (other.startsWith(`${purpose}-`) && other !== name)
          rmSync(join(cache, other), { recursive: true, force: true });
    } catch {
      // A folder that cannot be written: the next start compiles again.
    }
    uncached.clear();
  }
  return { load, store };
}

/** The checksum finds a file that a crash of the machine has cut off. */
function readCompiled(file: string): Buffer | null {
  try {
    const bytes = readFileSync(file);
    const code = bytes.subarray(sumBytes);
    return crc32(code) === bytes.readUInt32LE() ? code : null;
  } catch {
    return null;
  }
}

function writeCompiled(file: string, code: Buffer, pid: number): void {
  const sum = Buffer.alloc(sumBytes);
  sum.writeUInt32LE(crc32(code));
  const written = `${file}.${pid}`;
  writeFileSync(written, Buffer.concat([sum, code]));
  renameSync(written, file);
}
