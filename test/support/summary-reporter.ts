/**
 * Prints failures in full, and in the end what was skipped and which files took longest. While the run lasts, a terminal
 * shows its progress and a log gets a line for each tenth of the files. `--reporter=verbose` lists every test.
 */
import { DefaultReporter, type SerializedError, type TestModule } from 'vitest/node';

const slowestShown = 10;
const reasonPattern = /\(needs ([^)]+)\)/;

type RunStart = Parameters<DefaultReporter['onTestRunStart']>[0];
type RunEndReason = Parameters<DefaultReporter['onTestRunEnd']>[2];

export class SummaryReporter extends DefaultReporter {
  override silent = 'passed-only' as const;
  #ended = 0;
  #files = 0;

  override onTestRunStart(specifications: RunStart): void {
    super.onTestRunStart(specifications);
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
    for (const [why, count] of skippedTests(modules)) this.log(` Skipped ${count}: ${why}`);
    if (modules.length <= slowestShown) return;
    const slowest = [...modules].sort((a, b) => b.diagnostic().duration - a.diagnostic().duration);
    this.log(' Slowest files:');
    for (const module of slowest.slice(0, slowestShown)) {
      const seconds = (module.diagnostic().duration / 1000).toFixed(1);
      this.log(` ${seconds.padStart(6)} s  ${module.relativeModuleId}`);
    }
  }
}

/** How many tests were skipped for each reason: what their titles say they need, else their file. */
function skippedTests(modules: readonly TestModule[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const module of modules) {
    for (const { fullName } of module.children.allTests('skipped')) {
      const needed = reasonPattern.exec(fullName)?.[1];
      const why = needed ? `needs ${needed}` : module.relativeModuleId;
      counts.set(why, (counts.get(why) ?? 0) + 1);
    }
  }
  return counts;
}
