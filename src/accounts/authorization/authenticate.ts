/** Authenticates API keys and session cookies. */
import { unauthenticated } from '../../core/errors.ts';
import { grantedScopes, type KeyScope } from '../../core/key-scope.ts';
import type { Data } from '../../db/data.ts';
import { networkOf } from '../../limits/client-network.ts';
import type { Actor, Credential } from '../../owners/actor.ts';
import { findWorkspaceGate } from '../../owners/gate/find-workspace-gate.ts';
import type { WorkspaceGate } from '../../owners/gate/workspace-gate.ts';
import type { User } from '../../owners/owner.ts';
import { hashApiKey, isUsable } from '../keys/api-key.ts';
import { keyQueries, type StoredKey } from '../keys/key-queries.ts';
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
  /** The settings require a second factor, and the person has none. */
  mustSetUpFactor: boolean;
  actor: { kind: 'user'; user: User; credential: Credential; gate?: WorkspaceGate };
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
      const { id, secretAt: createdAt, isOperators, isGated } = known;
      const actor = actorOfKey(known, addressOf(), time);
      const evidence = { kind: 'key', id, createdAt, isOperators } as const;
      const gate =
        isGated && actor.kind === 'user' ? await findWorkspaceGate(data, actor.user, evidence) : null;
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
      const actor = actorOfSession(known, address, time);
      const evidence = { kind: 'session', id: known.id } as const;
      const gate = known.isGated ? await findWorkspaceGate(data, actor.user, evidence) : null;
      return {
        ...known,
        actor: { ...actor, ...(gate ? { gate } : {}) },
        mustChangePassword: known.mustChangePassword && deps.passwords,
        mustSetUpFactor: mustSetUpFactor(deps.requiredFactor, known),
      };
    },
  };
}

/** `at`: the time of the request, which the policies of Workspaces compare with that of the secret. */
export function actorOfKey(
  { actor, secretAt, passwordAlone }: StoredKey,
  address: string,
  at: number,
): Actor & { credential: Credential } {
  return { ...actor, credential: { kind: 'key', since: secretAt, passwordAlone, address, at } };
}

export function actorOfSession(
  { user, createdAt, passwordAlone }: StoredSession,
  address: string,
  at: number,
): LiveSession['actor'] {
  const credential = { kind: 'session', since: createdAt, passwordAlone, address, at } as const;
  return { kind: 'user', user, credential };
}
