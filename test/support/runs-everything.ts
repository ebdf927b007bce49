/** Whether this is `npm run test:all`, which runs every test, and not `npm test`, which covers every feature once. */
export const runsEverything = process.env.TEST_RUN === 'all';
