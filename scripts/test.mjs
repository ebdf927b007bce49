/**
 * npm test: installs and builds if necessary, and runs the suites that cover every feature once (`test/quick-run.ts`). `--all`
 * runs everything, on both databases and every store. With files or folders, runs what they name.
 */
import { missingTestTools } from './test-tools.mjs';
import { ensureBuilt, ensureInstalled, findNode, run, tool } from './workshop.mjs';

const options = process.argv.slice(2);
const all = options.includes('--all');
const names = options.some((option) => option.startsWith('test'));
for (const { program, suite } of missingTestTools())
  console.error(`slipway: ${program} is missing, skipped: ${suite} (npm run setup:test-tools)`);

ensureInstalled();
ensureBuilt();
run(findNode(), [tool('vitest'), 'run', ...options.filter((option) => option !== '--all')], {
  stdio: 'inherit',
  env: { ...process.env, TEST_RUN: all ? 'all' : names ? 'named' : 'quick' },
});
