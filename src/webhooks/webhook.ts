/** Webhooks: other servers that are told of what happens to builds. */
import { newIdentifier } from '../core/identifier.ts';

/** Whose payload the receiver understands: Slipway's own, Slack's, or that of a Microsoft Teams workflow. */
export const webhookKinds = ['json', 'slack', 'teams'] as const;
export type WebhookKind = (typeof webhookKinds)[number];

/** `gone`: the receiver answered 410, and so asked to be left alone. */
export type WebhookState = 'on' | 'off' | 'gone';

export interface SubscribedEvents {
  uploads: boolean;
  deletions: boolean;
  pages: boolean;
}

export interface Webhook {
  id: string;
  ownerId: string;
  /** Null: every App of the Owner. */
  appId: string | null;
  /** What its people call it; may be empty. */
  name: string;
  kind: WebhookKind;
  state: WebhookState;
  /** Host and a hint of the path: the whole address may be a secret and stays sealed. */
  shownAddress: string;
  sealedAddress: string;
  sealedSecret: string;
  subscribedEvents: SubscribedEvents;
  createdAt: number;
}

/** `dead`: tried for a day. `stopped`: the webhook was switched off before it could be sent. */
export type DeliveryState = 'waiting' | 'sent' | 'dead' | 'stopped';

export interface WebhookDelivery {
  /** Goes out as `webhook-id`, the same at every try. */
  id: string;
  webhookId: string;
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
  fault: DeliveryError | null;
  durationMs: number | null;
  createdAt: number;
  updatedAt: number;
}

/** Sorts by time. It holds no full stop, which is what stands between the parts of what is signed. */
export const newDeliveryId = (now: number) => `msg_${newIdentifier(now)}`;

export const deliveryErrors = [
  'not-allowed',
  'no-such-name',
  'unreachable',
  'untrusted',
  'cut',
  'timeout',
  'unreadable',
] as const;
export type DeliveryError = (typeof deliveryErrors)[number];

export interface WebhookRequest {
  address: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** What came of one request; `durationMs` from its beginning, name and all. */
export type PostOutcome =
  | { kind: 'answered'; status: number; retryAfterMs: number | null; durationMs: number }
  | { kind: 'failed'; fault: DeliveryError; durationMs: number };

/** Sends one request to where webhooks may go, and nowhere else. Never rejects. */
export type PostWebhook = (request: WebhookRequest) => Promise<PostOutcome>;

export const maxWebhooksPerScope = 10;
export const maxWebhookNameLength = 100;
export const maxWebhookAddressLength = 2048;
/** Of each webhook so many are remembered. */
export const deliveriesKept = 100;
export const deliveriesShown = 20;
/** From one webhook so many at once, on each node. */
export const maxConcurrentSends = 2;

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
