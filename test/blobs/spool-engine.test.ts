import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { blocksPerBody, createSpoolEngine } from '../../src/blobs/spool-engine.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('reuses blocks across bodies until no body has come for the idle time', () => {
  const engine = createSpoolEngine(1000);
  engine.enter();
  const first = engine.takeBlock();
  const second = engine.takeBlock();
  expect(second === first).toBe(false);
  engine.giveBack(second);
  engine.giveBack(first);
  engine.leave();
  vi.advanceTimersByTime(999);
  engine.enter();
  vi.advanceTimersByTime(5000);
  expect(engine.takeBlock() === first).toBe(true);
  engine.giveBack(first);
  engine.leave();
  vi.advanceTimersByTime(1000);
  const fresh = engine.takeBlock();
  expect(fresh === first || fresh === second).toBe(false);
});

test('keeps at most the blocks of four bodies', () => {
  const engine = createSpoolEngine(1000);
  engine.enter();
  const taken = Array.from({ length: 4 * blocksPerBody + 1 }, () => engine.takeBlock());
  for (const block of taken) engine.giveBack(block);
  const again = new Set(taken.map(() => engine.takeBlock()));
  expect(taken.filter((block) => again.has(block))).toHaveLength(4 * blocksPerBody);
});
