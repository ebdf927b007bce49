/** Properties of the retention decision that apply to every rule and every list of builds. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRanges, keepReason, lastNewestPosition } from '../../src/apps/retention/retention.ts';
import { dayMs, type RetentionRule } from '../../src/owners/retention/retention.ts';

const now = 1000 * dayMs;
const rule = fc.record({
  newest: fc.option(fc.integer({ min: 1, max: 12 })),
  days: fc.option(fc.integer({ min: 1, max: 40 })),
});
const build = fc.record({
  createdAt: fc.integer({ min: now - 50 * dayMs, max: now }),
  protected: fc.boolean(),
  exemptUntil: fc.option(fc.integer({ min: now - dayMs, max: now + dayMs })),
  served: fc.boolean(),
});
/** Revisions with gaps, ascending. */
const builds = fc.array(fc.tuple(build, fc.integer({ min: 1, max: 3 })), { maxLength: 20 }).map((list) => {
  let revision = 0;
  return list.map(([one, step]) => {
    revision += step;
    return { ...one, revision };
  });
});
type Listed = typeof builds extends fc.Arbitrary<infer List> ? List : never;

function keptBy(one: RetentionRule, list: Listed, at = now): number[] {
  const newestFirst = list.map(({ revision }) => revision).reverse();
  const oldestKept = newestFirst[lastNewestPosition(one) - 1] ?? 0;
  return list
    .filter((each) => keepReason(one, each, { oldestKept, served: each.served, now: at }) !== null)
    .map(({ revision }) => revision);
}

const includesAll = (more: number[], fewer: number[]) => {
  expect(fewer.filter((revision) => !more.includes(revision))).toEqual([]);
};

describe('retention rule', () => {
  it('never selects the newest build or a protected, live or restored one', () => {
    fc.assert(
      fc.property(rule, builds, (one, list) => {
        const must = list.filter(
          (each, index) =>
            index === list.length - 1 ||
            each.protected ||
            each.served ||
            (each.exemptUntil !== null && each.exemptUntil > now),
        );
        includesAll(
          keptBy(one, list),
          must.map(({ revision }) => revision),
        );
      }),
    );
  });

  it('otherwise selects exactly the builds that are neither among the newest nor recent enough', () => {
    fc.assert(
      fc.property(rule, builds, (one, list) => {
        const plain = list.map((each) => ({
          ...each,
          protected: false,
          served: false,
          exemptUntil: null,
        }));
        const expected = plain.filter(
          (each, index) =>
            (one.newest === null && one.days === null) ||
            list.length - index <= (one.newest ?? 1) ||
            (one.days !== null && now - each.createdAt < one.days * dayMs),
        );
        expect(keptBy(one, plain)).toEqual(expected.map(({ revision }) => revision));
      }),
    );
  });

  it('keeps every previously kept build when a limit increases', () => {
    fc.assert(
      fc.property(rule, builds, fc.integer({ min: 1, max: 9 }), (one, list, more) => {
        const { newest, days } = one;
        if (newest !== null) includesAll(keptBy({ newest: newest + more, days }, list), keptBy(one, list));
        if (days !== null) includesAll(keptBy({ newest, days: days + more }, list), keptBy(one, list));
      }),
    );
  });

  it('keeps no additional builds as time passes', () => {
    fc.assert(
      fc.property(rule, builds, fc.integer({ min: 0, max: 60 * dayMs }), (one, list, later) => {
        includesAll(keptBy(one, list), keptBy(one, list, now + later));
      }),
    );
  });

  it('gives the same result when applied to the remaining builds', () => {
    fc.assert(
      fc.property(rule, builds, (one, list) => {
        const kept = keptBy(one, list);
        const left = list.filter(({ revision }) => kept.includes(revision));
        // The remaining list has fewer builds between the newest and the others, so none of them is selected now.
        expect(keptBy(one, left)).toEqual(kept);
      }),
    );
  });

  it('reports the first reason that applies', () => {
    const permissions = { oldestKept: 5, served: false, now };
    const old = { revision: 1, createdAt: now - 30 * dayMs, protected: false, exemptUntil: null };
    const some = { newest: 2, days: 30 };
    expect(keepReason({ newest: null, days: null }, old, permissions)).toBe('everything');
    expect(keepReason(some, { ...old, revision: 5 }, permissions)).toBe('newest');
    expect(keepReason(some, { ...old, createdAt: old.createdAt + 1 }, permissions)).toBe('young');
    expect(keepReason(some, { ...old, protected: true }, permissions)).toBe('protected');
    expect(keepReason(some, old, { ...permissions, served: true })).toBe('handed-out');
    expect(keepReason(some, { ...old, exemptUntil: now + 1 }, permissions)).toBe('brought-back');
    expect(keepReason(some, { ...old, exemptUntil: now }, permissions)).toBeNull();
  });
});

describe('revision ranges', () => {
  it('are listed up to a limit, followed by a count', () => {
    expect(formatRanges([], 3)).toBe('');
    expect(formatRanges([7], 3)).toBe('7');
    expect(formatRanges([1, 2, 3, 5, 8, 9], 3)).toBe('1–3, 5, 8–9');
    expect(formatRanges([1, 2, 3, 5, 8, 9], 2)).toBe('1–3, 5 and 2 more');
  });
});
