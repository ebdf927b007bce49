/** Sign-in of a program that has no browser: it shows a code, which a person enters and approves (RFC 8628). */
import { hash, randomBytes, randomInt } from 'node:crypto';
import type { KeyScope } from '../../core/key-scope.ts';
import { siteOf } from '../../limits/client-network.ts';

export interface DeviceCode {
  id: string;
  /** The name that the program gives itself, shown to the person. */
  client: string;
  /** The network from which the program asked, shown to the person. */
  network: string;
  scopes: readonly KeyScope[];
  state: DeviceCodeState;
  /** The User who approved it. */
  userId: string | null;
  /** The providers of Workspaces that this session of theirs is signed in at. */
  signOns: readonly string[];
  /** How many days the key is valid. */
  keyDays: number | null;
  /** When the program last polled. */
  polledAt: number | null;
  createdAt: number;
  expiresAt: number;
}

/** `redeemed`: the program has received its key. */
export type DeviceCodeState = 'pending' | 'approved' | 'denied' | 'redeemed';

/** How long a code is valid. RFC 8628, section 6.1: no longer than a person needs. */
export const deviceCodeLifetimeMs = 10 * 60_000;
export const pollIntervalSeconds = 5;
/** New codes. */
export const deviceCodeLimit = {
  name: 'device code',
  limit: 30,
  windowMs: 15 * 60_000,
  per: 'network',
  refusal: 'signInsFromNetwork',
} as const;
export const maxClientLength = 60;
/** Limits on pending codes: per network, per /48 of IPv6, and for the whole installation, so that nobody can fill the table. */
export const maxPendingDeviceCodes = { network: 10, site: 50, everyone: 1000 } as const;
/** Choices for how long the key is valid. */
export const keyDays = [7, 30, 90, 365] as const;
export const defaultKeyDays = 90;

export interface PendingCode {
  id: string;
  network: string;
  isViewed: boolean;
}

/**
 * Returns the ids of the codes to delete in favor of one from the network: the oldest ones that no person has looked at. Null if
 * there is no room. `pending`: oldest first.
 */
export function makeRoom(pending: readonly PendingCode[], network: string): string[] | null {
  const inScope = [
    [maxPendingDeviceCodes.network, (one: PendingCode) => one.network === network],
    [maxPendingDeviceCodes.site, (one: PendingCode) => siteOf(one.network) === siteOf(network)],
    [maxPendingDeviceCodes.everyone, () => true],
  ] as const;
  const dropped: string[] = [];
  for (const [max, isInScope] of inScope) {
    const codes = pending.filter((one) => isInScope(one) && !dropped.includes(one.id));
    const excess = Math.max(0, codes.length - max + 1);
    const drops = codes.filter(({ isViewed }) => !isViewed).slice(0, excess);
    if (drops.length < excess) return null;
    dropped.push(...drops.map(({ id }) => id));
  }
  return dropped;
}

/** Without vowels, digits and similar letters (RFC 8628, section 6.1): 20 letters, so eight of them have 34 bits. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const userCodeLength = 8;

export const newUserCode = (): string =>
  Array.from({ length: userCodeLength }, () => letters[randomInt(letters.length)]).join('');

export const newDeviceSecret = (): string => randomBytes(32).toString('base64url');

/** Formats a code for people: `BCDF-GHJK`. */
export const formatUserCode = (code: string) => `${code.slice(0, 4)}-${code.slice(4)}`;

/** Null if it cannot be a code. Case, spaces and dashes are ignored. */
export function readUserCode(text: string): string | null {
  const code = text.toUpperCase().replace(/[^A-Z]/g, '');
  return code.length === userCodeLength && [...code].every((letter) => letters.includes(letter))
    ? code
    : null;
}

export const hashDeviceSecret = (secret: string) => hash('sha256', secret, 'hex');
export const hashUserCode = (code: string) => hash('sha256', `user code\0${code}`, 'hex');
