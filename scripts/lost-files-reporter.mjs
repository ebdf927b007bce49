// A reporter of vitest that writes down the files whose process the kernel ended with SIGSEGV, when nothing else went wrong.
import { writeFileSync } from 'node:fs';

/** Where to: a path. */
export const lostFilesVariable = 'SLIPWAY_LOST_TEST_FILES';

const pattern = /exited unexpectedly with signal SIGSEGV .*while running test file (.+)$/;

export default class LostFilesReporter {
  onTestRunEnd(modules, errors) {
    const path = process.env[lostFilesVariable];
    if (path) writeFileSync(path, JSON.stringify(lostFiles(modules, errors)));
  }
}

/** None when a test failed as well, or anything but such an end was reported. */
export function lostFiles(modules, errors) {
  const files = errors.map((error) => pattern.exec(error.cause?.message ?? '')?.[1]);
  const others = modules.filter(({ moduleId }) => !files.includes(moduleId));
  if (files.includes(undefined) || !others.every((module) => module.ok())) return [];
  return files;
}
