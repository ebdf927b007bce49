/** Web sessions: a random token in a cookie, its SHA-256 in the database, revocable, good on every node. */
import { createHash, randomBytes } from 'node:crypto';
import type { User } from '../../owners/owner.ts';
import { dayMs, sessionDays } from './session-config.ts';

export const sessionLifetimeMs = sessionDays * dayMs;
export const maxSessionsOfUser = 50;
const maxUserAgentLength = 512;

export interface KnownSession {
  id: string;
  user: User;
  /** Signed in with a password that Slipway made: nothing but changing it is open. */
  mustChangePassword: boolean;
  /** The account has a password and nothing besides: no app for codes, no passkey. */
  passwordAlone: boolean;
  createdAt: number;
  lastSeenAt: number;
}

/** One of a person's sessions, as the person sees it. */
export interface SessionLine {
  id: string;
  /** The one in which the list is read. */
  current: boolean;
  userAgent: string;
  /** Where it was last seen. */
  address: string;
  createdAt: number;
  lastSeenAt: number;
  /** Unless it is used until then. */
  endsAt: number;
}

/** When a session ends that was used now and is not used again: kept with it, so that every node and the sweep judge alike. */
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
