import { GCProfiler } from 'node:v8';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { collectAfter } from '../../src/blobs/collect-chunks.ts';
import { blocksPerBody, createSpoolEngine } from '../../src/blobs/spool/spool-engine.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('reuses blocks across bodies until the idle time has passed', () => {
  const engine = createSpoolEngine(1000);
  engine.enter();
  const first = engine.takeBlock();
  const second = engine.takeBlock();
  expect(second === first).toBe(false);
  engine.release(second);
  engine.release(first);
  engine.leave();
  vi.advanceTimersByTime(999);
  engine.enter();
  vi.advanceTimersByTime(5000);
  expect(engine.takeBlock() === first).toBe(true);
  engine.release(first);
  engine.leave();
  vi.advanceTimersByTime(1000);
  const fresh = engine.takeBlock();
  expect(fresh === first || fresh === second).toBe(false);
});

test('triggers a minor garbage collection every 4 MiB', () => {
  // Bodies of earlier test files counted into the same total: this call begins a new one.
  collectAfter(4 * 1024 * 1024);
  const profiler = new GCProfiler();
  profiler.start();
  for (let mebibytes = 0; mebibytes < 9; mebibytes += 1) collectAfter(1024 * 1024);
  const collections = profiler.stop()?.statistics.filter(({ gcType }) => gcType === 'Scavenge');
  expect(collections?.length).toBeGreaterThanOrEqual(2);
});

test('keeps at most the blocks of four bodies', () => {
  const engine = createSpoolEngine(1000);
  engine.enter();
  const taken = Array.from({ length: 4 * blocksPerBody + 1 }, () => engine.takeBlock());
  for (const block of taken) engine.release(block);
  const again = new Set(taken.map(() => engine.takeBlock()));
  expect(taken.filter((block) => again.has(block))).toHaveLength(4 * blocksPerBody);
});
