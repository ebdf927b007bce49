/** Sending and changing webhooks, composed of its parts. */

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
  openSecrets,
  type WebhookLog,
} from './send-webhook.ts';
import type { Webhook } from './webhook.ts';
import { createWebhookChanges, type WebhookChanges } from './webhook-changes.ts';
import { createWebhookNetworks } from './webhook-networks.ts';
import { createFindTarget, createResolveName, type ResolveName } from './webhook-target.ts';

/** Replaces the internet in tests. */
export interface WebhookEnvironment {
  resolve: ResolveName;
  /** Certificate authorities that are trusted. */
  authorities: readonly string[];
  timeoutMs: number;
}

export interface WebhooksParts {
  data: Data;
  /** The server's. */
  secret: ServerSecret;
  /** The public origin; null when there is none. */
  origin: string | null;
  /** What webhooks may reach besides the internet. */
  networks: readonly string[];
  version: string;
  now: () => number;
  log: WebhookLog;
  wakeOutbox: () => void;
  environment?: Partial<WebhookEnvironment> | undefined;
}

export interface Webhooks {
  handlers: Pick<JobHandlers, 'tell-hooks' | 'send-hook' | 'send-last-hook'>;
  webhookChanges: WebhookChanges;
  isReadable: (webhook: Webhook) => boolean;
  /** Whether messages can carry links. */
  hasOrigin: boolean;
}

export function openWebhooks(parts: WebhooksParts): Webhooks {
  const { environment = {} } = parts;
  const seal = createWebhookEncryption(parts.secret);
  const findTarget = createFindTarget({
    networks: createWebhookNetworks(parts.networks),
    resolve: environment.resolve ?? createResolveName(),
  });
  const post = createPostWebhook({ ...environment, findTarget });
  const deliver = createDeliverWebhook({ ...parts, post, seal, userAgent: `Slipway/${parts.version}` });
  return {
    handlers: {
      'tell-hooks': createDispatchEvent(parts),
      'send-hook': createSendWebhook({ ...parts, deliver }),
      'send-last-hook': createSendLastWebhook({ ...parts, deliver }),
    },
    webhookChanges: createWebhookChanges({ ...parts, seal, findTarget, deliver }),
    isReadable: (webhook) => openSecrets(seal, webhook) !== null,
    hasOrigin: parts.origin !== null,
  };
}
