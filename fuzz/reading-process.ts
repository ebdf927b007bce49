/** The process that reads the packages, restarted whenever a package ends it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PackageToTake } from './fuzz-worker.ts';
import type { BatchOutcome, PartBatch } from './part-batches.ts';
import type { PackageOutcome } from './stages.ts';

/** Far above the limits of each step, for a busy machine. */
const hangMilliseconds = 120_000;
const maxHeapMebibytes = 192;
/** Temporary memory growth allowed for one package: several of the largest pictures. */
const maxGrowthOfPackage = 512 * 1024 ** 2;
/** Memory growth allowed for all packages of a process. */
const maxGrowthOfProcess = 512 * 1024 ** 2;
/** Before this, modules load, code is compiled and the heap grows to its normal size. */
const warmUpPackages = 100;

export interface ReadingProcess {
  take(task: PackageToTake): Promise<PackageOutcome>;
  /** Mutates and reads parts of packages. A text describes how the process ended. */
  takeBatch(task: PartBatch): Promise<BatchOutcome | string>;
  close(): Promise<void>;
}

export function startReadingProcess(): ReadingProcess {
  let child = start();
  let taken = 0;
  let residentAtFirst = 0;
  let peakBefore = 0;

  async function restart(): Promise<void> {
    await end(child);
    child = start();
    taken = 0;
  }

  function judgeMemory(outcome: PackageOutcome): string | null {
    const { residentBytes, peakBytes } = outcome;
    const ofPackage = peakBytes - Math.max(peakBefore, residentAtFirst);
    peakBefore = peakBytes;
    taken++;
    if (taken <= warmUpPackages) {
      residentAtFirst = residentBytes;
      return null;
    }
    if (ofPackage > maxGrowthOfPackage) return `took ${mebibytes(ofPackage)} more memory than any before it`;
    const ofProcess = residentBytes - residentAtFirst;
    return ofProcess > maxGrowthOfProcess
      ? `was the one at which ${taken} packages kept ${mebibytes(ofProcess)} of memory`
      : null;
  }

  return {
    async take(task) {
      const outcome = await ask<PackageOutcome>(child, task);
      if (typeof outcome === 'string') {
        await restart();
        return { finding: outcome, slow: null, passed: [], spent: {}, residentBytes: 0, peakBytes: 0 };
      }
      const memory = judgeMemory(outcome);
      if (memory !== null) await restart();
      return { ...outcome, finding: outcome.finding ?? memory };
    },
    async takeBatch(task) {
      const outcome = await ask<BatchOutcome>(child, task);
      if (typeof outcome === 'string') await restart();
      return outcome;
    },
    close: () => end(child),
  };
}

function start(): ChildProcess {
  return fork(fileURLToPath(new URL('./fuzz-worker.ts', import.meta.url)), {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${maxHeapMebibytes}`],
  });
}

/** A text describes how the process ended. */
async function ask<Outcome>(child: ChildProcess, task: PackageToTake | PartBatch): Promise<Outcome | string> {
  const stop = new AbortController();
  const { signal } = stop;
  const hang = setTimeout(() => stop.abort(), hangMilliseconds);
  child.send(task);
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([outcome]): Outcome => outcome),
      once(child, 'exit', { signal }).then(([code, name]) => `ended the process with ${name ?? code}`),
    ]);
  } catch {
    return `took more than ${hangMilliseconds} ms`;
  } finally {
    clearTimeout(hang);
    stop.abort();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MiB`;
}
