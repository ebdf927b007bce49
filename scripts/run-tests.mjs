// Runs vitest, and once more what only the kernel ended.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lostFilesVariable } from './lost-files-reporter.mjs';
import { findNode, tool } from './workshop.mjs';

const reporter = fileURLToPath(new URL('./lost-files-reporter.mjs', import.meta.url));

/**
 * Answers the exit code. About one test process in some thousands dies of SIGSEGV in native code, at no place that could be
 * made to happen again (docs/development.md): its file is run once more, alone, and it is said. Whatever fails by itself stays failed.
 */
export function runTests(args, options = {}) {
  const first = runOnce(args, options);
  if (first.status === 0 || first.lost.length === 0) return first.status;
  console.error(
    `slipway: SIGSEGV ended ${first.lost.join(', ')}; nothing else failed; running that once more`,
  );
  return runOnce(first.lost, options).status;
}

function runOnce(args, options) {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-tests-'));
  const lostPath = join(folder, 'lost.json');
  try {
    const command = [tool('vitest'), 'run', '--reporter=default', `--reporter=${reporter}`, ...args];
    const env = { ...process.env, [lostFilesVariable]: lostPath };
    const { status } = spawnSync(findNode(), command, { stdio: 'inherit', ...options, env });
    return { status: status ?? 1, lost: status === 0 ? [] : read(lostPath) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Nothing was written when vitest could not begin. */
function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return [];
  }
}
