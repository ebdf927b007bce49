import { describe, expect, it } from 'vitest';
import { newIdentifier } from '../../src/core/identifier.ts';

describe('identifiers', () => {
  it('sort by time, and in the order of their creation within a millisecond', () => {
    const created = [1000, 1000, 1000, 1001, 2 ** 47].flatMap((now) =>
      Array.from({ length: 40 }, () => newIdentifier(now)),
    );
    expect([...created].sort()).toEqual(created);
    expect(new Set(created).size).toBe(created.length);
    for (const identifier of created) expect(identifier).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/);
  });

  it('keep the order of a millisecond when others are created in between', () => {
    const times = [5000, 5003, 5000, 5001, 5000, 5003];
    const created = times.map((now) => newIdentifier(now));
    const inOrder = [...created].sort();
    expect([0, 2, 4].map((at) => inOrder.indexOf(created[at] ?? ''))).toEqual([0, 1, 2]);
    expect([3, 1, 5].map((at) => inOrder.indexOf(created[at] ?? ''))).toEqual([3, 4, 5]);
  });

  it('cannot be guessed from those of another millisecond', () => {
    const [one, other] = [newIdentifier(1), newIdentifier(2)];
    expect(one.slice(10)).not.toBe(other.slice(10));
  });
});
