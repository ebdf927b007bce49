import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSpoolEngine } from '../../src/blobs/spool-engine.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('gives the same memory again, until nobody has wanted any for the idle time', () => {
  const engine = createSpoolEngine(1000);
  const first = engine.borrowRing();
  const second = engine.borrowRing();
  expect(second === first).toBe(false);
  engine.giveBack(first);
  vi.advanceTimersByTime(5000);
  expect(engine.borrowRing() === first).toBe(true);
  engine.giveBack(first);
  engine.giveBack(second);
  vi.advanceTimersByTime(999);
  const again = engine.borrowRing();
  expect(again === first || again === second).toBe(true);
  engine.giveBack(again);
  vi.advanceTimersByTime(1000);
  const fresh = engine.borrowRing();
  expect(fresh === first || fresh === second).toBe(false);
});

test('does not give memory of which a block is still held', () => {
  const engine = createSpoolEngine(1000);
  const ring = engine.borrowRing();
  expect(ring.take()).toBe(0);
  engine.giveBack(ring);
  expect(engine.borrowRing() === ring).toBe(false);
});
