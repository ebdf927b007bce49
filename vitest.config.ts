import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './test/support/summary-reporter.ts';

/** What needs neither a database nor an S3 service. */
const units = ['test/{core,packages,blobs,uploader,web,scripts}/**/*.test.ts', 'test/*.test.ts'];
const s3 = 'test/blobs/s3-*.test.ts';
/** The server reads the scripts of pages when it starts. */
const scripts = 'scripts/bundle-browser.mjs';

/** Two projects: what needs no database and no S3 runs without starting one. */
export default defineConfig({
  test: {
    reporters: [new SummaryReporter()],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // Much of the time is spent waiting for a browser, a server or a disk: two at once even where there are two cores.
    maxWorkers: 2,
    // Each test process strips types from its threads' files with WebAssembly, and V8 13.6 can crash when several threads compile
    // import wrappers at once. This flag keeps it from compiling them; a compiled server runs no such threads.
    execArgv: ['--wasm-wrapper-tiering-budget=1000000000'],
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: units,
          exclude: [s3],
          globalSetup: scripts,
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: [s3, 'test/*/**/*.test.{ts,tsx}'],
          exclude: ['test/{core,packages,uploader,web,scripts}/**', 'test/blobs/!(s3-)*.test.ts'],
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
