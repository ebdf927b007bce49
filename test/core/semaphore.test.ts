import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSemaphore, forEachConcurrently } from '../../src/core/semaphore.ts';

/** Tasks that count how many run concurrently. */
function createCounter() {
  const counter = { running: 0, most: 0, begun: [] as number[] };
  const work = async (item: number) => {
    counter.begun.push(item);
    counter.running += 1;
    counter.most = Math.max(counter.most, counter.running);
    await delay(1);
    counter.running -= 1;
    if (item < 0) throw new Error(`no ${item}`);
    return item;
  };
  return { counter, work };
}

describe('a semaphore', () => {
  it('runs at most as many tasks as it has permits, in call order', async () => {
    const { counter, work } = createCounter();
    const semaphore = createSemaphore(2);
    const items = [1, 2, 3, 4, 5];
    expect(await Promise.all(items.map((item) => semaphore.run(() => work(item))))).toEqual(items);
    expect([counter.most, counter.begun]).toEqual([2, items]);
  });

  it('releases the permit of a task that fails', async () => {
    const { work } = createCounter();
    const semaphore = createSemaphore(1);
    await expect(semaphore.run(() => work(-1))).rejects.toThrow('no -1');
    expect(await semaphore.run(() => work(1))).toBe(1);
  });
});

describe('forEachConcurrently', () => {
  it('processes every item, with limited concurrency', async () => {
    const { counter, work } = createCounter();
    await forEachConcurrently([1, 2, 3, 4, 5], 3, async (item) => void (await work(item)));
    expect([counter.most, counter.begun]).toEqual([3, [1, 2, 3, 4, 5]]);
  });

  it('starts nothing after a failure, aborts the rest, and rejects when nothing is running', async () => {
    const { counter, work } = createCounter();
    const aborted: boolean[] = [];
    const done = forEachConcurrently([-1, 2, 3, 4], 2, async (item, signal) => {
      await work(item);
      await delay(5);
      aborted.push(signal.aborted);
    });
    await expect(done).rejects.toThrow('no -1');
    expect([counter.running, counter.begun, aborted]).toEqual([0, [-1, 2], [true]]);
  });

  it('rejects when the items cannot be read', async () => {
    const items = async function* () {
      yield 1;
      throw new Error('lost');
    };
    await expect(forEachConcurrently(items(), 2, async () => {})).rejects.toThrow('lost');
  });
});
