/** Changes to webhooks: each action is one transaction with an audit log entry. */

import type { App } from '../apps/app.ts';
import type { Encryption } from '../core/encrypted-text.ts';
import { conflict, conflictingField, FormInvalid, NotFound } from '../core/errors.ts';
import { newIdentifier } from '../core/identifier.ts';
import type { FindTarget } from '../core/outbound/outbound-target.ts';
import type { Connection, Data } from '../db/data.ts';
import { appEventTypes, eventTypes } from '../events/events.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import type { Owner, User } from '../owners/owner.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import { testEventFacts } from './payload/event-facts.ts';
import { newWebhookSecret } from './payload/webhook-signature.ts';
import { type DeliverWebhook, decideResult, decryptSecrets, encryptSecrets } from './send-webhook.ts';
import { maxWebhooksPerScope, newDeliveryId, oldSecretHours, type Webhook } from './webhook.ts';
import { shortAddress } from './webhook-address.ts';
import { readWebhookForm, targetErrorText, type WebhookValues, webhookValuesOf } from './webhook-form.ts';
import type { WebhookDraft } from './webhook-queries.ts';
import { webhookQueries } from './webhook-queries.ts';
import { webhookTexts } from './webhook-texts.ts';

/** Webhooks make this server send requests to others. Enough for a team, and too few for port scans. */
export const webhookLimit = {
  name: 'webhooks',
  limit: 60,
  windowMs: 15 * 60_000,
  per: 'caller',
  refusal: 'webhooks',
} as const;

/** An app, or an owner with all its apps if `app` is null. */
export interface WebhookParent {
  owner: Pick<Owner, 'id' | 'kind' | 'name'>;
  app: App | null;
}

export type WebhookEdits = { [Field in keyof WebhookValues]?: WebhookValues[Field] | undefined };

export interface WebhookChanges {
  /** `secret` is shown once. Throws `FormInvalid`, and `conflict` at the webhook limit. */
  make(
    by: User,
    home: WebhookParent,
    submitted: WebhookValues,
  ): Promise<{ webhook: Webhook; secret: string }>;
  /**
   * Fields that are absent from `submitted` stay as they are. `secret`: a new secret, shown once; null if unchanged. Throws
   * `FormInvalid`.
   */
  save(
    by: User,
    home: WebhookParent,
    webhook: Webhook,
    submitted: WebhookEdits,
    state?: 'on' | 'off',
  ): Promise<{ webhook: Webhook; secret: string | null }>;
  /**
   * Returns the new secret. The old one is also used for signing for another `oldSecretHours`. Throws `conflict` if the URL
   * cannot be decrypted.
   */
  rotateWebhookSecret(
    by: User,
    home: WebhookParent,
    webhook: Webhook,
  ): Promise<{ webhook: Webhook; secret: string }>;
  remove(by: User, home: WebhookParent, webhook: Webhook): Promise<void>;
  /** Sends a test immediately and stores it as the newest delivery. */
  test(home: WebhookParent, webhook: Webhook): Promise<void>;
  /** Returns false if the delivery is already waiting or no longer exists. */
  resendDelivery(home: WebhookParent, webhook: Webhook, deliveryId: string): Promise<boolean>;
}

export interface WebhookChangeDeps {
  data: Data;
  encryption: Encryption;
  findTarget: FindTarget;
  deliver: DeliverWebhook;
  /** Public origin; null if there is none. */
  origin: string | null;
  now: () => number;
  wakeOutbox: () => void;
}

export const placeOf = ({ owner, app }: WebhookParent) => ({ ownerId: owner.id, appId: app?.id ?? null });

export function createWebhookChanges(deps: WebhookChangeDeps): WebhookChanges {
  const { data, encryption, now } = deps;
  return {
    make: (by, home, submitted) => make(deps, by, home, submitted),
    save: (by, home, webhook, submitted, state) => save(deps, { by, home, webhook }, submitted, state),
    rotateWebhookSecret: async (by, home, webhook) => {
      const secret = newWebhookSecret();
      return inWebhook(data, home, webhook, async (tx, present) => {
        const known = decryptSecrets(encryption, present);
        if (!known) throw conflict(webhookTexts.unreadableLine);
        const draft = {
          ...present,
          ...encryptSecrets(encryption, webhook.id, { ...known, secret, oldSecret: known.secret }),
          oldSecretUntil: now() + oldSecretHours * 60 * 60_000,
        };
        await webhookQueries(tx).saveWebhook(draft);
        await auditQueries(tx).record(entryOf(by, home, draft, 'hook.secret-changed', now()));
        return { webhook: draft, secret };
      });
    },
    remove: async (by, home, webhook) => {
      await data.transaction(async (tx) => {
        if (!(await webhookQueries(tx).deleteWebhook(webhook.id))) throw missing();
        await auditQueries(tx).record(entryOf(by, home, webhook, 'hook.deleted', now()));
      });
    },
    test: async (home, webhook) => {
      const begun = now();
      const id = newDeliveryId(begun);
      const about = { id: newIdentifier(begun), owner: home.owner.name, app: home.app };
      const facts = testEventFacts(about, begun, deps.origin ?? '');
      const { outcome, attempt } = await deps.deliver(webhook, { id, facts });
      const result = decideResult(outcome, Number.MAX_SAFE_INTEGER, now());
      const delivery = {
        id,
        webhookId: webhook.id,
        event: facts.event,
        facts: JSON.stringify(facts),
        attempts: 1,
        attemptLog: [attempt],
      };
      await data.transaction(async (tx) => {
        if (result.status === 410) await webhookQueries(tx).setState(webhook.id, 'gone');
        await webhookQueries(tx).insertDeliveries([{ ...delivery, ...result }], newIdentifier(begun), begun);
        await webhookQueries(tx).forgetDeliveries(webhook.id);
      });
    },
    resendDelivery: async (home, webhook, deliveryId) => {
      const at = now();
      const revived = await data.transaction(async (tx) => {
        if (!(await webhookQueries(tx).revive(webhook.id, deliveryId, at))) return false;
        await outboxQueries(tx).add(home.owner.id, { kind: 'send-webhook', deliveryId }, at);
        return true;
      });
      if (revived) deps.wakeOutbox();
      return revived;
    },
  };
}

const typesOf = ({ app }: WebhookParent) => (app ? appEventTypes : eventTypes);
const missing = () => new NotFound(webhookTexts.errors.gone);

async function make(deps: WebhookChangeDeps, by: User, home: WebhookParent, submitted: WebhookValues) {
  const { data, encryption } = deps;
  const { url, ...read } = readWebhookForm(submitted, { hasAddress: false, types: typesOf(home) });
  if (!url) throw new FormInvalid({ url: [] });
  await checkTarget(deps, url);
  const now = deps.now();
  const [id, secret] = [newIdentifier(now), newWebhookSecret()];
  const draft: WebhookDraft = {
    id,
    ...placeOf(home),
    ...read,
    state: 'on' as const,
    shownAddress: shortAddress(url),
    ...encryptSecrets(encryption, id, { address: url.href, secret, oldSecret: null }),
    oldSecretUntil: null,
  };
  await data.transaction(async (tx) => {
    // Locks the owner, so that concurrent additions stay within the limit.
    if (!(await quotaQueries(tx).lock(home.owner.id))) throw missing();
    if ((await webhookQueries(tx).countWebhooks(placeOf(home))) >= maxWebhooksPerScope) {
      throw conflictingField('url', webhookTexts.full({ limit: maxWebhooksPerScope }));
    }
    await webhookQueries(tx).insertWebhook(draft, now, by.id);
    await auditQueries(tx).record(entryOf(by, home, draft, 'hook.made', now));
  });
  return { webhook: { ...draft, createdAt: now }, secret };
}

async function save(
  deps: WebhookChangeDeps,
  { by, home, webhook }: { by: User; home: WebhookParent; webhook: Webhook },
  submitted: WebhookEdits,
  newState?: 'on' | 'off',
) {
  const { data, encryption } = deps;
  const edits = Object.entries(submitted).filter(([, value]) => value !== undefined);
  const read = (present: Webhook) => {
    const hasAddress = decryptSecrets(encryption, present) !== null;
    const values = { ...webhookValuesOf(present), ...Object.fromEntries(edits) };
    return readWebhookForm(values, { hasAddress, types: typesOf(home) });
  };
  const isEdited = edits.length > 0;
  const url = isEdited ? read(webhook).url : null;
  if (url) await checkTarget(deps, url);
  return inWebhook(data, home, webhook, async (tx, present) => {
    const { url: _, ...settings } = isEdited ? read(present) : { url: null };
    const known = decryptSecrets(encryption, present);
    const secrets = known ?? { secret: newWebhookSecret(), oldSecret: null };
    const address = url
      ? {
          ...encryptSecrets(encryption, webhook.id, { ...secrets, address: url.href }),
          shownAddress: shortAddress(url),
        }
      : {};
    // A new URL replaces the receiver that returned 410.
    const state = newState ?? (url && present.state === 'gone' ? 'on' : present.state);
    const saved: Webhook = { ...present, ...settings, ...address, state };
    await webhookQueries(tx).saveWebhook(saved);
    if (isEdited) await auditQueries(tx).record(entryOf(by, home, saved, 'hook.changed', deps.now()));
    if (newState && newState !== present.state) {
      const action = newState === 'on' ? 'hook.resumed' : 'hook.paused';
      await auditQueries(tx).record(entryOf(by, home, saved, action, deps.now()));
    }
    return { webhook: saved, secret: url && !known ? secrets.secret : null };
  });
}

/** Locks the owner row and reloads the webhook before `work` runs, so that concurrent changes are serialized. */
function inWebhook<T>(
  data: Data,
  home: WebhookParent,
  webhook: Webhook,
  work: (tx: Connection, present: Webhook) => Promise<T>,
): Promise<T> {
  return data.transaction(async (tx) => {
    await quotaQueries(tx).lock(home.owner.id);
    const present = await webhookQueries(tx).findWebhook(placeOf(home), webhook.id);
    if (!present) throw missing();
    return work(tx, present);
  });
}

async function checkTarget({ findTarget }: WebhookChangeDeps, url: URL): Promise<void> {
  const target = await findTarget(url.href);
  if ('fault' in target) throw new FormInvalid({ url: [targetErrorText(target.fault)] });
}

/** Contains only the host, because more people read the audit log than know the URL. */
function entryOf(by: User, { owner, app }: WebhookParent, webhook: WebhookDraft, action: string, at: number) {
  const { host } = new URL(webhook.shownAddress);
  return {
    at,
    action,
    actor: { kind: 'user', user: by } as const,
    ownerId: owner.id,
    subject: `${host} for ${app ? `${app.packageName} (${app.platform})` : owner.name}`,
    details: {
      webhook: webhook.id,
      kind: webhook.kind,
      state: webhook.state,
      subscribedEvents: webhook.subscribedEvents,
    },
  };
}
