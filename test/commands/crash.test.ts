/** The process is killed at random moments, again and again: what was answered stays, what was not leaves nothing. */
import { describe, expect, inject, it } from 'vitest';
import { killOften } from '../../faults/kills.ts';
import { createRandom } from '../../fuzz/random.ts';
import { dialects } from '../support/test-database.ts';

/** `npm run faults` kills some hundred times; one of these falls on a start, and deletions end for good under some. */
const kills = 7;

describe.each(dialects)('kill -9 on %s', (dialect) => {
  it(`loses nothing that was answered and keeps nothing half, ${kills} times`, {
    timeout: 300_000,
  }, async () => {
    const outcome = await killOften({
      servers: { postgresUrl: inject('postgresUrl'), s3: null },
      stores: dialect === 'sqlite' ? 'sqlite+disk' : 'postgres+disk',
      random: createRandom(0x51195),
      rounds: kills,
      say: () => undefined,
    });
    expect(outcome.faults).toEqual([]);
    expect(outcome.counts.kills).toBe(kills);
    expect(outcome.counts.acknowledged).toBeGreaterThanOrEqual(kills);
    // Requests whose answer never came: the kills fell on work under way.
    expect(outcome.counts.unanswered).toBeGreaterThanOrEqual(kills);
  });
});
