import { defineConfig } from 'vitest/config';

/** Two projects: what needs no database runs without starting one. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: ['test/{packages,blobs,uploader,web,scripts}/**/*.test.ts', 'test/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: [
            'test/{db,outbox,owners,access,apps,distributions,uploads,interface,commands,http,browser}/**/*.test.{ts,tsx}',
          ],
          globalSetup: ['test/support/start-postgres.ts'],
        },
      },
    ],
  },
});
