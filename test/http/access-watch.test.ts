/** Answers that stay open: their access is checked in turns, until they end. */
import { expect, it } from 'vitest';
import { AppError, NotFound } from '../../src/core/errors.ts';
import { createAccessWatch, isRefusal } from '../../src/http/sending/access-watch.ts';

it('checks every answer in turn, and refuses only the one that lost its access', async () => {
  const watch = createAccessWatch(5);
  const checks = Array.from({ length: 250 }, () => 0);
  const refused: number[] = [];
  const ends = checks.map((_, at) =>
    watch({
      reauthorize: async () => {
        checks[at] = (checks[at] ?? 0) + 1;
        if (at === 7) throw new NotFound();
      },
      refuse: () => {
        refused.push(at);
        ends[at]?.();
      },
    }),
  );
  await expect.poll(() => Math.min(...checks.toSpliced(7, 1))).toBeGreaterThanOrEqual(2);
  expect(refused).toEqual([7]);
  expect(checks[7]).toBe(1);
  for (const end of ends) end();
});

it('does not report an answer that ended while it was checked, and waits for a check before the next one', async () => {
  const watch = createAccessWatch(5);
  const { promise, reject } = Promise.withResolvers<void>();
  let checks = 0;
  let others = 0;
  let refused = false;
  const end = watch({
    reauthorize: () => {
      checks += 1;
      return promise;
    },
    refuse: () => {
      refused = true;
    },
  });
  const other = watch({
    reauthorize: async () => {
      others += 1;
    },
    refuse: () => undefined,
  });
  await expect.poll(() => others).toBeGreaterThan(2);
  expect(checks).toBe(1);
  end();
  reject(new NotFound());
  const before = others;
  await expect.poll(() => others).toBeGreaterThan(before);
  expect(refused).toBe(false);
  other();
});

it('takes only a decision about access for a refusal', () => {
  expect([new NotFound(), new AppError('unavailable', ''), new Error()].map(isRefusal)).toEqual([
    true,
    false,
    false,
  ]);
});
