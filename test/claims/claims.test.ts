import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { leaseMs } from '../../src/claims/claim.ts';
import { type Claims, createClaims } from '../../src/claims/claims.ts';
import { createSharedClock, fixedClock, type SharedClock } from '../../src/claims/shared-clock.ts';
import { lanes } from '../../src/jobs/outbox.ts';
import { createFailingQueries } from '../support/failing-queries.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('claims on %s', (dialect) => {
  let test: TestData;
  let opened: Claims[];
  let uptime: number;
  let fails: boolean;
  beforeEach(async () => {
    test = await openTestData(dialect);
    [opened, uptime, fails] = [[], 0, false];
  });
  afterEach(async () => {
    for (const claims of opened) await claims.close();
    await test.close();
  });

  const open = (
    nodeId: string,
    aheadMs = 0,
    data = test.data,
    clock = fixedClock(() => Date.now() + aheadMs),
  ) => {
    const claims = createClaims({
      data,
      nodeId,
      alone: false,
      host: `host of ${nodeId}`,
      clock,
      uptimeMs: () => uptime,
      log: { warn: () => undefined },
    });
    opened.push(claims);
    return claims;
  };
  const failing = () => createFailingQueries(test.database, () => (fails ? new Error('gone') : null));
  const claimOf = async (claims: Claims) => {
    const claim = claims.begin();
    return { claim, jobs: await test.data.outbox.claim(lanes.builds, 1, 9, claim) };
  };
  const endLeases = () =>
    sql`update outbox set leased_until = leased_until - ${2 * leaseMs} where leased_until is not null`.execute(
      test.database.queries,
    );

  it('are renewed while the work runs, and no longer', async () => {
    await test.data.outbox.add({ kind: 'draw-icon', buildId: 'b' }, 1);
    const [slow, other] = [open('slow'), open('other')];
    await other.start();
    uptime += leaseMs;
    const { claim } = await claimOf(slow);
    await endLeases();
    await slow.start();
    expect((await claimOf(other)).jobs).toEqual([]);
    slow.drop(claim);
    await endLeases();
    await slow.start();
    expect((await claimOf(other)).jobs).toHaveLength(1);
  });

  it('are not taken over by a node that was cut off itself, until the others had time to renew theirs', async () => {
    await test.data.outbox.add({ kind: 'draw-icon', buildId: 'b' }, 1);
    const [first, second] = [open('first'), open('second', 0, failing())];
    await second.start();
    uptime += leaseMs;
    await claimOf(first);
    // The database is away for longer than a lease.
    fails = true;
    await second.start();
    fails = false;
    await endLeases();
    uptime += leaseMs;
    await second.start();
    expect((await claimOf(second)).jobs).toEqual([]);
    uptime += leaseMs;
    expect((await claimOf(second)).jobs).toHaveLength(1);
  });

  it('are settled as soon as the database is back', async () => {
    await test.data.outbox.add({ kind: 'draw-icon', buildId: 'b' }, 1);
    const data = failing();
    const claims = open('only', 0, data);
    const { claim, jobs } = await claimOf(claims);
    fails = true;
    await claims.settle(claim, () => data.outbox.finish(jobs[0]?.id ?? '', claim));
    expect(await rest()).toHaveLength(1);
    fails = false;
    await vi.waitFor(async () => expect(await rest()).toEqual([]), 20_000);
  });

  it('are released when the node stops', async () => {
    await test.data.outbox.add({ kind: 'draw-icon', buildId: 'b' }, 1);
    const claims = open('stopping');
    await claims.start();
    await claimOf(claims);
    await claims.close();
    expect((await claimOf(open('next'))).jobs).toHaveLength(1);
    expect(await test.data.claims.listNodes()).toEqual([]);
  });

  it('record how far the clock of each node is from that of the database', async () => {
    const [exact, ahead] = [open('a'), open('b', 6 * 60_000)];
    for (const claims of [exact, ahead]) await claims.start();
    const nodes = await test.data.claims.listNodes();
    expect(nodes.map(({ host }) => host)).toEqual(['host of a', 'host of b']);
    const [first, second] = nodes.map(({ clockOffsetMs }) => clockOffsetMs / 60_000);
    expect(first).toBeCloseTo(0, 0);
    expect(second).toBeCloseTo(6, 0);
    expect(ahead.clockOffsetMs()).toBe(nodes[1]?.clockOffsetMs);
  });

  it('correct the clock of their node from a second on, unless the database answers late', async () => {
    const minutesAhead = (clock: SharedClock) => (clock.now() - Date.now()) / 60_000;
    const clock = createSharedClock(() => Date.now() + 6 * 60_000);
    let answersAfterMs = 2_000;
    const data = createFailingQueries(test.database, () => {
      uptime += answersAfterMs;
      return null;
    });
    const claims = open('ahead', 0, data, clock);
    await claims.setClock();
    expect([minutesAhead(clock), claims.clockOffsetMs()]).toEqual([expect.closeTo(6, 0), null]);
    answersAfterMs = 0;
    await claims.setClock();
    expect(minutesAhead(clock)).toBeCloseTo(0, 0);
    expect((claims.clockOffsetMs() ?? 0) / 60_000).toBeCloseTo(6, 0);
  });

  it('leave a clock alone that differs little, so that time advances evenly', () => {
    let time = 1_000_000;
    const clock = createSharedClock(() => time);
    for (const [offsetMs, corrected] of [
      [999, 1_000_000],
      [-999, 1_000_000],
      [360_000, 640_000],
      [360_900, 640_000],
      [0, 1_000_000],
    ] as const) {
      clock.adjust(offsetMs);
      expect(clock.now()).toBe(corrected);
    }
    time += 1;
    expect(clock.now()).toBe(1_000_001);
  });

  const rest = () => test.database.queries.selectFrom('outbox').select('id').execute();
});
