/** Connects the services that send and manage webhooks. */

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
import { createWebhookNetworks } from './webhook-networks.ts';
import { createFindTarget, createResolveName, type FindTarget, type ResolveName } from './webhook-target.ts';

/** Replaces the internet, in tests and the demo. */
export interface WebhookEnvironment {
  /** Used in place of DNS and the allowed networks. */
  findTarget: FindTarget;
  resolve: ResolveName;
  /** Trusted certificate authorities. */
  authorities: readonly string[];
  timeoutMs: number;
}

export interface WebhooksDeps {
  data: Data;
  /** The server secret. */
  secret: ServerSecret;
  /** Public origin; null if there is none. */
  origin: string | null;
  /** Additional networks that webhooks may reach. */
  networks: readonly string[];
  version: string;
  now: () => number;
  log: WebhookLog;
  wakeOutbox: () => void;
  environment?: Partial<WebhookEnvironment> | undefined;
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
  const { environment = {} } = deps;
  const encryption = createWebhookEncryption(deps.secret);
  const findTarget =
    environment.findTarget ??
    createFindTarget({
      networks: createWebhookNetworks(deps.networks),
      resolve: environment.resolve ?? createResolveName(),
    });
  const post = createPostWebhook({ ...environment, findTarget });
  const deliver = createDeliverWebhook({ ...deps, post, encryption, userAgent: `Slipway/${deps.version}` });
  return {
    handlers: {
      'dispatch-event': createDispatchEvent(deps),
      'send-webhook': createSendWebhook({ ...deps, deliver }),
      'send-last-webhook': createSendLastWebhook({ ...deps, deliver }),
    },
    webhookChanges: createWebhookChanges({ ...deps, encryption, findTarget, deliver }),
    isReadable: (webhook) => decryptSecrets(encryption, webhook) !== null,
    origin: deps.origin,
  };
}
