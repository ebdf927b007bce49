import type { Selectable } from 'kysely';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import type { EventType } from '../events/events.ts';
import { readChoice, subscribes } from '../events/subscription.ts';
import {
  type DeliveredEvent,
  type DeliveryAttempt,
  type DeliveryError,
  type DeliveryState,
  maxKeptDeliveries,
  type Webhook,
  type WebhookDelivery,
  type WebhookKind,
  type WebhookState,
} from './webhook.ts';

/** The scope of webhooks: an app, or an owner with all its apps if `appId` is null. */
export interface WebhookScope {
  ownerId: string;
  appId: string | null;
}

export type WebhookDraft = Omit<Webhook, 'createdAt'>;

/** Result of one attempt. */
export interface DeliveryResult {
  state: DeliveryState;
  dueAt: number;
  status: number | null;
  fault: DeliveryError | null;
  durationMs: number | null;
}

export const webhookQueries = defineQueries(createWebhookQueries);

function createWebhookQueries(db: Queries) {
  const inPlace = ({ ownerId, appId }: WebhookScope) =>
    db
      .selectFrom('hooks')
      .where('owner_id', '=', ownerId)
      .where('app_id', appId === null ? 'is' : '=', appId);
  return {
    /** Lists active webhooks that subscribe to an event: those of an App and its Owner, or only those of the Owner. */
    async listSubscribed(
      { ownerId, appId }: { ownerId: string; appId: string | null },
      event: EventType,
    ): Promise<Webhook[]> {
      const rows = await db
        .selectFrom('hooks')
        .selectAll()
        .where('owner_id', '=', ownerId)
        .where((where) =>
          where.or([where('app_id', 'is', null), ...(appId === null ? [] : [where('app_id', '=', appId)])]),
        )
        .where('state', '=', 'on')
        .orderBy('id')
        .execute();
      return rows.map(toWebhook).filter((webhook) => subscribes(webhook.subscribedEvents, event));
    },

    async listWebhooks(place: WebhookScope): Promise<Webhook[]> {
      return (await inPlace(place).selectAll().orderBy('id').execute()).map(toWebhook);
    },

    async countWebhooks(place: WebhookScope): Promise<number> {
      const row = await inPlace(place)
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    async findWebhook(place: WebhookScope, id: string): Promise<Webhook | null> {
      const row = await inPlace(place).selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toWebhook(row) : null;
    },

    async insertWebhook(draft: WebhookDraft, now: number, createdBy: string | null = null): Promise<void> {
      await db
        .insertInto('hooks')
        .values({ ...toRow(draft), created_at: now, created_by: createdBy })
        .execute();
    },

    /** Returns false if it no longer exists. */
    async saveWebhook(draft: WebhookDraft): Promise<boolean> {
      const row = await db
        .updateTable('hooks')
        .set(toRow(draft))
        .where('id', '=', draft.id)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async setState(id: string, state: WebhookState): Promise<void> {
      await db.updateTable('hooks').set({ state }).where('id', '=', id).execute();
    },

    async deleteWebhook(id: string): Promise<boolean> {
      const row = await db.deleteFrom('hooks').where('id', '=', id).returning('id').executeTakeFirst();
      return row !== undefined;
    },

    /** Inserts missing deliveries, one per webhook and event, and returns their IDs. */
    async insertDeliveries(
      drafts: readonly Omit<WebhookDelivery, 'createdAt' | 'updatedAt'>[],
      eventId: string,
      now: number,
    ): Promise<string[]> {
      if (drafts.length === 0) return [];
      const rows = await db
        .insertInto('hook_deliveries')
        .values(
          drafts.map((draft) => ({
            ...resultRow(draft),
            attempt_log: logColumn(draft.attemptLog),
            id: draft.id,
            hook_id: draft.webhookId,
            event_id: eventId,
            event: draft.event,
            facts: draft.facts,
            attempts: draft.attempts,
            created_at: now,
            updated_at: now,
          })),
        )
        .onConflict((conflict) => conflict.columns(['hook_id', 'event_id']).doNothing())
        .returning('id')
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Finds a delivery with its webhook. */
    async findDelivery(id: string): Promise<{ delivery: WebhookDelivery; webhook: Webhook } | null> {
      const row = await db.selectFrom('hook_deliveries').selectAll().where('id', '=', id).executeTakeFirst();
      const webhook =
        row && (await db.selectFrom('hooks').selectAll().where('id', '=', row.hook_id).executeTakeFirst());
      return row && webhook ? { delivery: toDelivery(row), webhook: toWebhook(webhook) } : null;
    },

    /** Newest first. */
    async listDeliveries(webhookId: string, limit: number): Promise<WebhookDelivery[]> {
      const rows = await db
        .selectFrom('hook_deliveries')
        .selectAll()
        .where('hook_id', '=', webhookId)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toDelivery);
    },

    /** Number of older waiting deliveries of the same webhook, counted up to `limit`. */
    async countWaitingBefore({ webhookId, id }: WebhookDelivery, limit: number): Promise<number> {
      const rows = await db
        .selectFrom('hook_deliveries')
        .select('id')
        .where('hook_id', '=', webhookId)
        .where('id', '<', id)
        .where('state', '=', 'waiting')
        .limit(limit)
        .execute();
      return rows.length;
    },

    /** Counts an attempt before it starts. Returns false if the delivery is not waiting anymore. */
    async beginTry(id: string, now: number): Promise<boolean> {
      const row = await db
        .updateTable('hook_deliveries')
        .set((set) => ({ attempts: set('attempts', '+', 1), updated_at: now }))
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async settle(
      id: string,
      result: DeliveryResult & Pick<WebhookDelivery, 'attemptLog'>,
      now: number,
    ): Promise<void> {
      await db
        .updateTable('hook_deliveries')
        .set({ ...resultRow(result), attempt_log: logColumn(result.attemptLog), updated_at: now })
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .execute();
    },

    /** Resets a settled delivery for retries. Returns false if it is waiting or does not exist. */
    async revive(webhookId: string, id: string, now: number): Promise<boolean> {
      const row = await db
        .updateTable('hook_deliveries')
        .set({ state: 'waiting', attempts: 0, due_at: now, updated_at: now })
        .where('id', '=', id)
        .where('hook_id', '=', webhookId)
        .where('state', '!=', 'waiting')
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Deletes settled deliveries, except the newest ones. */
    async forgetDeliveries(webhookId: string): Promise<void> {
      await db
        .deleteFrom('hook_deliveries')
        .where('hook_id', '=', webhookId)
        .where('state', '!=', 'waiting')
        .where('id', '<=', (inner) =>
          inner
            .selectFrom('hook_deliveries as d')
            .select('d.id')
            .where('d.hook_id', '=', webhookId)
            .orderBy('d.id', 'desc')
            .offset(maxKeptDeliveries)
            .limit(1),
        )
        .execute();
    },
  };
}

function toRow(draft: WebhookDraft) {
  return {
    id: draft.id,
    owner_id: draft.ownerId,
    app_id: draft.appId,
    name: draft.name,
    kind: draft.kind,
    state: draft.state,
    shown_address: draft.shownAddress,
    sealed_address: draft.encryptedAddress,
    sealed_secret: draft.encryptedSecret,
    old_secret_until: draft.oldSecretUntil,
    events: JSON.stringify(draft.subscribedEvents),
  };
}

function toWebhook(row: Selectable<Tables['hooks']>): Webhook {
  return {
    id: row.id,
    ownerId: row.owner_id,
    appId: row.app_id,
    name: row.name,
    kind: row.kind as WebhookKind,
    state: row.state as WebhookState,
    shownAddress: row.shown_address,
    encryptedAddress: row.sealed_address,
    encryptedSecret: row.sealed_secret,
    oldSecretUntil: row.old_secret_until,
    subscribedEvents: readChoice(row.events),
    createdAt: row.created_at,
  };
}

function resultRow({ state, dueAt, status, fault, durationMs }: DeliveryResult) {
  return { state, due_at: dueAt, status, fault, duration_ms: durationMs };
}

const logColumn = (log: WebhookDelivery['attemptLog']) => (log.length === 0 ? null : JSON.stringify(log));

function toDelivery(row: Tables['hook_deliveries']): WebhookDelivery {
  return {
    id: row.id,
    webhookId: row.hook_id,
    event: row.event as DeliveredEvent,
    facts: row.facts,
    state: row.state as DeliveryState,
    attempts: row.attempts,
    dueAt: row.due_at,
    status: row.status,
    fault: row.fault as DeliveryError | null,
    durationMs: row.duration_ms,
    attemptLog: row.attempt_log === null ? [] : (JSON.parse(row.attempt_log) as DeliveryAttempt[]),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
