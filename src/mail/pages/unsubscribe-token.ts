/**
 * Tokens in links that unsubscribe from emails about one app. They do not expire, because unsubscribing must work from old emails
 * too. They become invalid when the secret is rotated.
 */
import type { ServerSecret } from '../../core/signature.ts';
import { createTokenCodec, type TokenCodec } from '../../core/signed-token.ts';

export interface Subscription {
  userId: string;
  appId: string;
}

export type UnsubscribeTokens = TokenCodec<Subscription>;

const identifier = /^[0-9a-z]{26}$/;

export function createUnsubscribeTokens(secret: ServerSecret): UnsubscribeTokens {
  return createTokenCodec(secret, 'unsubscribe', {
    fields: [identifier, identifier],
    write: ({ userId, appId }: Subscription) => [userId, appId],
    read: ([userId, appId]) => ({ userId, appId }),
    message: ([userId, appId]) => `${userId}\0${appId}`,
  });
}
