/**
 * Tokens in links that unsubscribe from emails about one app, or about all apps of an Owner. They do not expire, because unsubscribing must work from old emails
 * too. They become invalid when the secret is rotated.
 */
import type { ServerSecret } from '../../core/signature.ts';
import { createTokenCodec, type TokenCodec } from '../../core/signed-token.ts';

export interface Subscription {
  userId: string;
  /** An App or an Owner. Their ids never coincide. */
  subjectId: string;
}

export type UnsubscribeTokens = TokenCodec<Subscription>;

const identifier = /^[0-9a-z]{26}$/;

export function createUnsubscribeTokens(secret: ServerSecret): UnsubscribeTokens {
  return createTokenCodec(secret, 'unsubscribe', {
    fields: [identifier, identifier],
    write: ({ userId, subjectId }: Subscription) => [userId, subjectId],
    read: ([userId, subjectId]) => ({ userId, subjectId }),
    message: ([userId, subjectId]) => `${userId}\0${subjectId}`,
  });
}
