/** Connects the services that send and manage webhooks. */

import type { Outbound } from '../core/outbound/outbound-target.ts';
import type { ServerSecret } from '../core/signature.ts';
import type { Data } from '../db/data.ts';
import type { JobHandlers } from '../jobs/outbox.ts';
import { createDispatchEvent } from './dispatch-event.ts';
import { createPostWebhook } from './post-webhook-http.ts';
import { createSendLastWebhook } from './send-last-webhook.ts';
import {
  createDeliverWebhook,
  createSendWebhook,
  createWebhookEncryption,
  decryptSecrets,
  type WebhookLog,
} from './send-webhook.ts';
import type { Webhook } from './webhook.ts';
import { createWebhookChanges, type WebhookChanges } from './webhook-changes.ts';

export interface WebhooksDeps {
  data: Data;
  /** The server secret. */
  secret: ServerSecret;
  /** Public origin; null if there is none. */
  origin: string | null;
  outbound: Outbound;
  version: string;
  now: () => number;
  log: WebhookLog;
  wakeOutbox: () => void;
}

export type WebhookJobHandlers = Pick<JobHandlers, 'dispatch-event' | 'send-webhook' | 'send-last-webhook'>;

export interface Webhooks {
  handlers: WebhookJobHandlers;
  webhookChanges: WebhookChanges;
  isReadable: (webhook: Webhook) => boolean;
  /** Public origin; null if there is none. */
  origin: string | null;
}

export function openWebhooks(deps: WebhooksDeps): Webhooks {
  const { outbound } = deps;
  const encryption = createWebhookEncryption(deps.secret);
  const post = createPostWebhook(outbound);
  const deliver = createDeliverWebhook({ ...deps, post, encryption, userAgent: `Slipway/${deps.version}` });
  return {
    handlers: {
      'dispatch-event': createDispatchEvent(deps),
      'send-webhook': createSendWebhook({ ...deps, deliver }),
      'send-last-webhook': createSendLastWebhook({ ...deps, deliver }),
    },
    webhookChanges: createWebhookChanges({ ...deps, ...outbound, encryption, deliver }),
    isReadable: (webhook) => decryptSecrets(encryption, webhook) !== null,
    origin: deps.origin,
  };
}
