/** Answers a repeated POST of the API with the first answer, by its `Idempotency-Key`. */
import { hash } from 'node:crypto';
import type { Claims } from '../../claims/claims.ts';
import { createEncryption } from '../../core/encrypted-text.ts';
import { AppError, invalid } from '../../core/errors.ts';
import type { ServerSecret } from '../../core/signature.ts';
import type { Data } from '../../db/data.ts';
import type { Answer } from '../routes/answer.ts';
import { idempotentRequestQueries } from './idempotent-request-queries.ts';

export const idempotentRequestWindowMs = 24 * 60 * 60_000;
export const maxIdempotencyKeyLength = 255;
const sweepEveryMs = 60 * 60_000;

export interface IdempotentRequest {
  /** The API key or session that sent the request. */
  credential: string;
  key: string;
  /** Method and address of the request. */
  target: string;
  body: unknown;
}

export type RunOnce = (request: IdempotentRequest, run: () => Promise<Answer>) => Promise<Answer>;

/**
 * Stores successful answers for a day; a refused request may be repeated with the same key. Throws `conflict` until the first
 * request is answered, and if the key was used for another request.
 */
export function createRunOnce(deps: {
  data: Data;
  claims: Claims;
  secret: ServerSecret;
  now: () => number;
}): RunOnce {
  const { data, claims, now } = deps;
  const encryption = createEncryption(deps.secret, 'idempotent answer');
  let sweptAt = 0;
  const sweep = async (time: number) => {
    if (time - sweptAt < sweepEveryMs) return;
    sweptAt = time;
    await idempotentRequestQueries(data).deleteOld(time - idempotentRequestWindowMs);
  };
  return async ({ credential, key, target, body }, run) => {
    if (!/^[\x21-\x7e]+$/.test(key) || key.length > maxIdempotencyKeyLength)
      throw invalid(
        `Idempotency-Key must have 1 to ${maxIdempotencyKeyLength} printable ASCII characters, without spaces`,
      );
    const time = now();
    await sweep(time);
    const digest = hash('sha256', JSON.stringify([target, body]));
    const expired = time - idempotentRequestWindowMs;
    const queries = idempotentRequestQueries(data);
    const owner = `${credential} ${key}`;
    const claim = claims.begin();
    const release = () => claims.settle(claim, () => queries.release(claim));
    const isClaimed = await queries
      .claim({ ownerId: credential, key, digest, now: time, claim }, expired)
      .catch(async (error) => {
        // If claiming fails, the database may still have stored the claim.
        await release();
        throw error;
      });
    if (!isClaimed) {
      claims.drop(claim);
      const first = await queries.find(credential, key);
      if (first && first.digest !== digest)
        throw new AppError('conflict', 'the Idempotency-Key was used for another request', {
          code: 'idempotency_conflict',
        });
      const stored = first?.encryptedAnswer && encryption.decrypt(first.encryptedAnswer, owner);
      if (stored) return replayOf(JSON.parse(Buffer.from(stored).toString()));
      throw new AppError('conflict', 'the first request with this Idempotency-Key has no answer yet', {
        code: 'idempotency_in_progress',
        retryAfterSeconds: 1,
      });
    }
    const answer = await run().catch(async (error: unknown) => {
      await release();
      throw error;
    });
    const encrypted = encryption.encrypt(Buffer.from(JSON.stringify(answer)), owner);
    await claims.settle(claim, () => queries.storeAnswer(claim, encrypted));
    return answer;
  };
}

const replayOf = (answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, 'Idempotency-Replayed': 'true' },
});
