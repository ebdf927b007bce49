/**
 * The files of `npm test`: every feature once, in at most four minutes on two cores. A new file of tests belongs here only if
 * nothing here covers its feature, and if it starts no program, browser or database server of its own. Everything else runs in
 * `npm run test:all`.
 */
export const quickRun: readonly string[] = [];
