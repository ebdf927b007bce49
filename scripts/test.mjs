// npm test: installs the dependencies and builds when that is due, and runs the suites. `--all` runs them on every pair of
// database and store.
import { missingTestTools } from './test-tools.mjs';
import { ensureBuilt, ensureInstalled, findNode, run, tool } from './workshop.mjs';

const options = process.argv.slice(2);
const all = options.includes('--all');
for (const { program, suite } of missingTestTools())
  console.error(`slipway: ${program} is missing, skipped: ${suite} (npm run setup:test-tools)`);

ensureInstalled();
ensureBuilt();
run(findNode(), [tool('vitest'), 'run', ...options.filter((option) => option !== '--all')], {
  stdio: 'inherit',
  env: { ...process.env, ...(all ? { TEST_RUN: 'all' } : {}) },
});
