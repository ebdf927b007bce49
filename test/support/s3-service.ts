/** The S3 service of the test run, with a separate prefix per test. */
import { inject } from 'vitest';
import { createS3ScratchOn, type S3Scratch } from './s3-scratch.ts';

export type { S3Scratch };

/** Whether this machine can run the tests that need S3; `npm test` reports what is missing. */
export const hasS3 = Boolean(inject('s3'));

export async function createS3Scratch(): Promise<S3Scratch> {
  const service = inject('s3');
  if (!service) throw new Error('there is no S3 service in this run');
  return createS3ScratchOn(service);
}
