import { expect, test } from 'vitest';
import { UploadError } from '../../src/commands/uploader/upload-error.ts';
import type { UploadResponse } from '../../src/commands/uploader/upload-file.ts';
import { uploadWithRetries } from '../../src/commands/uploader/upload-retry.ts';

const answered = (status: number, retryAfter: string | null = null): UploadResponse => ({
  status,
  statusText: '',
  location: null,
  retryAfter,
  text: '',
});
const broken = new UploadError('It broke.', { isTransient: true });
const wrongFile = new UploadError('No such file.');

async function run(outcomes: (UploadResponse | UploadError)[], retries = 3) {
  const pauses: number[] = [];
  const reasons: string[] = [];
  let tries = 0;
  const attempt = async () => {
    const outcome = outcomes[tries];
    tries += 1;
    if (!outcome) throw new Error('more tries than expected');
    if (outcome instanceof UploadError) throw outcome;
    return outcome;
  };
  const pause = async (milliseconds: number) => void pauses.push(milliseconds);
  const end = await uploadWithRetries(attempt, {
    retries,
    pause,
    onRetry: ({ reason }) => reasons.push(reason),
  }).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
  return { end, tries, pauses, reasons };
}

test.each([
  { outcomes: [answered(200)], end: 200, pauses: [] },
  { outcomes: [broken, answered(200)], end: 200, pauses: [1000] },
  {
    outcomes: [answered(503), answered(502), answered(504), answered(200)],
    end: 200,
    pauses: [1000, 2000, 4000],
  },
  { outcomes: [broken, broken, broken, broken], end: 'It broke.', pauses: [1000, 2000, 4000] },
  {
    outcomes: [answered(503), answered(503), answered(503), answered(503)],
    end: 503,
    pauses: [1000, 2000, 4000],
  },
  { outcomes: [answered(401)], end: 401, pauses: [] },
  { outcomes: [answered(409)], end: 409, pauses: [] },
  { outcomes: [answered(500)], end: 500, pauses: [] },
  { outcomes: [wrongFile], end: 'No such file.', pauses: [] },
  { outcomes: [answered(429, '7'), answered(200)], end: 200, pauses: [7000] },
  { outcomes: [answered(503, '0'), answered(200)], end: 200, pauses: [1000] },
  { outcomes: [answered(429, '120'), answered(200)], end: 200, pauses: [120_000] },
  { outcomes: [answered(429, '121')], end: 429, pauses: [] },
  { outcomes: [answered(429, 'Fri, 31 Dec 1999 23:59:59 GMT'), answered(200)], end: 200, pauses: [1000] },
])(
  '$outcomes.length attempts end with $end after pauses of $pauses ms',
  async ({ outcomes, end, pauses }) => {
    expect(await run(outcomes)).toMatchObject({ end, tries: outcomes.length, pauses });
  },
);

test('the reason for each pause is reported', async () => {
  const { reasons } = await run([broken, answered(503), answered(200)]);
  expect(reasons).toEqual(['It broke.', 'The server answered 503.']);
});

test('pauses stop growing at 30 s, and 0 retries means none', async () => {
  const { pauses } = await run([...Array.from({ length: 7 }, () => broken), answered(200)], 7);
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  expect(await run([broken], 0)).toMatchObject({ end: 'It broke.', tries: 1 });
});

test('errors other than upload errors are thrown', async () => {
  const attempt = () => Promise.reject(new TypeError('a mistake in the program'));
  const plan = { retries: 3, pause: async () => {}, onRetry: () => {} };
  await expect(uploadWithRetries(attempt, plan)).rejects.toThrow(TypeError);
});
