/** Webhooks and their deliveries in `/api/v1`. */

import * as v from 'valibot';
import type { KeyCaller, UserCaller } from '../../accounts/authorization/key-access-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { appApiPath } from '../../apps/app-api-routes.ts';
import type { PlatformAppAddress } from '../../apps/managed-app-access-http.ts';
import { NotFound } from '../../core/errors.ts';
import { textShape } from '../../core/json-shapes.ts';
import type { Data } from '../../db/data.ts';
import { eventTypes } from '../../events/events.ts';
import { listAnswer } from '../../http/api/pagination.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import {
  maxKeptDeliveries,
  maxWebhookAddressLength,
  maxWebhookNameLength,
  oldSecretHours,
  webhookKinds,
} from '../webhook.ts';
import { findDeliveryOf, type WebhookAccess, type WebhookSubject } from '../webhook-access-http.ts';
import type { WebhookChanges, WebhookParent } from '../webhook-changes.ts';
import { placeOf, webhookLimit } from '../webhook-changes.ts';
import { webhookQueries } from '../webhook-queries.ts';
import {
  choiceShape,
  deliveryJson,
  deliveryShape,
  deliveryWithAttemptsJson,
  deliveryWithAttemptsShape,
  webhookJson,
  webhookShape,
} from './webhook-json.ts';

export interface WebhookApiDeps {
  data: Data;
  access: RouteAccess;
  places: WebhookAccess;
  webhookChanges: WebhookChanges;
  /** Public origin; null if there is none. */
  origin: string | null;
}

type WebhooksPath = '/api/v1/owners/:owner/webhooks' | `${typeof appApiPath}/webhooks`;
/** `Address` is a union of all parameters; each path has those that its rule needs. */
type ByKey<Address, Subject> = Access<Address, KeyCaller & UserCaller, Subject>;

const tag = 'Webhooks';
const name = v.pipe(v.string(), v.maxLength(maxWebhookNameLength));
const url = v.pipe(v.string(), v.maxLength(maxWebhookAddressLength), v.description('https.'));
const kind = v.picklist(webhookKinds);
const events = v.pipe(v.array(choiceShape), v.minLength(1), v.maxLength(eventTypes.length + 1));
const secretShape = v.pipe(
  v.object({ webhook: webhookShape, secret: textShape('Signs the deliveries. Shown only in this answer.') }),
  v.title('WebhookWithSecret'),
);

export function webhookApiRoutes(deps: WebhookApiDeps): Route[] {
  const { access, places } = deps;
  const ofApp = access.byUserKey(places.ofApp);
  const ofOwner = access.byUserKey(places.ofOwner('user', 'project'));
  const appWebhook = access.byUserKey(places.webhookAt(places.ofApp));
  const ownerWebhook = access.byUserKey(places.webhookAt(places.ofOwner('user', 'project')));
  return [
    ...operations(deps, {
      path: '/api/v1/owners/:owner/webhooks',
      idPart: '',
      of: 'an owner',
      home: ofOwner,
      one: ownerWebhook,
    }),
    ...operations(deps, {
      path: `${appApiPath}/webhooks`,
      idPart: 'App',
      of: 'an app',
      home: ofApp,
      one: appWebhook,
    }),
  ];
}

function operations(
  { data, webhookChanges: changes, origin }: WebhookApiDeps,
  place: {
    path: WebhooksPath;
    idPart: string;
    of: string;
    home: ByKey<PlatformAppAddress, WebhookParent>;
    one: ByKey<PlatformAppAddress & { webhook: string }, WebhookSubject>;
  },
): Route[] {
  const { path, idPart, of, home, one } = place;
  const webhook = `${path}/:webhook` as const;
  const reading = { tag, access: one, keyScope: 'read' } as const;
  const changing = { tag, access: one, keyScope: 'manage' } as const;
  const reload = async ({ home: parent, webhook: { id } }: WebhookSubject) => {
    const found = await webhookQueries(data).findWebhook(placeOf(parent), id);
    if (!found) throw new NotFound();
    return webhookJson(found);
  };
  return [
    defineRoute({
      method: 'GET',
      path,
      operationId: `list${idPart}Webhooks`,
      summary: `List the webhooks of ${of}`,
      description: 'All of them, the oldest first.',
      tag,
      access: home,
      keyScope: 'read',
      answer: listAnswer(webhookShape),
      handle: async ({ subject }) => {
        const webhooks = await webhookQueries(data).listWebhooks(placeOf(subject));
        return json({ data: webhooks.map(webhookJson), next_cursor: null });
      },
    }),
    defineRoute({
      method: 'POST',
      path,
      operationId: `create${idPart}Webhook`,
      summary: `Add a webhook to ${of}`,
      tag,
      access: home,
      keyScope: 'manage',
      rateLimit: webhookLimit,
      json: {
        url,
        name: v.optional(name, ''),
        kind: v.optional(kind, 'json'),
        events: v.optional(events, ['build.uploaded']),
      },
      status: 201,
      answer: secretShape,
      handle: async ({ caller, subject, json: given }) => {
        const made = await changes.make(caller.actor.user, subject, given);
        return json({ webhook: webhookJson(made.webhook), secret: made.secret });
      },
    }),
    defineRoute({
      ...reading,
      method: 'GET',
      path: webhook,
      operationId: `get${idPart}Webhook`,
      summary: `Show a webhook of ${of}`,
      answer: webhookShape,
      handle: async ({ subject }) => json(webhookJson(subject.webhook)),
    }),
    defineRoute({
      ...changing,
      method: 'PATCH',
      path: webhook,
      operationId: `update${idPart}Webhook`,
      summary: `Change, pause or resume a webhook of ${of}`,
      rateLimit: webhookLimit,
      json: {
        url: v.optional(url),
        name: v.optional(name),
        kind: v.optional(kind),
        events: v.optional(events),
        state: v.optional(v.picklist(['on', 'off'])),
      },
      answer: webhookShape,
      handle: async ({ caller, subject, json: given }) => {
        const { home: parent, webhook: present } = subject;
        const { state, ...edits } = given;
        await changes.save(caller.actor.user, parent, present, edits, state);
        return json(await reload(subject));
      },
    }),
    defineRoute({
      ...changing,
      method: 'DELETE',
      path: webhook,
      operationId: `delete${idPart}Webhook`,
      summary: `Delete a webhook of ${of}`,
      handle: async ({ caller, subject }) => {
        await changes.remove(caller.actor.user, subject.home, subject.webhook);
        return empty(204);
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${webhook}/secret/rotate`,
      operationId: `rotate${idPart}WebhookSecret`,
      summary: `Rotate the secret of a webhook of ${of}`,
      description: `For ${oldSecretHours} hours, deliveries are signed with both secrets.`,
      rateLimit: webhookLimit,
      json: {},
      answer: secretShape,
      handle: async ({ caller, subject }) => {
        const rotated = await changes.rotateWebhookSecret(caller.actor.user, subject.home, subject.webhook);
        return json({ webhook: webhookJson(rotated.webhook), secret: rotated.secret });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${webhook}/test`,
      operationId: `test${idPart}Webhook`,
      summary: `Send a test event to a webhook of ${of}`,
      rateLimit: webhookLimit,
      json: {},
      answer: deliveryShape,
      handle: async ({ subject }) => {
        await changes.test(subject.home, subject.webhook);
        const [latest] = await webhookQueries(data).listDeliveries(subject.webhook.id, 1);
        if (!latest) throw new NotFound();
        return json(deliveryJson(latest));
      },
    }),
    defineRoute({
      ...reading,
      method: 'GET',
      path: `${webhook}/deliveries`,
      operationId: `list${idPart}WebhookDeliveries`,
      summary: `List the deliveries of a webhook of ${of}`,
      description: `All that are kept, at most ${maxKeptDeliveries}; the newest comes first.`,
      answer: listAnswer(deliveryShape),
      handle: async ({ subject }) => {
        const deliveries = await webhookQueries(data).listDeliveries(subject.webhook.id, maxKeptDeliveries);
        return json({ data: deliveries.map(deliveryJson), next_cursor: null });
      },
    }),
    defineRoute({
      ...reading,
      method: 'GET',
      path: `${webhook}/deliveries/:delivery`,
      operationId: `get${idPart}WebhookDelivery`,
      summary: `Show a delivery to a webhook of ${of}, with its attempts`,
      answer: deliveryWithAttemptsShape,
      handle: async ({ subject, params }) => {
        const delivery = await findDeliveryOf(data, subject.webhook, params.delivery);
        return json(deliveryWithAttemptsJson(subject.webhook, delivery, origin));
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${webhook}/deliveries/:delivery/redeliver`,
      operationId: `redeliver${idPart}Webhook`,
      summary: `Send a delivery to a webhook of ${of} again`,
      rateLimit: webhookLimit,
      json: {},
      answer: v.object({
        waiting: v.pipe(v.boolean(), v.description('False: it is not, or no longer, kept.')),
      }),
      handle: async ({ subject, params }) =>
        json({ waiting: await changes.resendDelivery(subject.home, subject.webhook, params.delivery) }),
    }),
  ];
}
