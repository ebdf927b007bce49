import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { acquireProcessLock, findLockHolder } from '../../src/db/process-lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('the process lock has one holder at a time, reports it, and can be acquired again after release', () => {
  const path = join(folder, 'server.lock');
  expect(findLockHolder(path)).toBeNull();
  const lock = acquireProcessLock(path, 'another server', { pid: 7, nodeId: null });
  expect(findLockHolder(path)).toEqual({ pid: 7, host: hostname(), since: expect.any(Number) });
  expect(() => acquireProcessLock(path, 'another server', { pid: 8, nodeId: null })).toThrow(
    `another server uses ${path}: process 7 on ${hostname()}, since `,
  );
  expect(findLockHolder(path)?.pid).toBe(7);
  lock.release();
  expect(findLockHolder(path)).toBeNull();
  acquireProcessLock(path, 'another server', { pid: null, nodeId: null }).release();
});

it('the process lock knows the last nodes that held it, because one may have died while it started', () => {
  const path = join(folder, 'server.lock');
  const predecessorsOf = (nodeId: string) => {
    const lock = acquireProcessLock(path, 'another server', { pid: 7, nodeId });
    lock.release();
    return lock.predecessors;
  };
  expect(['a', 'b', 'c'].map(predecessorsOf)).toEqual([[], ['a'], ['a', 'b']]);
  for (let start = 0; start < 30; start++) predecessorsOf(`node ${start}`);
  expect(predecessorsOf('last')).toEqual(Array.from({ length: 20 }, (_, index) => `node ${index + 10}`));
});

it('the process lock reports why it cannot be acquired', () => {
  const path = join(folder, 'absent', 'server.lock');
  expect(() => acquireProcessLock(path, 'another server', { pid: 7, nodeId: null })).toThrow(
    `the lock ${path} cannot be acquired: `,
  );
});
