/** Hooks: other servers that are told of what happens to builds. */
import { newIdentifier } from '../core/identifier.ts';

/** Whose payload the receiver understands: Slipway's own, Slack's, or that of a Microsoft Teams workflow. */
export const hookKinds = ['json', 'slack', 'teams'] as const;
export type HookKind = (typeof hookKinds)[number];

/** `gone`: the receiver answered 410, and so asked to be left alone. */
export type HookState = 'on' | 'off' | 'gone';

export interface HookEvents {
  uploads: boolean;
  deletions: boolean;
  pages: boolean;
}

export interface Hook {
  id: string;
  ownerId: string;
  /** Null: every App of the Owner. */
  appId: string | null;
  /** What its people call it; may be empty. */
  name: string;
  kind: HookKind;
  state: HookState;
  /** Host and a hint of the path: the whole address may be a secret and stays sealed. */
  shownAddress: string;
  sealedAddress: string;
  sealedSecret: string;
  hears: HookEvents;
  createdAt: number;
}

/** `dead`: tried for a day. `stopped`: the hook was switched off before it could be sent. */
export type DeliveryState = 'waiting' | 'sent' | 'dead' | 'stopped';

export interface HookDelivery {
  /** Goes out as `webhook-id`, the same at every try. */
  id: string;
  hookId: string;
  /** A full-stop delimited name, as receivers read it. */
  event: string;
  /** What happened, in JSON. */
  facts: string;
  state: DeliveryState;
  attempts: number;
  /** Not before then, in epoch milliseconds. */
  dueAt: number;
  /** The answer to the last try; null when none came. */
  status: number | null;
  /** Why the last try failed; null for an answer, which says so itself. */
  fault: HookFault | null;
  durationMs: number | null;
  createdAt: number;
  updatedAt: number;
}

/** Sorts by time. It holds no full stop, which is what stands between the parts of what is signed. */
export const newDeliveryId = (now: number) => `msg_${newIdentifier(now)}`;

export const hookFaults = [
  'not-allowed',
  'no-such-name',
  'unreachable',
  'untrusted',
  'cut',
  'timeout',
  'unreadable',
] as const;
export type HookFault = (typeof hookFaults)[number];

export interface HookRequest {
  address: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** What came of one request; `durationMs` from its beginning, name and all. */
export type PostOutcome =
  | { kind: 'answered'; status: number; retryAfterMs: number | null; durationMs: number }
  | { kind: 'failed'; fault: HookFault; durationMs: number };

/** Sends one request to where hooks may go, and nowhere else. Never rejects. */
export type PostHook = (request: HookRequest) => Promise<PostOutcome>;

export const maxHooksOfPlace = 10;
export const maxHookNameLength = 100;
export const maxHookAddressLength = 2048;
/** Of each hook so many are remembered. */
export const deliveriesKept = 100;
export const deliveriesShown = 20;
/** From one hook so many at once, on each node. */
export const sendsOfHookAtOnce = 2;

const minute = 60_000;
const hour = 60 * minute;

/** Between the tries of one delivery: nine tries within 23 hours. */
export const retryPausesMs: readonly number[] = [
  10_000,
  minute,
  5 * minute,
  15 * minute,
  hour,
  3 * hour,
  6 * hour,
  12 * hour,
];

/** The longest wait that a receiver may ask for with Retry-After. */
export const maxRetryAfterMs = hour;
