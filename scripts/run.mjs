// Runs a TypeScript file of the project (bench, fuzz) on the Node version that Slipway requires.
import { ensureBuilt, ensureInstalled, findNode, run } from './workshop.mjs';

ensureInstalled();
ensureBuilt();
run(findNode(), process.argv.slice(2), { stdio: 'inherit' });
