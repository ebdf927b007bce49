/** Storage of retention rules, and which of several applies. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  effectiveRule,
  keepEverything,
  keepsEverything,
  maxDays,
  maxNewest,
  parseRule,
  readDays,
  readNewest,
  withRule,
  writeRule,
} from '../../src/owners/retention/retention.ts';

const number = (max: number) => fc.option(fc.integer({ min: 1, max }));
const rules = fc.record({ newest: number(maxNewest), days: number(maxDays) });

describe('a retention rule', () => {
  it('is the same after it is written and read', () => {
    fc.assert(
      fc.property(fc.option(rules), (rule) => {
        expect(parseRule(rule && writeRule(rule))).toEqual(rule);
      }),
    );
    expect(parseRule('{}')).toEqual(keepEverything);
  });

  it('applies from the most specific place that has one', () => {
    fc.assert(
      fc.property(fc.option(rules), fc.option(rules), fc.option(rules), (app, owner, workspace) => {
        const { rule, from } = effectiveRule({ app, owner, workspace });
        expect(rule).toEqual(app ?? owner ?? workspace ?? keepEverything);
        expect(from).toBe(app ? 'app' : owner ? 'owner' : workspace ? 'workspace' : null);
      }),
    );
  });

  it('that keeps everything overrides a less specific one', () => {
    const some = { newest: 3, days: null };
    const set = withRule({ app: null, owner: some, workspace: some }, 'app', keepEverything);
    expect(effectiveRule(set)).toEqual({ rule: keepEverything, from: 'app' });
    expect(effectiveRule(withRule(set, 'app', null))).toEqual({ rule: some, from: 'owner' });
    expect(keepsEverything(keepEverything)).toBe(true);
    expect(keepsEverything(some)).toBe(false);
  });

  it('has numbers within its limits, or none', () => {
    expect([readNewest(' 1 '), readNewest(String(maxNewest)), readNewest('  ')]).toEqual([
      1,
      maxNewest,
      null,
    ]);
    expect([readDays('1'), readDays(String(maxDays)), readDays('')]).toEqual([1, maxDays, null]);
    for (const bad of ['0', '-1', '1.5', '1e3', 'ten', String(maxNewest + 1), '9'.repeat(30)]) {
      expect(() => readNewest(bad)).toThrow(/from 1 to 10,000/);
    }
    expect(() => readDays(String(maxDays + 1))).toThrow(/from 1 to 3,650/);
  });
});
