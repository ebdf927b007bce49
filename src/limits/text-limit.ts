/** Limits the text that a caller changes in a day: texts of builds and pages stay for long, and count toward no storage limit. */
import type { AttemptLimit, Attempts } from './attempts.ts';

/** Bytes. */
export const textLimit: AttemptLimit = {
  limit: 64 * 1024 * 1024,
  windowMs: 24 * 60 * 60_000,
  refusal: 'text',
};

/** What is counted at a time: a statement for each short form would cost more than its text. */
export const countedBytes = 4096;
/** Number of callers of whom a node remembers what is not counted yet. */
const maxCallers = 10_000;

export const textSubject = (callerId: string) => ['text', callerId];

/** Throws `TooManyRequests`. */
export type CountText = (callerId: string, bytes: number) => Promise<void>;

export function createCountText(attempts: Pick<Attempts, 'count'>): CountText {
  /** In the order in which they were counted. */
  const uncounted = new Map<string, number>();
  const remember = (callerId: string, bytes: number) => {
    uncounted.delete(callerId);
    const [oldest] = uncounted.keys();
    if (uncounted.size >= maxCallers && oldest !== undefined) uncounted.delete(oldest);
    if (bytes > 0) uncounted.set(callerId, bytes);
  };
  return async (callerId, bytes) => {
    const all = (uncounted.get(callerId) ?? 0) + bytes;
    // While the limit refuses, the next text is counted too, however short.
    remember(callerId, Math.min(all, countedBytes));
    if (all < countedBytes) return;
    await attempts.count(textSubject(callerId), textLimit, all);
    remember(callerId, 0);
  };
}
