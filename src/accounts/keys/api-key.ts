/** API keys: 256 random bits behind a prefix that secret scanners recognize; stored as SHA-256, shown once. */
import { hash, randomBytes } from 'node:crypto';
import type { KeyScope } from '../../core/key-scope.ts';
import type { KeyRestriction } from '../../owners/actor.ts';
import type { BuildSource } from '../../owners/build-source.ts';

export interface ApiKey {
  id: string;
  ownerId: string;
  name: string;
  /** The first characters of the key, to distinguish keys in a list. */
  hint: string;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  /** Network of the last use; null before the first. */
  lastUsedNetwork: string | null;
  revokedAt: number | null;
  scopes: readonly KeyScope[];
  /** Null: unrestricted. */
  restriction: KeyRestriction | null;
  /** `left`: no longer a member of the Project that owns the key. Null when no person created the key, or the creator is unknown. */
  createdBy: { name: string; left: boolean } | null;
  rotatedAt: number | null;
  /** When the secret that the last rotation replaced stops working. */
  previousUntil: number | null;
  /** The program that signed in from a terminal; null for keys created in other ways. */
  client: string | null;
}

const prefix = 'slw_';
export const maxKeyLength = 512;
export const minimumChosenKeyLength = 20;

export function newApiKey(): string {
  return prefix + randomBytes(32).toString('base64url');
}

export function hashApiKey(key: string): string {
  return hash('sha256', key);
}

export function hintOf(key: string): string {
  return key.slice(0, prefix.length + 4);
}

/** A key that expires is also marked as revoked shortly afterwards. */
export function stateOf(key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: number) {
  if (isUsable(key, now)) return 'usable';
  return key.revokedAt === null || (key.expiresAt !== null && key.expiresAt <= key.revokedAt)
    ? 'expired'
    : 'revoked';
}

export function isUsable(key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: number): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}

export interface NewKey {
  ownerId: string;
  name: string;
  keyHash: string;
  hint: string;
  createdAt: number;
  expiresAt: number | null;
  scopes?: readonly KeyScope[];
  restriction?: KeyRestriction | null;
  createdBy?: { id: string; name: string } | null;
  client?: string | null;
  /** For the key of a trusted publisher. */
  trusted?: { publisherId: string; source: BuildSource };
}
