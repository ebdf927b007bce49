/** The S3 service of the test run, with a separate prefix per test. */
import { createS3ScratchOn, type S3Scratch } from './s3-scratch.ts';
import { shared } from './shared-servers.ts';

export { hasS3 } from './launch-servers.ts';
export type { S3Scratch };

export async function createS3Scratch(): Promise<S3Scratch> {
  return createS3ScratchOn(await shared('s3'));
}
