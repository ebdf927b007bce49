/** The compiled program, for tests that start it as a separate process. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite from 'better-sqlite3';

const root = fileURLToPath(new URL('../..', import.meta.url));
const buildPatienceMs = 120_000;
const ensureBuilt = `import(${JSON.stringify(join(root, 'scripts/workshop.mjs'))}).then((workshop) => workshop.ensureBuilt())`;

/**
 * Returns the path of `dist/main.js`, rebuilt if the source has changed. `npm test` builds it first; with vitest
 * started directly, several test files can reach this concurrently, and one of them builds.
 */
export function currentBuild(): string {
  const lock = new BetterSqlite(join(root, 'node_modules/.slipway-build.lock'), {
    timeout: buildPatienceMs,
  });
  lock.exec('begin exclusive');
  try {
    const built = spawnSync(process.execPath, ['-e', ensureBuilt], { cwd: root, encoding: 'utf8' });
    if (built.status !== 0) throw new Error(`the build failed:\n${built.stderr}${built.stdout}`);
  } finally {
    lock.exec('rollback');
    lock.close();
  }
  return join(root, 'dist/main.js');
}
