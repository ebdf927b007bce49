/** The decision about each build, by laws that hold for every rule and every list of builds. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastNewest, rangesOf, whyKept } from '../../src/apps/retention/retention.ts';
import { dayMs, type RetentionRule } from '../../src/owners/retention.ts';

const now = 1000 * dayMs;
const rule = fc.record({
  newest: fc.option(fc.integer({ min: 1, max: 12 })),
  days: fc.option(fc.integer({ min: 1, max: 40 })),
});
const build = fc.record({
  createdAt: fc.integer({ min: now - 50 * dayMs, max: now }),
  protected: fc.boolean(),
  sparedUntil: fc.option(fc.integer({ min: now - dayMs, max: now + dayMs })),
  handedOut: fc.boolean(),
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
  const oldestKept = newestFirst[lastNewest(one) - 1] ?? 0;
  return list
    .filter((each) => whyKept(one, each, { oldestKept, handedOut: each.handedOut, now: at }) !== null)
    .map(({ revision }) => revision);
}

const includesAll = (more: number[], fewer: number[]) => {
  expect(fewer.filter((revision) => !more.includes(revision))).toEqual([]);
};

describe('which builds go', () => {
  it('is never the newest, nor one that is protected, handed out or was brought back', () => {
    fc.assert(
      fc.property(rule, builds, (one, list) => {
        const must = list.filter(
          (each, index) =>
            index === list.length - 1 ||
            each.protected ||
            each.handedOut ||
            (each.sparedUntil !== null && each.sparedUntil > now),
        );
        includesAll(
          keptBy(one, list),
          must.map(({ revision }) => revision),
        );
      }),
    );
  });

  it('is, apart from those, exactly what is neither among the newest nor young enough', () => {
    fc.assert(
      fc.property(rule, builds, (one, list) => {
        const plain = list.map((each) => ({
          ...each,
          protected: false,
          handedOut: false,
          sparedUntil: null,
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

  it('keeps what it kept when a number grows', () => {
    fc.assert(
      fc.property(rule, builds, fc.integer({ min: 1, max: 9 }), (one, list, more) => {
        const { newest, days } = one;
        if (newest !== null) includesAll(keptBy({ newest: newest + more, days }, list), keptBy(one, list));
        if (days !== null) includesAll(keptBy({ newest, days: days + more }, list), keptBy(one, list));
      }),
    );
  });

  it('keeps no more when time goes by and nothing happens', () => {
    fc.assert(
      fc.property(rule, builds, fc.integer({ min: 0, max: 60 * dayMs }), (one, list, later) => {
        includesAll(keptBy(one, list), keptBy(one, list, now + later));
      }),
    );
  });

  it('decides the same again about what was left', () => {
    fc.assert(
      fc.property(rule, builds, (one, list) => {
        const kept = keptBy(one, list);
        const left = list.filter(({ revision }) => kept.includes(revision));
        // What is left has fewer builds between the newest and the others, so that none of it goes now.
        expect(keptBy(one, left)).toEqual(kept);
      }),
    );
  });

  it('names the reason that stands first', () => {
    const permissions = { oldestKept: 5, handedOut: false, now };
    const old = { revision: 1, createdAt: now - 30 * dayMs, protected: false, sparedUntil: null };
    const some = { newest: 2, days: 30 };
    expect(whyKept({ newest: null, days: null }, old, permissions)).toBe('everything');
    expect(whyKept(some, { ...old, revision: 5 }, permissions)).toBe('newest');
    expect(whyKept(some, { ...old, createdAt: old.createdAt + 1 }, permissions)).toBe('young');
    expect(whyKept(some, { ...old, protected: true }, permissions)).toBe('protected');
    expect(whyKept(some, old, { ...permissions, handedOut: true })).toBe('handed-out');
    expect(whyKept(some, { ...old, sparedUntil: now + 1 }, permissions)).toBe('brought-back');
    expect(whyKept(some, { ...old, sparedUntil: now }, permissions)).toBeNull();
  });
});

describe('revisions in words', () => {
  it('are ranges, and beyond some of them a number', () => {
    expect(rangesOf([], 3)).toBe('');
    expect(rangesOf([7], 3)).toBe('7');
    expect(rangesOf([1, 2, 3, 5, 8, 9], 3)).toBe('1–3, 5, 8–9');
    expect(rangesOf([1, 2, 3, 5, 8, 9], 2)).toBe('1–3, 5 and 2 more');
  });
});
