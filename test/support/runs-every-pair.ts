/** Whether this run covers every pair of a test and a database or store (`npm run test:all`), not only where they differ. */
export const runsEveryPair = process.env.TEST_PAIRS === 'every';
