/** Tokens in the links of mails that turn off mail about one app: HMAC-SHA-256 over the person and the App. */
import { createHmac, timingSafeEqual } from 'node:crypto';

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

export function createUnsubscribeTokens(secret: string): UnsubscribeTokens {
  const digest = ({ userId, appId }: Subscription) =>
    createHmac('sha256', secret).update(`slipway unsubscribe\0${userId}\0${appId}`).digest();
  return {
    sign: (subscription) =>
      `${subscription.userId}.${subscription.appId}.${digest(subscription).toString('base64url')}`,
    read: (token) => {
      const [, userId, appId, signature] = form.exec(token) ?? [];
      if (userId === undefined || appId === undefined || signature === undefined) return null;
      const given = Buffer.from(signature, 'base64url');
      const expected = digest({ userId, appId });
      return given.length === expected.length && timingSafeEqual(given, expected) ? { userId, appId } : null;
    },
  };
}
