/**
 * Prints failures in full, and in the end what did not run, which files took longest and how many tests passed. While the run
 * lasts, a terminal shows its progress and a log gets a line for each tenth of the files. `--reporter=verbose` lists every test.
 */
import { existsSync, globSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { DefaultReporter, type SerializedError, type TestModule } from 'vitest/node';
// @ts-expect-error a script without types
import { missingTestTools } from '../../scripts/test-tools.mjs';
// @ts-expect-error a script without types
import { root } from '../../scripts/workshop.mjs';
import { quickRun } from '../quick-run.ts';
import { isQuickRun, runsEverything } from './runs-everything.ts';

const slowestShown = 5;
const reasonPattern = /\(needs ([^)]+)\)/;

type RunStart = Parameters<DefaultReporter['onTestRunStart']>[0];
type RunEndReason = Parameters<DefaultReporter['onTestRunEnd']>[2];

export class SummaryReporter extends DefaultReporter {
  override silent = 'passed-only' as const;
  #ended = 0;
  #files = 0;

  override onTestRunStart(specifications: RunStart): void {
    super.onTestRunStart(specifications);
    const strays = specifications.map(({ moduleId }) => relative(root, moduleId)).filter(isLeftToFullRun);
    if (strays.length > 0)
      throw new Error(`npm test runs files that test/quick-run.ts doesn't list: ${strays}`);
    this.#ended = 0;
    this.#files = specifications.length;
  }

  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module);
    this.#ended++;
    const tenth = Math.ceil(this.#files / 10);
    if (!this.isTTY && this.#files >= 20 && this.#ended % tenth === 0)
      this.log(` ${this.#ended} of ${this.#files} files`);
  }

  override printTestModule(module: TestModule): void {
    if (module.state() === 'failed' || this.#files === 1) super.printTestModule(module);
  }

  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: RunEndReason,
  ): void {
    super.onTestRunEnd(modules, errors, reason);
    for (const { children } of modules)
      for (const test of children.allTests('passed'))
        if (test.diagnostic()?.flaky) this.log(` Passed on the second attempt: ${test.fullName}`);
    const skipped = skippedTests(modules);
    for (const [why, count] of skipped.needs) this.log(` Skipped ${count}: needs ${why}`);
    if (isQuickRun) {
      const files = globSync('test/**/*.test.{ts,tsx}').length - quickRun.length;
      this.log(` Left to npm run test:all: ${files} files, and ${skipped.left} tests of the files that ran`);
    } else if (!runsEverything && skipped.left > 0)
      this.log(` Left to npm run test:all: ${skipped.left} tests`);
    if (modules.length > slowestShown) {
      const slowest = [...modules].sort((a, b) => b.diagnostic().duration - a.diagnostic().duration);
      this.log(' Slowest files:');
      for (const module of slowest.slice(0, slowestShown)) {
        const seconds = (module.diagnostic().duration / 1000).toFixed(1);
        this.log(` ${seconds.padStart(6)} s  ${module.relativeModuleId}`);
      }
    }
    const count = (state: 'passed' | 'failed' | 'skipped') =>
      modules.reduce((sum, { children }) => sum + [...children.allTests(state)].length, 0);
    this.log(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
  }
}

const isLeftToFullRun = (file: string) => isQuickRun && !quickRun.includes(file);

/** Whether a test would be skipped in a full run, too. */
function isMissing(needed: string): boolean {
  if (needed.includes('shared')) return !existsSync(join(root, '../shared/fixtures'));
  return missingTestTools().some(({ program }: { program: string }) => needed.includes(basename(program)));
}

/** How many tests were skipped for each thing that their titles say they need, and how many a full run has. */
function skippedTests(modules: readonly TestModule[]): { needs: Map<string, number>; left: number } {
  const needs = new Map<string, number>();
  let left = 0;
  for (const module of modules) {
    for (const { fullName } of module.children.allTests('skipped')) {
      const needed = reasonPattern.exec(fullName)?.[1];
      if (needed && (runsEverything || isMissing(needed))) needs.set(needed, (needs.get(needed) ?? 0) + 1);
      else left++;
    }
  }
  return { needs, left };
}
