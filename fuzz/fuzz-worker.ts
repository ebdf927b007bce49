/**
 * The process that packages are read in: one in, one outcome out. A process, so that a crash of native code is a finding and not
 * the end of the run.
 */
import { type PackageOutcome, takePackage } from './stages.ts';

export interface PackageToTake {
  bytes: Uint8Array;
  /** Any change of the package must keep its signature from verifying. */
  mustNotVerify: boolean;
}

/** The caps are on processor time, which a busy machine does not stretch; a slow package is taken once more to be sure. */
process.on('message', async ({ bytes, mustNotVerify }: PackageToTake) => {
  const copy = Buffer.from(bytes);
  let outcome = await takePackage(copy, mustNotVerify);
  if (outcome.slow !== null) outcome = await takePackage(copy, mustNotVerify);
  const answer: PackageOutcome = { ...outcome, finding: outcome.finding ?? outcome.slow };
  process.send?.(answer);
});
