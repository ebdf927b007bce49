/** Webhooks notify other servers of events. */
import { newIdentifier } from '../core/identifier.ts';
import type { EventChoice, EventType } from '../events/events.ts';

/** The payload format: Slipway's own, Slack's, or that of a Microsoft Teams workflow. */
export const webhookKinds = ['json', 'slack', 'teams'] as const;
export type WebhookKind = (typeof webhookKinds)[number];

/** `gone`: the receiver returned 410 Gone. */
export type WebhookState = 'on' | 'off' | 'gone';

export interface Webhook {
  id: string;
  ownerId: string;
  /** Null for all apps of the owner. */
  appId: string | null;
  /** Display name. May be empty. */
  name: string;
  kind: WebhookKind;
  state: WebhookState;
  /** Host, and the end of the path. The full URL may be secret and is stored encrypted. */
  shownAddress: string;
  encryptedAddress: string;
  /** Includes the old secret after a rotation. */
  encryptedSecret: string;
  /** Until this time, deliveries are also signed with the old secret. Null before the first rotation. */
  oldSecretUntil: number | null;
  subscribedEvents: readonly EventChoice[];
  createdAt: number;
}

export type DeliveredEvent = EventType | 'test';

/** `dead`: failed for a day. `stopped`: the webhook was paused or stopped before it could be sent. */
export type DeliveryState = 'waiting' | 'sent' | 'dead' | 'stopped';

export interface WebhookDelivery {
  /** Sent as `webhook-id`, the same on every attempt. */
  id: string;
  webhookId: string;
  event: DeliveredEvent;
  /** Event details in JSON. */
  facts: string;
  state: DeliveryState;
  attempts: number;
  /** Time of the next attempt, in epoch milliseconds. */
  dueAt: number;
  /** Status of the last response; null if there was none. */
  status: number | null;
  /** Error of the last attempt. Null if there was a response. */
  fault: DeliveryError | null;
  durationMs: number | null;
  /** The last attempts, oldest first. */
  attemptLog: readonly DeliveryAttempt[];
  createdAt: number;
  updatedAt: number;
}

/** The request and response of an attempt. */
export interface DeliveryAttempt {
  at: number;
  /** The format of the body. */
  kind: WebhookKind;
  /** Signatures are hidden. */
  headers: Readonly<Record<string, string>>;
  status: number | null;
  fault: DeliveryError | null;
  /** The error of the network, such as `connect ECONNREFUSED 192.0.2.7:443`. */
  detail: string | null;
  durationMs: number;
  /** Null without a response. */
  answer: WebhookAnswer | null;
}

export interface WebhookAnswer {
  /** Only headers that cannot contain secrets. */
  headers: Readonly<Record<string, string>>;
  /** The beginning of a text response. Null for other responses, or if the receiver is not on the public internet. */
  body: string | null;
}

/** IDs sort by time. They contain no period, which separates the parts of the signed text. */
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

/** Result of one request. `durationMs` includes the DNS lookup. */
export type PostOutcome =
  | {
      kind: 'answered';
      status: number;
      retryAfterMs: number | null;
      answer: WebhookAnswer;
      durationMs: number;
    }
  | { kind: 'failed'; fault: DeliveryError; detail: string | null; durationMs: number };

/** Sends one request to allowed networks only. Never rejects. */
export type PostWebhook = (request: WebhookRequest) => Promise<PostOutcome>;

export const maxWebhooksPerScope = 10;
export const maxWebhookNameLength = 100;
export const maxWebhookAddressLength = 2048;
/** How long deliveries are signed with both secrets after a rotation. */
export const oldSecretHours = 24;
/** How long the API lists an event. */
export const eventRetentionDays = 30;
/** How many events of an Owner are kept, regardless of their age. */
export const maxRecordedEvents = 20_000;
export const eventRetentionMs = eventRetentionDays * 24 * 60 * 60_000;
/** Deliveries kept per webhook. */
export const maxKeptDeliveries = 100;
export const maxShownDeliveries = 20;
/** Attempts kept per delivery. */
export const maxKeptAttempts = 10;
export const maxDetailCharacters = 300;
export const maxAnswerCharacters = 1000;
/** Concurrent requests per webhook and node. */
export const maxConcurrentSends = 2;

const minute = 60_000;
const hour = 60 * minute;

/** Pauses between the attempts of one delivery: nine attempts within 23 hours. */
export const retryDelaysMs: readonly number[] = [
  10_000,
  minute,
  5 * minute,
  15 * minute,
  hour,
  3 * hour,
  6 * hour,
  12 * hour,
];

/** Upper limit for Retry-After. */
export const maxRetryAfterMs = hour;
