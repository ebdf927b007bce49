import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Claim, leaseMs } from '../../src/claims/claim.ts';
import { type ClaimedJob, lanes, retryDelay } from '../../src/jobs/outbox.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { dialects } from '../support/test-database.ts';

const minute = 60_000;
const { builds, mail } = lanes;
const { maxAttempts } = builds;

describe('retry delays', () => {
  it('double from two seconds up to an hour', () => {
    const pauses = Array.from({ length: maxAttempts }, (_, index) => retryDelay(index + 1) / 1000);
    expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600]);
  });

  it('span more than a day for mail', () => {
    const tries = Array.from({ length: mail.maxAttempts - 1 }, (_, index) => retryDelay(index + 1));
    expect(tries.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(24 * 60 * minute);
  });
});

describe.each(dialects)('the outbox on %s', (dialect) => {
  let test: TestData;
  beforeEach(async () => {
    test = await openTestData(dialect);
  });
  afterEach(() => test.close());

  const addJobs = async (count: number, now = 0) => {
    for (let index = 0; index < count; index++) {
      await test.data.outbox.add({ kind: 'draw-icon', buildId: `b${index}` }, now + index);
    }
  };
  const claimedIds = (claimed: ClaimedJob[]) =>
    claimed.map(({ job }) => ('buildId' in job ? job.buildId : job.kind));

  it('assigns each job to only one of eight concurrent claimers, and never more than requested', async () => {
    await addJobs(100);
    const others = await Promise.all(Array.from({ length: 7 }, () => test.openSecond()));
    const claimers = [test.data, ...others.map(({ data }) => data)];
    const given: string[] = [];
    const drain = async (outbox: typeof test.data.outbox) => {
      for (;;) {
        const claimed = await outbox.claim(builds, 1000, 3);
        expect(claimed.length).toBeLessThanOrEqual(3);
        // A claimer that got nothing may have queried while another had locked the last ones.
        if (claimed.length === 0) return;
        given.push(...claimedIds(claimed));
      }
    };
    await Promise.all(claimers.map(({ outbox }) => drain(outbox)));
    expect(given).toHaveLength(100);
    expect(new Set(given).size).toBe(100);
  });

  it('never returns more jobs than requested, regardless of the planner statistics', async () => {
    const { queries } = test.database;
    // Statistics as autovacuum writes them for an almost empty outbox. Autovacuum is off, so that they remain.
    if (dialect === 'postgres') await sql`alter table outbox set (autovacuum_enabled = off)`.execute(queries);
    await addJobs(1);
    await sql.raw(dialect === 'postgres' ? 'vacuum analyze outbox' : 'analyze').execute(queries);
    for (let index = 1; index < 5; index++) {
      await test.data.outbox.add({ kind: 'draw-icon', buildId: `b${index}` }, index);
    }
    const given = [];
    for (let index = 0; index < 5; index++) {
      given.push(claimedIds(await test.data.outbox.claim(builds, 10, 1)));
    }
    expect(given).toEqual([['b0'], ['b1'], ['b2'], ['b3'], ['b4']]);
  });

  it('names the lanes with jobs that are due and that nobody has claimed', async () => {
    const lanesAt = (now: number) => test.data.outbox.waitingLanes(now);
    expect(await lanesAt(100)).toEqual([]);
    await addJobs(1, 100);
    await test.data.outbox.add({ kind: 'send-webhook', deliveryId: 'd' }, 100);
    expect(await lanesAt(99)).toEqual([]);
    expect((await lanesAt(100)).sort()).toEqual(['builds', 'webhooks']);
    await test.data.outbox.claim(builds, 100, 1);
    expect(await lanesAt(100)).toEqual(['webhooks']);
  });

  it('returns the oldest due jobs first, and none before it is due', async () => {
    await addJobs(4, 100);
    expect(claimedIds(await test.data.outbox.claim(builds, 99, 9))).toEqual([]);
    expect(claimedIds(await test.data.outbox.claim(builds, 101, 9)).sort()).toEqual(['b0', 'b1']);
    expect(claimedIds(await test.data.outbox.claim(builds, 200, 1))).toEqual(['b2']);
  });

  describe('a claimed job', () => {
    const first: Claim = { nodeId: 'a', number: 1, takesOver: false };
    const second: Claim = { nodeId: 'b', number: 1, takesOver: true };
    const claimBy = async (claim: Claim, now = 1000) =>
      claimedIds(await test.data.outbox.claim(builds, now, 9, claim));
    const endLeases = () =>
      sql`update outbox set leased_until = leased_until - ${2 * leaseMs} where leased_until is not null`.execute(
        test.database.queries,
      );

    it('is nobody else’s until its lease ends by the clock of the database', async () => {
      await addJobs(1);
      expect(await claimBy(first)).toEqual(['b0']);
      expect(await test.data.outbox.nextRunAt(builds)).toBeNull();
      // The clock of the other node is a year ahead.
      expect(await claimBy(second, Date.now() + 365 * 24 * 60 * minute)).toEqual([]);
      await endLeases();
      expect(await claimBy({ ...second, takesOver: false })).toEqual([]);
      expect(await claimBy(second)).toEqual(['b0']);
    });

    it('stays with a process that renews it', async () => {
      await addJobs(1);
      await claimBy(first);
      await endLeases();
      await test.data.claims.renew('a', [1]);
      expect(await claimBy(second)).toEqual([]);
    });

    it('cannot be changed by a process that has lost it', async () => {
      await addJobs(1);
      await claimBy(first);
      await endLeases();
      const [job] = await test.data.outbox.claim(builds, 1000, 1, second);
      const id = job?.id ?? '';
      await test.data.outbox.finish(id, first);
      await test.data.outbox.retryLater(id, 5, 'too late', first);
      await test.data.outbox.putOff(id, 5, first);
      await test.data.outbox.release(first);
      // The same process, with another claim.
      await test.data.outbox.finish(id, { ...second, number: 2 });
      const { rows } = await sql<object>`select held_by, attempts, last_error from outbox`.execute(
        test.database.queries,
      );
      expect(rows).toEqual([{ held_by: 'b', attempts: 2, last_error: null }]);
      await test.data.outbox.finish(id, second);
      expect(await test.data.outbox.nextRunAt(builds)).toBeNull();
    });

    it('is free at once when its process is known to have ended', async () => {
      await addJobs(2);
      await test.data.outbox.claim(builds, 1000, 1, first);
      await test.data.outbox.claim(builds, 1000, 1, second);
      await test.data.claims.releaseNode('a');
      expect(await claimBy({ nodeId: 'c', number: 1, takesOver: false })).toHaveLength(1);
      await test.data.claims.releaseAll();
      expect(await claimBy({ nodeId: 'd', number: 1, takesOver: false })).toHaveLength(2);
    });
  });

  it('stops retrying a failed job after the maximum attempts, and keeps it with its error', async () => {
    await addJobs(1);
    let now = 0;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const [claimed] = await test.data.outbox.claim(builds, now, 1);
      expect(claimed?.attempts).toBe(attempt);
      now += retryDelay(attempt);
      await test.data.outbox.retryLater(claimed?.id ?? '', now, `failure ${attempt}`);
      expect(await test.data.outbox.claim(builds, now - 1, 1)).toEqual([]);
    }
    expect(await test.data.outbox.claim(builds, now + 1000 * minute, 1)).toEqual([]);
    expect(await test.data.outbox.nextRunAt(builds)).toBeNull();
    const { rows } = await sql<object>`select attempts, last_error from outbox`.execute(
      test.database.queries,
    );
    expect(rows).toEqual([{ attempts: maxAttempts, last_error: `failure ${maxAttempts}` }]);
  });

  it('keeps the lanes separate', async () => {
    await test.data.outbox.addAll(
      ['m1', 'm2'].map((mailId) => ({ kind: 'send-mail', mailId, until: 99 }) as const),
      1,
    );
    await test.data.outbox.add({ kind: 'draw-icon', buildId: 'b' }, 3);
    expect(await test.data.outbox.nextRunAt(mail)).toBe(1);
    expect(await test.data.outbox.nextRunAt(builds)).toBe(3);
    expect(claimedIds(await test.data.outbox.claim(builds, 10, 9))).toEqual(['b']);
    const mails = await test.data.outbox.claim(mail, 10, 9);
    expect(
      mails
        .map(({ job }) => job)
        .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
    ).toEqual([
      { kind: 'send-mail', mailId: 'm1', until: 99 },
      { kind: 'send-mail', mailId: 'm2', until: 99 },
    ]);
    await test.data.outbox.addAll([], 1);
  });

  it('contains a job only if the transaction that added it was committed', async () => {
    const cause = (fails: boolean, buildId: string) =>
      test.data.transaction(async (tx) => {
        await tx.owners.insertWorkspace({ name: buildId, displayName: '', iconUrl: '', createdAt: 1 });
        await tx.outbox.add({ kind: 'verify-signature', buildId }, 1);
        expect(await test.data.outbox.nextRunAt(builds)).toBeNull();
        if (fails) throw new Error('no cause');
      });
    await expect(cause(true, 'undone')).rejects.toThrow('no cause');
    expect(await test.data.outbox.claim(builds, 10, 9)).toEqual([]);
    await cause(false, 'done');
    expect(claimedIds(await test.data.outbox.claim(builds, 10, 9))).toEqual(['done']);
  });
});
