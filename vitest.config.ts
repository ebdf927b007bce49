import { defineConfig } from 'vitest/config';
import { useMemoryForTemporaryFiles } from './test/support/memory-folder.ts';
import { runsEveryPair } from './test/support/runs-every-pair.ts';
import { SummaryReporter } from './test/support/summary-reporter.ts';

/** What needs neither a database nor an S3 service. */
const units = ['test/{core,packages,blobs,uploader,web,scripts}/**/*.test.ts', 'test/*.test.ts'];
const s3 = 'test/blobs/s3-*.test.ts';
/** Endurance, crashes and second opinions: minutes of work that rarely find what the other suites do not. For `npm run test:all`. */
const slow = [
  'test/packages/child-kills.test.ts',
  'test/packages/signing/apksigner-real.test.ts',
  'test/commands/{crash,many-nodes,move}.test.ts',
  'test/db/database-unavailable.test.ts',
  'test/http/{linear-parsers,transfer-rate}.test.ts',
  'test/interface/s3-errors.test.ts',
];
const left = runsEveryPair ? [] : slow;
/** The server reads the scripts of pages when it starts. */
const scripts = 'scripts/bundle-browser.mjs';

// Databases and stored files of tests are temporary.
useMemoryForTemporaryFiles();

/** Two projects: what needs no database and no S3 runs without starting one. */
export default defineConfig({
  test: {
    reporters: [new SummaryReporter()],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // Much of the time is spent waiting for a browser, a server or a disk: three at once even where there are two cores.
    maxWorkers: 3,
    expect: { poll: { timeout: 10_000 } },
    // Each test process strips types from its threads' files with WebAssembly, and V8 13.6 can crash when several threads compile
    // import wrappers at once. This flag keeps it from compiling them; a compiled server runs no such threads.
    execArgv: ['--wasm-wrapper-tiering-budget=1000000000'],
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          // These files leave nothing behind in their process, so they can share one.
          isolate: false,
          include: units,
          exclude: [s3, ...left],
          globalSetup: scripts,
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: [s3, 'test/*/**/*.test.{ts,tsx}'],
          exclude: [...left, 'test/{core,packages,uploader,web,scripts}/**', 'test/blobs/!(s3-)*.test.ts'],
          globalSetup: [
            scripts,
            ...['start-radosgw', 'start-postgres', 'migrate-templates'].map(
              (name) => `test/support/${name}.ts`,
            ),
          ],
        },
      },
    ],
  },
});
