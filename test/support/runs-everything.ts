/** Set by `scripts/test.mjs`: `quick`, `all`, or `named` for a run of named files or folders. */
const run = process.env.TEST_RUN ?? 'named';

/** Whether this is `npm test`, which runs the files of `test/quick-run.ts`. */
export const isQuickRun = run === 'quick';

/** Whether this is `npm run test:all`, with every case, on both databases and every store. */
export const runsEverything = run === 'all';
