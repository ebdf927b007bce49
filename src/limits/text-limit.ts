/** Limits the text that a caller changes per day, because texts of builds and pages are kept for long and count toward no storage limit. */
import type { AttemptLimit, Attempts } from './attempts.ts';

/** In bytes. */
export const textLimit: AttemptLimit = {
  limit: 64 * 1024 * 1024,
  windowMs: 24 * 60 * 60_000,
  refusal: 'text',
};

/** How many bytes are collected before they are counted, because a statement for every short form would cost more than the text. */
export const countedBytes = 4096;
/** For how many callers a node remembers text that is not counted yet. */
const maxCallers = 10_000;

export const textSubject = (callerId: string) => ['text', callerId];

/** Throws `TooManyRequests`. */
export type CountText = (callerId: string, bytes: number) => Promise<void>;

export function createCountText(attempts: Pick<Attempts, 'count'>): CountText {
  /** Callers in the order in which they were counted. */
  const uncounted = new Map<string, number>();
  const remember = (callerId: string, bytes: number) => {
    uncounted.delete(callerId);
    const [oldest] = uncounted.keys();
    if (uncounted.size >= maxCallers && oldest !== undefined) uncounted.delete(oldest);
    if (bytes > 0) uncounted.set(callerId, bytes);
  };
  return async (callerId, bytes) => {
    const all = (uncounted.get(callerId) ?? 0) + bytes;
    // After a refusal, the next text is also counted, no matter how short.
    remember(callerId, Math.min(all, countedBytes));
    if (all < countedBytes) return;
    await attempts.count(textSubject(callerId), textLimit, all);
    remember(callerId, 0);
  };
}
