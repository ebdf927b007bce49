/** Proves who is calling: by an API key, or by the cookie of a signed-in browser. */
import type { Data } from '../data.ts';
import { unauthenticated } from '../errors.ts';
import type { Actor } from '../owners/actor.ts';
import { hashApiKey, isUsable } from './api-key.ts';
import type { Credentials } from './credentials.ts';
import { mustSetUpFactor, type RequiredFactor } from './required-factor.ts';
import { hashSessionToken, type KnownSession } from './session.ts';

/** `last used` and `last seen` are kept to the minute: writing it at each request would make every read a write. */
const lastUsedPrecisionMs = 60_000;

export interface Authenticate {
  /** Throws `unauthenticated` for a key that is malformed, unknown, expired or revoked; null when none was sent. */
  byKey(credentials: Credentials): Promise<Actor | null>;
  /** `address`: where the request comes from. */
  bySession(token: string, address: string): Promise<LiveSession | null>;
}

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
  now: () => number;
}): Authenticate {
  const { data, now } = parts;
  return {
    byKey: async (credentials) => {
      if (credentials.kind === 'none') return null;
      if (credentials.kind === 'malformed') throw unauthenticated();
      const known = await data.access.findKey(hashApiKey(credentials.key));
      const time = now();
      if (!known || !isUsable(known, time)) throw unauthenticated();
      if (known.lastUsedAt === null || time - known.lastUsedAt > lastUsedPrecisionMs) {
        await data.access.touchKey(known.id, time);
      }
      return known.actor;
    },
    bySession: async (token, address) => {
      const time = now();
      const known = await data.access.findSession(hashSessionToken(token), time);
      if (known && time - known.lastSeenAt > lastUsedPrecisionMs) {
        await data.access.touchSession(known.id, { at: time, address });
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
