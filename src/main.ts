#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node --max-semi-space-size=2
/** The process. Checks the version of Node before it imports other files of Slipway. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const minNodeMajor = 24;
/** By then, a starting server has compiled its code. */
const compiledAfterMs = 10_000;

async function main(): Promise<number> {
  const [major = '0'] = process.versions.node.split('.');
  if (Number(major) < minNodeMajor) {
    process.stderr.write(
      `slipway needs Node ${minNodeMajor} or newer; this is ${process.version}. In a clone, npm start brings its own.\n`,
    );
    return 1;
  }
  const args = process.argv.slice(2);
  if (args.length === 1 && args[0] === '--version') {
    // Handled here because scripts ask for it often, and nothing else of Slipway needs to be loaded.
    const { version } = await import('./core/version.ts');
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  const { runProgram } = await loadProgram(args[0] === 'serve' ? 'serve' : 'commands');
  return runProgram(process);
}

async function loadProgram(purpose: string): Promise<typeof import('./program.ts')> {
  // Not an import that a bundler follows, which would put the program into this bundle too.
  const source = './program.ts';
  if (import.meta.url.endsWith('.ts')) return import(new URL(source, import.meta.url).href);
  const { openCompiledCode } = await import('./compiled-code.ts');
  const cache = fileURLToPath(new URL('./compile-cache', import.meta.url));
  const compiled = openCompiledCode(cache, purpose, process.pid);
  // Commands store the code when they end; a server may be killed before that. What failed has not run most of its code.
  setTimeout(compiled.store, compiledAfterMs).unref();
  process.on('exit', (code) => code === 0 && compiled.store());
  const program = fileURLToPath(new URL('./chunks/program.cjs', import.meta.url));
  return compiled.load(program) as typeof import('./program.ts');
}

process.exitCode = await main();
