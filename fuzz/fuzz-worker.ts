/**
 * The process that reads packages, one outcome per package. A separate process, so that a crash of native code is a finding and
 * does not end the run.
 */
import { type PartBatch, takeBatch } from './part-batches.ts';
import { type PackageOutcome, takePackage } from './stages.ts';

export interface PackageToTake {
  bytes: Uint8Array;
  /** Whether any change of the package must invalidate its signature. */
  mustNotVerify: boolean;
}

/** The limits apply to processor time, which a busy machine does not extend; a slow package is read again to be sure. */
process.on('message', async (task: PackageToTake | PartBatch) => {
  if ('batch' in task) {
    process.send?.(await takeBatch(task));
    return;
  }
  const { bytes, mustNotVerify } = task;
  const copy = Buffer.from(bytes);
  let outcome = await takePackage(copy, mustNotVerify);
  if (outcome.slow !== null) outcome = await takePackage(copy, mustNotVerify);
  const answer: PackageOutcome = { ...outcome, finding: outcome.finding ?? outcome.slow };
  process.send?.(answer);
});
