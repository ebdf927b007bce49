import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
// @ts-expect-error a script without types
import { ensureBuilt, root } from './scripts/workshop.mjs';
import { quickRun } from './test/quick-run.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { useMemoryForTemporaryFiles } from './test/support/memory-folder.ts';
import { isQuickRun, runsEverything } from './test/support/runs-everything.ts';
import { SummaryReporter } from './test/support/summary-reporter.ts';

ensureBuilt();
// Databases and stored files of tests are temporary.
useMemoryForTemporaryFiles();

/** Processes and threads start from the build, as in an installation; their sources would be compiled again at each start. */
const startBuiltPrograms: Plugin = {
  name: 'start-built-programs',
  transform: (code, id) =>
    /\/(package-child|hash-thread)\.ts$/.test(id)
      ? code.replaceAll(
          'import.meta.url',
          JSON.stringify(pathToFileURL(join(root, 'dist/chunks/main.js')).href),
        )
      : null,
};

export default defineConfig({
  plugins: [startBuiltPrograms],
  test: {
    include: isQuickRun ? [...quickRun] : ['test/**/*.test.{ts,tsx}'],
    reporters: [new SummaryReporter()],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // Files leave nothing behind in their process, so they share it: each process loads the program once.
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Lost connections and time limits of real servers on a busy machine; never a failed assertion. The run names each such test.
    retry: runsEverything
      ? { count: 1, condition: /aborted|ECONNRESET|socket hang up|timed out|Timeout \d+ms/ }
      : 0,
    expect: { poll: { timeout: 10_000 } },
    globalSetup: ['test/support/shared-servers.ts'],
  },
});
