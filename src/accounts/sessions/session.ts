/** Web sessions: a random token in a cookie, its SHA-256 in the database. Revocable, and valid on every node. */
import { createHash, randomBytes } from 'node:crypto';
import type { Language } from '../../core/language/languages.ts';
import type { User } from '../../owners/owner.ts';
import { dayMs, sessionDays } from './session-config.ts';

export const sessionLifetimeMs = sessionDays * dayMs;
export const maxSessionsOfUser = 50;
const maxUserAgentLength = 512;

export interface StoredSession {
  id: string;
  user: User;
  /** Null if the person has not chosen one. */
  language: Language | null;
  /** Signed in with a temporary password, which must be changed first. */
  mustChangePassword: boolean;
  /** Whether a Workspace of this server has conditions for sessions and keys. */
  isGated: boolean;
  /** The account has a password but no second factor. */
  passwordAlone: boolean;
  createdAt: number;
  lastSeenAt: number;
}

/** One of a person's sessions, as shown to them. */
export interface SessionLine {
  id: string;
  /** The session of this request. */
  current: boolean;
  userAgent: string;
  /** Address of the last use. */
  address: string;
  createdAt: number;
  lastSeenAt: number;
  /** When it ends, unless it is used before then. */
  endsAt: number;
}

/**
 * Returns when a session that is used now ends, if it is not used again. The time is stored with the session, so that every node
 * and the cleanup agree.
 */
export function sessionEndsAt(session: { createdAt: number }, now: number, idleMs: number): number {
  return Math.min(session.createdAt + sessionLifetimeMs, now + idleMs);
}

export function newSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSessionToken(token: string): string {
  return createHash('sha256').update('session\0').update(token).digest('hex');
}

export function shortUserAgent(header: string | undefined): string {
  return (header ?? '').slice(0, maxUserAgentLength);
}
