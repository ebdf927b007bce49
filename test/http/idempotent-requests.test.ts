/** Who may run a request with an `Idempotency-Key`, or a conditional change: one node at a time, however slow it is. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { leaseMs } from '../../src/claims/claim.ts';
import { type Claims, createClaims } from '../../src/claims/claims.ts';
import { fixedClock } from '../../src/claims/shared-clock.ts';
import { newIdentifier } from '../../src/core/identifier.ts';
import type { Data } from '../../src/db/data.ts';
import { createRunExclusively } from '../../src/http/idempotency/conditional-changes.ts';
import { createRunOnce } from '../../src/http/idempotency/idempotent-requests.ts';
import { empty } from '../../src/http/routes/answer.ts';
import { createFailingQueries } from '../support/failing-queries.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { dialects } from '../support/test-database.ts';

const secret = 'a secret of at least thirty-two bytes';
const hour = 60 * 60_000;

describe.each(dialects)('requests that run once on %s', (dialect) => {
  let test: TestData;
  let opened: Claims[];
  let uptime: number;
  beforeEach(async () => {
    test = await openTestData(dialect);
    [opened, uptime] = [[], 0];
  });
  afterEach(async () => {
    for (const claims of opened) await claims.close();
    await test.close();
  });

  /** A node that may take over what others did not renew. */
  const startNode = async (aheadMs = 0, data: Data = test.data) => {
    const now = () => Date.now() + aheadMs;
    const log = { warn: () => undefined };
    const nodeId = newIdentifier(Date.now());
    const claims = createClaims({
      data,
      nodeId,
      alone: false,
      host: 'test',
      clock: fixedClock(now),
      uptimeMs: () => uptime,
      log,
    });
    opened.push(claims);
    await claims.start();
    const [runOnce, runExclusively] = [
      createRunOnce({ data, claims, secret, now }),
      createRunExclusively({ data, claims, now }),
    ];
    const ask = (run: () => Promise<void>, key = 'key') =>
      runOnce({ credential: 'owner', key, target: 'POST /x', body: {} }, async () => {
        await run();
        return empty(204);
      });
    return { nodeId, claims, ask, runExclusively };
  };
  const endLeases = () =>
    sql`update idempotent_requests set leased_until = leased_until - ${2 * leaseMs}`.execute(
      test.database.queries,
    );
  const gate = () => Promise.withResolvers<void>();

  it('are not repeated while a node runs them, however long it takes and whatever its clock says', async () => {
    const [slow, other] = [await startNode(), await startNode(hour)];
    uptime += leaseMs;
    const [begun, ended] = [gate(), gate()];
    let runs = 0;
    const first = slow.ask(async () => {
      runs += 1;
      begun.resolve();
      await ended.promise;
    });
    await begun.promise;
    const repeat = () =>
      other.ask(async () => {
        runs += 1;
      });
    const inProgress = expect.objectContaining({ code: 'idempotency_in_progress' });
    await expect(repeat()).rejects.toEqual(inProgress);
    await endLeases();
    await slow.claims.start();
    await expect(repeat()).rejects.toEqual(inProgress);
    ended.resolve();
    expect((await first).status).toBe(204);
    expect((await repeat()).headers).toMatchObject({ 'Idempotency-Replayed': 'true' });
    expect(runs).toBe(1);
  });

  it('can be repeated once their node is gone, whose late answer then counts no more', async () => {
    const [frozen, other] = [await startNode(), await startNode()];
    uptime += leaseMs;
    const [begun, ended] = [gate(), gate()];
    const first = frozen.ask(async () => {
      begun.resolve();
      await ended.promise;
    });
    await begun.promise;
    await endLeases();
    const taken = gate();
    const second = other.ask(() => taken.promise);
    await vi.waitFor(async () => expect(await holders()).toEqual([other.nodeId]));
    ended.resolve();
    await first;
    expect(await holders()).toEqual([other.nodeId]);
    taken.resolve();
    expect((await second).status).toBe(204);
  });

  it('can be repeated at once when their node has stopped, or its successor knows that it died', async () => {
    const dead = await startNode();
    const begun = gate();
    void dead.ask(async () => {
      begun.resolve();
      await new Promise(() => undefined);
    });
    await begun.promise;
    await test.data.claims.releaseNode(dead.nodeId);
    expect((await (await startNode()).ask(async () => undefined)).status).toBe(204);
  });

  it('store their answer when the database is back', async () => {
    let fails = false;
    const data = createFailingQueries(test.database, ({ kind, table }) =>
      fails && kind === 'update' && table === 'idempotent_requests' ? new Error('gone') : null,
    );
    const [node, other] = [await startNode(0, data), await startNode()];
    await node.ask(async () => {
      fails = true;
    });
    expect(await holders()).toEqual([node.nodeId]);
    fails = false;
    await vi.waitFor(
      async () =>
        expect((await other.ask(async () => undefined)).headers).toMatchObject({
          'Idempotency-Replayed': 'true',
        }),
      20_000,
    );
  });

  it('change a resource one at a time', async () => {
    const [slow, other] = [await startNode(), await startNode(hour)];
    uptime += leaseMs;
    const [begun, ended] = [gate(), gate()];
    const first = slow.runExclusively('page', async () => {
      begun.resolve();
      await ended.promise;
    });
    await begun.promise;
    const refused = expect.objectContaining({ kind: 'precondition_failed' });
    await expect(other.runExclusively('page', async () => undefined)).rejects.toEqual(refused);
    await endLeases();
    await slow.claims.start();
    await expect(other.runExclusively('page', async () => undefined)).rejects.toEqual(refused);
    ended.resolve();
    await first;
    expect(await other.runExclusively('page', async () => 'changed')).toBe('changed');
  });

  const holders = async () =>
    (await test.database.queries.selectFrom('idempotent_requests').select('held_by').execute()).map(
      (row) => row.held_by,
    );
});
