/** The deeds of whoever looks after webhooks: each one transaction, with its line in the audit log. */

import type { App } from '../apps/app.ts';
import type { Seal } from '../core/encrypted-text.ts';
import { conflict, FormRefused, NotFound } from '../core/errors.ts';
import { newIdentifier } from '../core/identifier.ts';
import type { Connection, Data } from '../db/data.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import type { Owner, User } from '../owners/owner.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import { testFacts } from './payload/event-facts.ts';
import { newWebhookSecret } from './payload/webhook-signature.ts';
import { type DeliverWebhook, judge, openSecrets, sealSecrets } from './send-webhook.ts';
import { maxWebhooksPerScope, newDeliveryId, type Webhook } from './webhook.ts';
import { shortAddress } from './webhook-address.ts';
import { readWebhookForm, type TypedWebhook, targetSentence } from './webhook-form.ts';
import type { WebhookDraft } from './webhook-queries.ts';
import { webhookQueries } from './webhook-queries.ts';
import type { FindTarget } from './webhook-target.ts';
import { webhookTexts } from './webhook-texts.ts';

/** An App, or an Owner with all its Apps when `app` is null. */
export interface WebhookHome {
  owner: Pick<Owner, 'id' | 'kind' | 'name'>;
  app: App | null;
}

export interface WebhookChanges {
  /** `secret` is shown only once. Throws `FormRefused`, and `conflict` when the place is full. */
  make(by: User, home: WebhookHome, typed: TypedWebhook): Promise<{ webhook: Webhook; secret: string }>;
  /** `secret`: a new one, shown only once; null when the webhook keeps the one it has. Throws `FormRefused`. */
  save(
    by: User,
    home: WebhookHome,
    webhook: Webhook,
    typed: TypedWebhook,
  ): Promise<{ webhook: Webhook; secret: string | null }>;
  pause(by: User, home: WebhookHome, webhook: Webhook): Promise<void>;
  /** Also after the receiver has answered 410. */
  resume(by: User, home: WebhookHome, webhook: Webhook): Promise<void>;
  /** Answers the new secret. Throws `conflict` for a webhook whose address cannot be read any more. */
  renewSecret(by: User, home: WebhookHome, webhook: Webhook): Promise<string>;
  remove(by: User, home: WebhookHome, webhook: Webhook): Promise<void>;
  /** Sends a message at once; what came of it becomes the newest delivery. */
  test(home: WebhookHome, webhook: Webhook): Promise<void>;
  /** False when the delivery waits anyway, or is gone. */
  sendAgain(webhook: Webhook, deliveryId: string): Promise<boolean>;
}

export interface WebhookChangeParts {
  data: Data;
  seal: Seal;
  findTarget: FindTarget;
  deliver: DeliverWebhook;
  now: () => number;
  wakeOutbox: () => void;
}

export const placeOf = ({ owner, app }: WebhookHome) => ({ ownerId: owner.id, appId: app?.id ?? null });

export function createWebhookChanges(parts: WebhookChangeParts): WebhookChanges {
  const { data, seal, now } = parts;
  return {
    make: (by, home, typed) => make(parts, by, home, typed),
    save: (by, home, webhook, typed) => save(parts, by, home, webhook, typed),
    renewSecret: async (by, home, webhook) => {
      const secret = newWebhookSecret();
      await inWebhook(data, home, webhook, async (inside, present) => {
        const known = openSecrets(seal, present);
        if (!known) throw conflict(webhookTexts.unreadableLine);
        const draft = { ...present, ...sealSecrets(seal, webhook.id, { ...known, secret }) };
        await webhookQueries(inside).saveWebhook(draft);
        await auditQueries(inside).record(entryOf(by, home, draft, 'hook.secret-changed', now()));
      });
      return secret;
    },
    pause: (by, home, webhook) => setState(parts, by, home, webhook, 'off'),
    resume: (by, home, webhook) => setState(parts, by, home, webhook, 'on'),
    remove: async (by, home, webhook) => {
      await data.transaction(async (inside) => {
        if (!(await webhookQueries(inside).deleteWebhook(webhook.id))) throw missing();
        await auditQueries(inside).record(entryOf(by, home, webhook, 'hook.deleted', now()));
      });
    },
    test: async (home, webhook) => {
      const begun = now();
      const [id, facts] = [newDeliveryId(begun), testFacts(home.app, begun)];
      const outcome = await parts.deliver(webhook, { id, facts });
      const result = judge(outcome, Number.MAX_SAFE_INTEGER, now());
      const delivery = {
        id,
        webhookId: webhook.id,
        event: facts.event,
        facts: JSON.stringify(facts),
        attempts: 1,
      };
      await data.transaction(async (inside) => {
        if (result.status === 410) await webhookQueries(inside).setState(webhook.id, 'gone');
        await webhookQueries(inside).insertDeliveries(
          [{ ...delivery, ...result }],
          newIdentifier(begun),
          begun,
        );
        await webhookQueries(inside).forgetDeliveries(webhook.id);
      });
    },
    sendAgain: async (webhook, deliveryId) => {
      const at = now();
      const revived = await data.transaction(async (inside) => {
        if (!(await webhookQueries(inside).revive(webhook.id, deliveryId, at))) return false;
        await outboxQueries(inside).add({ kind: 'send-hook', deliveryId }, at);
        return true;
      });
      if (revived) parts.wakeOutbox();
      return revived;
    },
  };
}

const missing = () => new NotFound('the hook is not there any more');

async function make(parts: WebhookChangeParts, by: User, home: WebhookHome, typed: TypedWebhook) {
  const { data, seal } = parts;
  const { url, ...read } = readWebhookForm(typed, false);
  if (!url) throw new FormRefused({ address: [] });
  await checkTarget(parts, url);
  const now = parts.now();
  const [id, secret] = [newIdentifier(now), newWebhookSecret()];
  const draft: WebhookDraft = {
    ...{ id, ...placeOf(home), ...read, state: 'on' as const, shownAddress: shortAddress(url) },
    ...sealSecrets(seal, id, { address: url.href, secret }),
  };
  await data.transaction(async (inside) => {
    // Whoever adds another one to the same Owner waits, so that there are never too many.
    if (!(await quotaQueries(inside).lock(home.owner.id))) throw missing();
    if ((await webhookQueries(inside).countWebhooks(placeOf(home))) >= maxWebhooksPerScope) {
      throw conflict(webhookTexts.full(maxWebhooksPerScope));
    }
    await webhookQueries(inside).insertWebhook(draft, now);
    await auditQueries(inside).record(entryOf(by, home, draft, 'hook.made', now));
  });
  return { webhook: { ...draft, createdAt: now }, secret };
}

async function save(
  parts: WebhookChangeParts,
  by: User,
  home: WebhookHome,
  webhook: Webhook,
  typed: TypedWebhook,
) {
  const { data, seal } = parts;
  const { url, ...read } = readWebhookForm(typed, openSecrets(seal, webhook) !== null);
  if (url) await checkTarget(parts, url);
  return inWebhook(data, home, webhook, async (inside, present) => {
    const known = openSecrets(seal, present);
    const secret = known?.secret ?? newWebhookSecret();
    const address = url
      ? { ...sealSecrets(seal, webhook.id, { address: url.href, secret }), shownAddress: shortAddress(url) }
      : {};
    // The receiver that asked for no more is no longer the receiver.
    const state = url && present.state === 'gone' ? 'on' : present.state;
    const saved: Webhook = { ...present, ...read, ...address, state };
    await webhookQueries(inside).saveWebhook(saved);
    await auditQueries(inside).record(entryOf(by, home, saved, 'hook.changed', parts.now()));
    return { webhook: saved, secret: known ? null : secret };
  });
}

/** With the Owner's row held and the webhook read again, so that changes of two people follow one another. */
function inWebhook<T>(
  data: Data,
  home: WebhookHome,
  webhook: Webhook,
  work: (inside: Connection, present: Webhook) => Promise<T>,
): Promise<T> {
  return data.transaction(async (inside) => {
    await quotaQueries(inside).lock(home.owner.id);
    const present = await webhookQueries(inside).findWebhook(placeOf(home), webhook.id);
    if (!present) throw missing();
    return work(inside, present);
  });
}

async function setState(
  { data, now }: WebhookChangeParts,
  by: User,
  home: WebhookHome,
  webhook: Webhook,
  state: 'on' | 'off',
): Promise<void> {
  await inWebhook(data, home, webhook, async (inside, present) => {
    if (present.state === state) return;
    await webhookQueries(inside).setState(webhook.id, state);
    const action = state === 'on' ? 'hook.resumed' : 'hook.paused';
    await auditQueries(inside).record(entryOf(by, home, { ...present, state }, action, now()));
  });
}

async function checkTarget({ findTarget }: WebhookChangeParts, url: URL): Promise<void> {
  const target = await findTarget(url.href);
  if (typeof target === 'string') throw new FormRefused({ address: [targetSentence(target)] });
}

/** The log is read by more people than the address is for: the host is all that it says of it. */
function entryOf(by: User, { owner, app }: WebhookHome, webhook: WebhookDraft, action: string, at: number) {
  const { host } = new URL(webhook.shownAddress);
  return {
    ...{ at, action, actor: { kind: 'user', user: by } as const, ownerId: owner.id },
    subject: `${host} for ${app ? `${app.packageName} (${app.platform})` : owner.name}`,
    details: {
      webhook: webhook.id,
      kind: webhook.kind,
      state: webhook.state,
      subscribedEvents: webhook.subscribedEvents,
    },
  };
}
