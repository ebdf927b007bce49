/** Authenticates API keys and session cookies. */
import { unauthenticated } from '../../core/errors.ts';
import { grantedScopes, type KeyScope } from '../../core/key-scope.ts';
import type { Data } from '../../db/data.ts';
import { networkOf } from '../../limits/client-network.ts';
import type { Actor } from '../../owners/actor.ts';
import { findWorkspaceGate } from '../../owners/gate/find-workspace-gate.ts';
import type { WorkspaceGate } from '../../owners/gate/workspace-gate.ts';
import { hashApiKey, isUsable } from '../keys/api-key.ts';
import { keyQueries } from '../keys/key-queries.ts';
import { mustSetUpFactor, type RequiredFactor } from '../second-factor/required-factor.ts';
import { hashSessionToken, type StoredSession, sessionEndsAt } from '../sessions/session.ts';
import { sessionQueries } from '../sessions/session-queries.ts';
import type { Credentials } from './credentials.ts';

/** Precision of "last used" and "last seen": not every read causes a write. */
const lastUsedPrecisionMs = 60_000;

export interface Authenticate {
  /**
   * Throws `unauthenticated` for a malformed, unknown, expired or revoked key, and `TooManyRequests` after too many invalid keys
   * from the network of that address. Null if no key was sent.
   */
  byKey(credentials: Credentials, addressOf: () => string): Promise<KeyHolder | null>;
  /** `address`: the client address. */
  bySession(token: string, address: string): Promise<LiveSession | null>;
}

/** The actor of an API key, with details of the key. */
export type KeyHolder = Actor & {
  keyId: string;
  /** SHA-256 of the secret that was sent. A rotated key has two valid secrets for a while. */
  keyHash: string;
  scopes: readonly KeyScope[];
};

/** A valid session from a request. */
export interface LiveSession extends StoredSession {
  gate: WorkspaceGate | null;
  /** The settings require a second factor, and the person has none. */
  mustSetUpFactor: boolean;
}

export function createAuthenticate(deps: {
  data: Data;
  /** Whether people sign in with a password of this server. */
  passwords: boolean;
  requiredFactor: RequiredFactor;
  /** Counts an invalid key. Throws `TooManyRequests`. */
  countWrongKey(address: string): Promise<void>;
  sessionIdleMs: number;
  now: () => number;
}): Authenticate {
  const { data, now } = deps;
  return {
    byKey: async (credentials, addressOf) => {
      if (credentials.kind === 'none') return null;
      if (credentials.kind === 'malformed') throw unauthenticated();
      const keyHash = hashApiKey(credentials.key);
      const time = now();
      const known = await keyQueries(data).findKey(keyHash, time);
      if (!known || !isUsable(known, time)) {
        await deps.countWrongKey(addressOf());
        throw unauthenticated();
      }
      if (known.lastUsedAt === null || time - known.lastUsedAt > lastUsedPrecisionMs) {
        const network = networkOf(addressOf());
        await data.writeIfPossible(() => keyQueries(data).touchKey(known.id, time, network));
      }
      const { id, createdAt, isOperators, actor } = known;
      const gate =
        known.isGated && actor.kind === 'user'
          ? await findWorkspaceGate(data, actor.user, { kind: 'key', id, createdAt, isOperators })
          : null;
      return { ...actor, ...(gate ? { gate } : {}), keyId: id, keyHash, scopes: grantedScopes(known.scopes) };
    },
    bySession: async (token, address) => {
      const time = now();
      const known = await sessionQueries(data).findSession(hashSessionToken(token), time);
      if (known && time - known.lastSeenAt > lastUsedPrecisionMs) {
        const endsAt = sessionEndsAt(known, time, deps.sessionIdleMs);
        await data.writeIfPossible(() =>
          sessionQueries(data).touchSession(known.id, { at: time, address, endsAt }),
        );
      }
      if (!known) return null;
      const evidence = { kind: 'session', id: known.id } as const;
      return {
        ...known,
        gate: known.isGated ? await findWorkspaceGate(data, known.user, evidence) : null,
        mustChangePassword: known.mustChangePassword && deps.passwords,
        mustSetUpFactor: mustSetUpFactor(deps.requiredFactor, known),
      };
    },
  };
}
