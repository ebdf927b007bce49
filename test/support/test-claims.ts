/** Claims of a node for tests of single parts, which never end by themselves. */

import type { Claim } from '../../src/claims/claim.ts';
import { type Claims, createClaims } from '../../src/claims/claims.ts';
import { fixedClock } from '../../src/claims/shared-clock.ts';
import type { Data } from '../../src/db/data.ts';

export const testClaim: Claim = { nodeId: 'test', number: 0, takesOver: false };

let nodes = 0;
const opened = new Set<Claims>();

export function createTestClaims(data: Data): Claims {
  nodes += 1;
  const log = { warn: () => undefined };
  const claims = createClaims({
    data,
    nodeId: `node-${nodes}`,
    alone: true,
    host: 'test',
    clock: fixedClock(Date.now),
    log,
  });
  opened.add(claims);
  return claims;
}

/** For the end of a test. */
export async function closeTestClaims(): Promise<void> {
  for (const claims of opened) await claims.close();
  opened.clear();
}
