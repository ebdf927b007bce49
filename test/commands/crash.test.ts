/** Kills the process repeatedly at random: acknowledged work stays, other work leaves nothing. */
import { describe, expect, it } from 'vitest';
import { killOften } from '../../faults/kills.ts';
import { createRandom } from '../../fuzz/random.ts';
import { shared } from '../support/shared-servers.ts';
import { dialects } from '../support/test-database.ts';

/** `npm run faults` kills hundreds of times; some kills hit a start or a permanent deletion. */
const kills = 7;

describe.each(dialects)('kill -9 on %s', (dialect) => {
  it(`loses no acknowledged upload and keeps no partial one over ${kills} kills`, {
    timeout: 300_000,
  }, async () => {
    const outcome = await killOften({
      servers: { postgresUrl: await shared('postgres'), s3: null },
      stores: dialect === 'sqlite' ? 'sqlite+disk' : 'postgres+disk',
      random: createRandom(0x51195),
      rounds: kills,
      say: () => undefined,
    });
    expect(outcome.faults).toEqual([]);
    expect(outcome.counts.kills).toBe(kills);
    expect(outcome.counts.acknowledged).toBeGreaterThanOrEqual(kills);
    // Requests without an answer: the kills interrupted running work.
    expect(outcome.counts.unanswered).toBeGreaterThanOrEqual(kills);
  });
});
