/** Attempts that were counted before a case begins, so that it need not make hundreds of requests to reach a limit. */
import { createAttempts } from '../../src/limits/attempts.ts';
import { createTestClaims } from './test-claims.ts';
import type { TestService } from './test-service.ts';

/** `subject`: as the limit names it. Replaces what was counted; the limit itself still counts the requests of the case. */
export async function countEarlierAttempts(
  { data }: Pick<TestService, 'data'>,
  now: number,
  subject: readonly string[],
  count: number,
): Promise<void> {
  const attempts = createAttempts({
    data,
    claims: createTestClaims(data),
    now: () => now,
    refused: () => undefined,
    isUnavailable: () => false,
  });
  await attempts.reset(subject);
  const windowMs = 60 * 60_000;
  await attempts.count(subject, { limit: Number.POSITIVE_INFINITY, windowMs, refusal: 'codes' }, count);
}
