import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { consumeStream } from '../../src/blobs/spool/consume-stream.ts';

const never = new AbortController().signal;
const bytesOf = (text: string) => Buffer.from(text);

test('pauses the stream while a chunk is being consumed', async () => {
  const gate = Promise.withResolvers<void>();
  const taken: string[] = [];
  let pulled = 0;
  async function* source() {
    for (const letter of 'abcdefgh') {
      pulled += 1;
      yield bytesOf(letter);
    }
  }
  const done = consumeStream(
    Readable.from(source(), { highWaterMark: 1 }),
    (chunk) => {
      taken.push(String(chunk));
      return taken.length === 2 ? gate.promise : undefined;
    },
    never,
  );
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  expect(taken).toEqual(['a', 'b']);
  expect(pulled).toBeLessThanOrEqual(4);
  gate.resolve();
  await done;
  expect(taken.join('')).toBe('abcdefgh');
});

test('waits until the last chunk is consumed', async () => {
  const gate = Promise.withResolvers<void>();
  let settled = false;
  const done = consumeStream(Readable.from([bytesOf('a')]), () => gate.promise, never).then(() => {
    settled = true;
  });
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  expect(settled).toBe(false);
  gate.resolve();
  await done;
});

test('keeps chunks in order when other code resumes the stream', async () => {
  const stream = new PassThrough();
  const gate = Promise.withResolvers<void>();
  const taken: string[] = [];
  const done = consumeStream(
    stream,
    async (chunk) => {
      if (taken.length === 0) await gate.promise;
      taken.push(String(chunk));
    },
    never,
  );
  for (const letter of 'abc') {
    stream.write(letter);
    stream.resume();
    await setImmediate();
  }
  stream.end();
  gate.resolve();
  await done;
  expect(taken.join('')).toBe('abc');
});

test.each([
  [
    'throws',
    () => {
      throw new Error('no');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no'))],
])('stops when a consumer %s, and leaves the stream to its owner', async (_how, take) => {
  const stream = new PassThrough();
  stream.write('a');
  await expect(consumeStream(stream, take, never)).rejects.toThrow('no');
  expect(stream.destroyed).toBe(false);
  expect(stream.isPaused()).toBe(true);
  expect(stream.listenerCount('data')).toBe(0);
  // Without a listener, this would end the process.
  stream.destroy(new Error('later'));
  await setImmediate();
});

test('leaves no listener on the signal', async () => {
  const listening = new Set<unknown>();
  const { signal } = new AbortController();
  const spied = new Proxy(signal, {
    get(target, name) {
      if (name === 'addEventListener') return (_type: string, listener: unknown) => listening.add(listener);
      if (name === 'removeEventListener')
        return (_type: string, listener: unknown) => listening.delete(listener);
      return Reflect.get(target, name, target);
    },
  });
  const done = consumeStream(Readable.from([bytesOf('a')]), () => undefined, spied);
  expect(listening.size).toBe(1);
  await done;
  expect(listening.size).toBe(0);
});
