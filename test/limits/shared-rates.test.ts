/** Hourly limits that nodes share. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.ts';
import {
  createSharedRates,
  maxPauses,
  type RateLimitEntry,
  type SharedRates,
} from '../../src/limits/shared-rates.ts';
import type { TestQueries } from '../support/every-query.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { dialects } from '../support/test-database.ts';

const hourMs = 60 * 60_000;

describe.each(dialects)('shared hourly limits on %s', (dialect) => {
  let test: TestData;
  let statements = 0;
  let clock = Date.UTC(2026, 10, 21);
  let refused: string[] = [];
  beforeAll(async () => {
    test = await openTestData(dialect);
  });
  afterAll(() => test.close());

  /** Another process on the database, which counts its queries. */
  const node = (): SharedRates => {
    const { attempts } = test.data;
    const counted: TestQueries['attempts'] = {
      ...attempts,
      countAttempts: (...asked) => {
        statements++;
        return attempts.countAttempts(...asked);
      },
      refundAttempts: (...asked) => {
        statements++;
        return attempts.refundAttempts(...asked);
      },
    };
    return createSharedRates({
      queries: counted,
      now: () => clock,
      refused: (kind, from) => refused.push(`${kind} ${from}`),
    });
  };
  const charge = (
    kind: 'upload-by-key' | 'upload-by-owner',
    subject: string,
    limit: number,
  ): RateLimitEntry => {
    const refusal = [kind === 'upload-by-key' ? 'uploadsWithKey' : 'uploadsToOwner', { limit }] as const;
    return { kind, subject: [kind, subject], limit, refusal, from: subject };
  };
  const outcome = (work: Promise<void>) =>
    work.then(
      () => 'taken',
      (error: unknown) => {
        if (!(error instanceof AppError) || error.kind !== 'too_many') throw error;
        const [, refused] = /too many uploads (.+?)\./.exec(error.message) ?? [];
        return `${refused}, ${error.retryAfterSeconds} s`;
      },
    );

  it('apply across all nodes and to concurrent requests', async () => {
    const [one, other] = [node(), node()];
    const both = (index: number) => (index % 2 === 0 ? one : other);
    const ask = () =>
      Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          outcome(both(index).take([charge('upload-by-key', 'many', 5)])),
        ),
      );
    const first = await ask();
    expect(first.filter((said) => said === 'taken')).toHaveLength(5);
    expect(first.filter((said) => said === 'with this key, 3600 s')).toHaveLength(7);
    clock += hourMs - 1500;
    expect(new Set(await ask())).toEqual(new Set(['with this key, 2 s']));
    clock += 1500;
    expect((await ask()).filter((said) => said === 'taken')).toHaveLength(5);
  });

  it('use one statement, and none once a node knows that the limit is reached', async () => {
    const asked = node();
    const entries = [charge('upload-by-key', 'key', 2), charge('upload-by-owner', 'shared', 9)];
    const costs: number[] = [];
    refused = [];
    for (let time = 0; time < 5; time++) {
      statements = 0;
      await outcome(asked.take(entries));
      costs.push(statements);
    }
    expect(costs).toEqual([1, 1, 3, 0, 0]);
    expect(refused).toEqual(Array(3).fill('upload-by-key key'));
    statements = 0;
    await asked.take([]);
    expect(statements).toBe(0);
  });

  it('do not count refused requests', async () => {
    const one = node();
    const owner = charge('upload-by-owner', 'harbour', 4);
    const noisy = [charge('upload-by-key', 'noisy', 1), owner];
    await one.take(noisy);
    for (const asked of [one, node(), node()]) {
      expect(await outcome(asked.take(noisy))).toMatch(/^with this key/);
    }
    const quiet = [charge('upload-by-key', 'quiet', 10), owner];
    for (let time = 0; time < 3; time++) expect(await outcome(one.take(quiet))).toBe('taken');
    expect(await outcome(one.take(quiet))).toMatch(/^to this owner/);
    const elsewhere = [charge('upload-by-key', 'quiet', 4), charge('upload-by-owner', 'other', 4)];
    expect(await outcome(one.take(elsewhere))).toBe('taken');
    expect(await outcome(one.take(elsewhere))).toMatch(/^with this key/);
  });

  it('recover within an hour after a clock was ahead', async () => {
    const asked = node();
    const limit = [charge('upload-by-key', 'ahead', 1)];
    const today = clock;
    clock += 24 * hourMs;
    await asked.take(limit);
    expect(await outcome(asked.take(limit))).toBe('with this key, 3600 s');
    clock = today;
    expect(await outcome(asked.take(limit))).toBe('taken');
    expect(await outcome(asked.take(limit))).toBe('with this key, 3600 s');
  });

  it('leave no row for longer than a day', async () => {
    const asked = node();
    await asked.take([charge('upload-by-key', 'old', 1)]);
    clock += 25 * hourMs;
    await asked.take([charge('upload-by-key', 'new', 1)]);
    const kept = await test.database.queries.selectFrom('attempts').selectAll().execute();
    expect(kept).toMatchObject([{ count: 1, since: clock }]);
  });

  it.runIf(dialect === 'sqlite')(
    'maxPauses: a node remembers a limited number of refused subjects',
    async () => {
      const asked = node();
      const none = (subject: string) => [charge('upload-by-key', subject, 0)];
      const costOf = async (subject: string) => {
        statements = 0;
        expect(await outcome(asked.take(none(subject)))).toMatch(/^with this key/);
        return statements;
      };
      const rows = new Map<string, number>();
      const { attempts } = test.data;
      // In memory, to make ten thousand fast.
      const inMemory = createSharedRates({
        queries: {
          ...attempts,
          countAttempts: async (subjects, now) => {
            statements++;
            return subjects.map((subject) => {
              rows.set(subject, (rows.get(subject) ?? 0) + 1);
              return { subject, count: 1, since: now };
            });
          },
          refundAttempts: async () => undefined,
        },
        now: () => clock,
        refused: () => undefined,
      });
      expect([await costOf('known'), await costOf('known')]).toEqual([2, 0]);
      statements = 0;
      for (let index = 0; index <= maxPauses; index++) await outcome(inMemory.take(none(`${index}`)));
      expect(statements).toBe(maxPauses + 1);
      for (const subject of ['1', `${maxPauses}`]) await outcome(inMemory.take(none(subject)));
      expect(statements).toBe(maxPauses + 1);
      await outcome(inMemory.take(none('0')));
      expect(statements).toBe(maxPauses + 2);
    },
  );
});
