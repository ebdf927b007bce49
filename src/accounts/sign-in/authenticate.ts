/** Proves who is calling: by an API key, or by the cookie of a signed-in browser. */

import { unauthenticated } from '../../core/errors.ts';
import { grantedScopes, type KeyScope } from '../../core/key-scope.ts';
import type { Data } from '../../db/data.ts';
import { networkOf } from '../../limits/client-network.ts';
import type { Actor } from '../../owners/actor.ts';
import { hashApiKey, isUsable } from '../keys/api-key.ts';
import { keyQueries } from '../keys/key-queries.ts';
import { mustSetUpFactor, type RequiredFactor } from '../second-factor/required-factor.ts';
import { hashSessionToken, type KnownSession, sessionEndsAt } from '../sessions/session.ts';
import { sessionQueries } from '../sessions/session-queries.ts';
import type { Credentials } from './credentials.ts';

/** `last used` and `last seen` are kept to the minute: writing it at each request would make every read a write. */
const lastUsedPrecisionMs = 60_000;

export interface Authenticate {
  /**
   * Throws `unauthenticated` for a key that is malformed, unknown, expired or revoked, `too_many` when too many such came
   * from the network of the address; null when none was sent.
   */
  byKey(credentials: Credentials, addressOf: () => string): Promise<KeyHolder | null>;
  /** `address`: where the request comes from. */
  bySession(token: string, address: string): Promise<LiveSession | null>;
}

/** Who called with a key, and with which. */
export type KeyHolder = Actor & {
  keyId: string;
  /** SHA-256 of the secret that was sent: a rotated key has two for a while. */
  keyHash: string;
  /** What the key permits. */
  scopes: readonly KeyScope[];
};

/** A session that somebody has shown. */
export interface LiveSession extends KnownSession {
  /** The settings ask the person for a second factor, and there is none. */
  mustSetUpFactor: boolean;
}

export function createAuthenticate(parts: {
  data: Data;
  /** Where there are none, nobody has to choose one. */
  passwords: boolean;
  requiredFactor: RequiredFactor;
  /** Counts a key that opens nothing. Throws `too_many`. */
  countWrongKey(address: string): Promise<void>;
  sessionIdleMs: number;
  now: () => number;
}): Authenticate {
  const { data, now } = parts;
  return {
    byKey: async (credentials, addressOf) => {
      if (credentials.kind === 'none') return null;
      if (credentials.kind === 'malformed') throw unauthenticated();
      const keyHash = hashApiKey(credentials.key);
      const time = now();
      const known = await keyQueries(data).findKey(keyHash, time);
      if (!known || !isUsable(known, time)) {
        await parts.countWrongKey(addressOf());
        throw unauthenticated();
      }
      if (known.lastUsedAt === null || time - known.lastUsedAt > lastUsedPrecisionMs) {
        await keyQueries(data).touchKey(known.id, time, networkOf(addressOf()));
      }
      return { ...known.actor, keyId: known.id, keyHash, scopes: grantedScopes(known.scopes) };
    },
    bySession: async (token, address) => {
      const time = now();
      const known = await sessionQueries(data).findSession(hashSessionToken(token), time);
      if (known && time - known.lastSeenAt > lastUsedPrecisionMs) {
        await sessionQueries(data).touchSession(known.id, {
          ...{ at: time, address },
          endsAt: sessionEndsAt(known, time, parts.sessionIdleMs),
        });
      }
      return (
        known && {
          ...known,
          mustChangePassword: known.mustChangePassword && parts.passwords,
          mustSetUpFactor: mustSetUpFactor(parts.requiredFactor, known),
        }
      );
    },
  };
}
