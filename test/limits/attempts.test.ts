import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Attempts,
  createAttempts,
  hashSubject,
  longestAttemptWindowMs,
} from '../../src/limits/attempts.ts';
import { createFailingQueries } from '../support/failing-queries.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { closeTestClaims, createTestClaims } from '../support/test-claims.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('attempts on %s', (dialect) => {
  let test: TestData;
  let attempts: Attempts;
  const refused: string[] = [];
  let clock = Date.UTC(2026, 10, 21);
  const unavailable = new Error('the database does not answer');
  const limit = { limit: 3, windowMs: 60_000, refusal: 'codes' } as const;
  beforeAll(async () => {
    test = await openTestData(dialect);
    attempts = createAttempts({
      data: test.data,
      claims: createTestClaims(test.data),
      now: () => clock,
      refused: (kind) => refused.push(kind),
      isUnavailable: (error) => error === unavailable,
    });
  });
  afterAll(async () => {
    await closeTestClaims();
    await test.close();
  });

  const outcomes = async (subject: string[], tries: number) => {
    const settled = await Promise.allSettled(
      Array.from({ length: tries }, () => attempts.count(subject, limit)),
    );
    return settled.filter(({ status }) => status === 'fulfilled').length;
  };

  it('are limited within the window, even when concurrent', async () => {
    expect(await outcomes(['one'], 8)).toBe(3);
    await expect(attempts.count(['one'], limit)).rejects.toThrow('too many wrong codes');
    expect(await outcomes(['another'], 1)).toBe(1);
    clock += 60_000;
    expect(await outcomes(['one'], 8)).toBe(3);
  });

  it('of one site are five times those of a network, however many networks it has', async () => {
    const from = async (network: string) => {
      const tries = Array.from({ length: 5 }, () => attempts.countFrom(network, ['site'], limit));
      return (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled').length;
    };
    const perNetwork: number[] = [];
    for (let network = 0; network < 8; network++) perNetwork.push(await from(`2001:db8:1:${network}::/64`));
    expect(perNetwork).toEqual([3, 3, 3, 3, 3, 0, 0, 0]);
    expect(await from('2001:db8:2:0::/64')).toBe(3);
    for (const address of ['192.0.2.1', '192.0.2.2']) expect(await from(address)).toBe(3);
  });

  it('of great weight stay refused, however many more are counted', async () => {
    const heavy = { ...limit, limit: 500_000_000 };
    for (let tries = 0; tries < 5; tries++)
      await attempts.count(['heavy'], heavy, 900_000_000).catch(() => undefined);
    await expect(attempts.count(['heavy'], heavy, 900_000_000)).rejects.toThrow('too many wrong codes');
  });

  it('are reset after a correct one', async () => {
    expect(await outcomes(['right'], 3)).toBe(3);
    await attempts.reset(['right']);
    expect(await outcomes(['right'], 8)).toBe(3);
  });

  it('can be refunded for a shared subject without resetting those of others', async () => {
    await outcomes(['shared'], 2);
    for (let person = 0; person < 20; person++) {
      await attempts.count(['shared'], limit);
      await attempts.refund(['shared']);
    }
    expect(await outcomes(['shared'], 8)).toBe(1);
  });

  it('are uncounted if the request fails for want of something, and only then', async () => {
    const left = async (
      name: string,
      end: () => Promise<{ status: number }>,
      settle?: 'reset' | 'refund',
    ) => {
      await attempts.count([name], limit);
      const served = attempts.refundUnserved(async () => {
        await attempts.count([name], limit, 2);
        if (settle) await attempts[settle]([name]);
        return end();
      });
      await served.catch(() => undefined);
      return outcomes([name], 8);
    };
    const fail = (error: Error) => () => Promise.reject(error);
    expect(await left('thrown', fail(unavailable))).toBe(2);
    expect(await left('answered', async () => ({ status: 503 }))).toBe(2);
    expect(await left('cleared', fail(unavailable), 'reset')).toBe(3);
    expect(await left('refunded', fail(unavailable), 'refund')).toBe(2);
    expect(await left('a defect', fail(new Error('undefined is not a function')))).toBe(0);
    expect(await left('wrong', async () => ({ status: 401 }))).toBe(0);
  });

  it('use a subject once, even if the request fails', async () => {
    const use = () => attempts.useOnce(['challenge'], limit.windowMs);
    const failed = attempts.refundUnserved(async () => {
      expect(await use()).toBe(true);
      throw unavailable;
    });
    await expect(failed).rejects.toBe(unavailable);
    expect(await use()).toBe(false);
  });

  it('are uncounted as soon as the database is back', async () => {
    let isAway = false;
    const data = createFailingQueries(test.database, () => (isAway ? unavailable : null));
    const cut = createAttempts({
      data,
      claims: createTestClaims(data),
      now: () => clock,
      refused: () => undefined,
      isUnavailable: (error) => error === unavailable,
    });
    const served = cut.refundUnserved(async () => {
      for (const subject of ['first', 'second']) await cut.count([subject], limit, 3);
      isAway = true;
      throw unavailable;
    });
    await expect(served).rejects.toThrow(unavailable);
    const counts = async () => {
      const subjects = [hashSubject(['first']), hashSubject(['second'])];
      const rows = test.database.queries.selectFrom('attempts').where('subject', 'in', subjects);
      return (await rows.select('count').execute()).map(({ count }) => count);
    };
    expect(await counts()).toEqual([3, 3]);
    isAway = false;
    await vi.waitFor(async () => expect(await counts()).toEqual([0, 0]), 20_000);
  });

  it('store only a hash of the subject, and no longer than the window', async () => {
    await attempts.count(['mina@example.com', '192.0.2.1'], limit);
    const rows = () => test.database.queries.selectFrom('attempts').selectAll().execute();
    expect(JSON.stringify(await rows())).not.toMatch(/mina|192\.0/);
    clock += longestAttemptWindowMs + 2 * 60 * 60_000;
    await attempts.count(['later'], limit);
    expect(await rows()).toHaveLength(1);
  });
});
