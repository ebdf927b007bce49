import { errorTexts } from './error-texts.ts';
import { unavailable } from './errors.ts';

/** Resolves to the result of `work`; rejects with `unavailable` after `limitMs`. Does not stop the work. */
export async function withTimeout<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(unavailable(errorTexts.noAnswer({ seconds: limitMs / 1000 }))), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
