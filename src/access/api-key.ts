/** API keys: 256 random bits behind a prefix that scanners can find; stored as SHA-256, shown once. */
import { hash, randomBytes } from 'node:crypto';

export interface ApiKey {
  id: string;
  ownerId: string;
  name: string;
  /** The first characters of the key, to tell it from others in a list. */
  hint: string;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  revokedAt: number | null;
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

export function isUsable(key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: number): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}
