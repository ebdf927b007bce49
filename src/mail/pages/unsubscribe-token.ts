/** Tokens in the links of mails that turn off mail about one app: HMAC-SHA-256 over the person and the App. */
import { createSigner, type ServerSecret } from '../../core/signature.ts';

export interface Subscription {
  userId: string;
  appId: string;
}

/** Tokens have no expiry: an old mail must be as easy to stop as a new one. They are void when the secret is rotated. */
export interface UnsubscribeTokens {
  sign(subscription: Subscription): string;
  /** Null for what was not signed here. */
  read(token: string): Subscription | null;
}

const form = /^([0-9a-z]{26})\.([0-9a-z]{26})\.([\w-]{43})$/;

export function createUnsubscribeTokens(secret: ServerSecret): UnsubscribeTokens {
  const signer = createSigner(secret, 'unsubscribe');
  const wordsOf = ({ userId, appId }: Subscription) => `${userId}\0${appId}`;
  return {
    sign: (subscription) =>
      `${subscription.userId}.${subscription.appId}.${signer.sign(wordsOf(subscription))}`,
    read: (token) => {
      const [, userId, appId, signature] = form.exec(token) ?? [];
      if (userId === undefined || appId === undefined || signature === undefined) return null;
      const subscription = { userId, appId };
      return signer.holds(wordsOf(subscription), signature) ? subscription : null;
    },
  };
}
