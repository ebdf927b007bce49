import { defineConfig } from 'vitest/config';

/** Two projects: what needs no database and no S3 runs without starting one. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // Much of the time is spent waiting for a browser, a server or a disk: two at once even where there are two cores.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: ['test/{packages,blobs,uploader,web,scripts}/**/*.test.ts', 'test/*.test.ts'],
          exclude: ['test/blobs/s3-*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: [
            'test/blobs/s3-*.test.ts',
            'test/{db,outbox,owners,access,projects,apps,devices,distributions,uploads,notifications,console,interface,commands,http,proxy,browser}/**/*.test.{ts,tsx}',
          ],
          globalSetup: ['test/support/start-radosgw.ts', 'test/support/start-postgres.ts'],
        },
      },
    ],
  },
});
