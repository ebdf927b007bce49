import * as v from 'valibot';
import type { Person } from '../accounts/authorization/identify-http.ts';
import type { PersonRule } from '../accounts/authorization/key-access-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { AppHeads } from '../apps/app-heads.ts';
import type { PlatformAppAddress } from '../apps/managed-app-access-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import type { Data } from '../db/data.ts';
import { html, redirect } from '../http/routes/answer.ts';
import { lenient, many } from '../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../http/routes/route.ts';
import { webhookApiRoutes } from './api/webhook-api-routes.ts';
import { renderDeliveryPage } from './delivery-page.tsx';
import { eventApiRoutes } from './events/event-api-routes.ts';
import { maxShownDeliveries, maxWebhookNameLength, type Webhook } from './webhook.ts';
import {
  createWebhookAccess,
  findDeliveryOf,
  type WebhookAccess,
  type WebhookSubject,
} from './webhook-access-http.ts';
import { placeOf, type WebhookChanges, webhookLimit } from './webhook-changes.ts';
import { newWebhook, type WebhookValues, webhookValuesOf } from './webhook-form.ts';
import { renderWebhookPage, type WebhookPageParent, type WebhookPageProps } from './webhook-page.tsx';
import { deliveryPath, webhookPath, webhooksPath } from './webhook-paths.ts';
import { webhookQueries } from './webhook-queries.ts';
import { webhookTexts } from './webhook-texts.ts';
import { renderWebhooksPage, type WebhooksPageProps } from './webhooks-page.tsx';

export interface WebhookRouteDeps {
  data: Data;
  access: RouteAccess;
  viewAccess: ViewAccess;
  appHeads: AppHeads;
  webhookChanges: WebhookChanges;
  now: () => number;
  /** Whether the stored URL and secret can be decrypted. */
  isReadable: (webhook: Webhook) => boolean;
  /** Public origin; null if there is none, in which case messages contain no links. */
  origin: string | null;
}

type HomeContext = RouteContext<Person, WebhookPageParent>;
type WebhookContext = RouteContext<Person, WebhookSubject>;
type SuccessMessage = 'tested' | keyof Omit<typeof webhookTexts.done, 'deleted'>;

const successMessagesShown: readonly SuccessMessage[] = ['tested', 'saved', 'again', 'paused', 'resumed'];

/** The raw fields. `webhook-form.ts` validates them against the current webhook. */
const webhookFields = {
  name: v.string(),
  url: v.string(),
  kind: v.optional(v.string(), ''),
  subscription: v.optional(v.string(), ''),
  event: many(v.pipe(v.string(), v.maxLength(maxWebhookNameLength))),
};
/** `event`: one per line if it was invalid. */
type WebhookTexts = Record<'name' | 'url' | 'kind' | 'subscription', string> & {
  event: string | string[];
};

const submittedOfFields = ({ name, url, kind, subscription, event }: WebhookTexts): WebhookValues => ({
  name,
  url,
  kind,
  events:
    subscription === 'all' ? ['*'] : (typeof event === 'string' ? event.split('\n') : event).filter(Boolean),
});

/** Routes of webhooks: of an app, for people who manage it, and of an owner, for people who manage it and see its apps. */
export function webhookRoutes(deps: WebhookRouteDeps): Route[] {
  const places = createWebhookAccess(deps);
  return [
    ...webhookApiRoutes({ ...deps, places }),
    ...eventApiRoutes({ ...deps, places }),
    ...routesAt(deps, places, '/users/:owner/platforms/:platform/apps/:package/hooks', {
      access: places.ofApp,
      of: 'an app',
    }),
    ...routesAt(deps, places, '/organizations/:owner/hooks', {
      access: places.ofOwner('project'),
      of: 'a Project',
    }),
    ...routesAt(deps, places, '/users/:owner/hooks', { access: places.ofOwner('user'), of: 'a user' }),
  ];
}

type WebhooksAddress =
  | '/users/:owner/platforms/:platform/apps/:package/hooks'
  | '/organizations/:owner/hooks'
  | '/users/:owner/hooks';

function routesAt(
  deps: WebhookRouteDeps,
  { webhookAt }: WebhookAccess,
  address: WebhooksAddress,
  { access, of }: { access: PersonRule<PlatformAppAddress, WebhookPageParent>; of: string },
): Route[] {
  const { webhookChanges: changes } = deps;
  const page = `${address}/:webhook` as const;
  const action = { method: 'POST', access: webhookAt(access), page } as const;
  const back = ({ home, webhook }: WebhookSubject, done: SuccessMessage) =>
    redirect(`${webhookPath(home, webhook.id)}?done=${done}`);
  return [
    defineRoute({
      method: 'GET',
      path: address,
      summary: `List the webhooks of ${of}`,
      access,
      query: { done: lenient(v.literal('deleted')) },
      handle: async (context) => {
        const done = context.query.done === undefined ? null : webhookTexts.done.deleted;
        return html(await renderWebhooks(deps, context, { done }));
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${address}/create`,
      summary: `Add a webhook to ${of}`,
      access,
      reauthentication: true,
      rateLimit: webhookLimit,
      page: address,
      form: webhookFields,
      handle: async (context) => {
        const { caller, subject: home, form } = context;
        const { webhook, secret } = await changes.make(caller.actor.user, home, submittedOfFields(form));
        return html(await renderWebhook(deps, context, { home, webhook }, { secret }));
      },
      renderErrors: async ({ errors, submitted }, context) =>
        renderWebhooks(deps, context, { submitted: submittedOfFields(submitted), errors }),
    }),
    defineRoute({
      method: 'GET',
      path: page,
      summary: `Show a webhook of ${of}`,
      access: webhookAt(access),
      query: { done: lenient(v.picklist(successMessagesShown)) },
      handle: async (context) => html(await renderWebhook(deps, context, context.subject, context.query)),
    }),
    defineRoute({
      ...action,
      path: `${page}/save`,
      summary: `Save a webhook of ${of}`,
      reauthentication: true,
      rateLimit: webhookLimit,
      form: webhookFields,
      handle: async (context) => {
        const { caller, subject, form } = context;
        const { home } = subject;
        const saved = await changes.save(caller.actor.user, home, subject.webhook, submittedOfFields(form));
        if (saved.secret === null) return back(subject, 'saved');
        return html(
          await renderWebhook(deps, context, { home, webhook: saved.webhook }, { secret: saved.secret }),
        );
      },
      renderErrors: async ({ errors, submitted }, context) =>
        renderWebhook(deps, context, context.subject, { submitted: submittedOfFields(submitted), errors }),
    }),
    defineRoute({
      ...action,
      path: `${page}/rotate-secret`,
      summary: `Rotate the secret of a webhook of ${of}`,
      reauthentication: true,
      rateLimit: webhookLimit,
      form: {},
      handle: async (context) => {
        const { caller, subject } = context;
        const { home } = subject;
        const rotated = await changes.rotateWebhookSecret(caller.actor.user, home, subject.webhook);
        return html(
          await renderWebhook(deps, context, { home, webhook: rotated.webhook }, { secret: rotated.secret }),
        );
      },
    }),
    defineRoute({
      ...action,
      path: `${page}/pause`,
      summary: `Pause a webhook of ${of}`,
      reauthentication: false,
      rateLimit: webhookLimit,
      form: {},
      handle: async ({ caller, subject }) => {
        await changes.save(caller.actor.user, subject.home, subject.webhook, {}, 'off');
        return back(subject, 'paused');
      },
    }),
    defineRoute({
      ...action,
      path: `${page}/resume`,
      summary: `Resume a webhook of ${of}`,
      reauthentication: false,
      rateLimit: webhookLimit,
      form: {},
      handle: async ({ caller, subject }) => {
        await changes.save(caller.actor.user, subject.home, subject.webhook, {}, 'on');
        return back(subject, 'resumed');
      },
    }),
    defineRoute({
      ...action,
      path: `${page}/test`,
      summary: `Send a test event to a webhook of ${of}`,
      reauthentication: false,
      rateLimit: webhookLimit,
      form: {},
      handle: async ({ subject }) => {
        await changes.test(subject.home, subject.webhook);
        return back(subject, 'tested');
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${page}/deliveries/:delivery`,
      summary: `Show a delivery to a webhook of ${of}`,
      access: webhookAt(access),
      query: { done: lenient(v.literal('again')) },
      handle: async ({ frame, subject, params, query }) => {
        const delivery = await findDeliveryOf(deps.data, subject.webhook, params.delivery);
        const done = query.done ? webhookTexts.done.again : null;
        return html(renderDeliveryPage({ frame, ...subject, delivery, origin: deps.origin, done }));
      },
    }),
    defineRoute({
      ...action,
      path: `${page}/deliveries/:delivery/retry`,
      summary: `Retry a delivery to a webhook of ${of}`,
      reauthentication: false,
      rateLimit: webhookLimit,
      form: { to: lenient(v.literal('delivery')) },
      handle: async ({ subject, params, form }) => {
        const { home, webhook } = subject;
        const page =
          form.to === undefined
            ? webhookPath(home, webhook.id)
            : deliveryPath(home, webhook.id, params.delivery);
        const isResent = await changes.resendDelivery(home, webhook, params.delivery);
        return redirect(`${page}${isResent ? '?done=again' : ''}`);
      },
    }),
    defineRoute({
      ...action,
      path: `${page}/delete`,
      summary: `Delete a webhook of ${of}`,
      reauthentication: false,
      form: {},
      handle: async ({ caller, subject: { home, webhook } }) => {
        await changes.remove(caller.actor.user, home, webhook);
        return redirect(`${webhooksPath(home)}?done=deleted`);
      },
    }),
  ];
}

async function renderWebhooks(
  { data, origin }: WebhookRouteDeps,
  { frame, subject: home }: HomeContext,
  shown: Partial<Pick<WebhooksPageProps, 'submitted' | 'errors' | 'done'>>,
): Promise<string> {
  const webhooks = [];
  for (const webhook of await webhookQueries(data).listWebhooks(placeOf(home))) {
    const [last] = await webhookQueries(data).listDeliveries(webhook.id, 1);
    webhooks.push({ webhook, last: last ?? null });
  }
  return renderWebhooksPage({
    frame,
    home,
    webhooks,
    hasOrigin: origin !== null,
    submitted: newWebhook,
    errors: {},
    done: null,
    ...shown,
  });
}

async function renderWebhook(
  { data, isReadable }: WebhookRouteDeps,
  { frame }: Pick<WebhookContext, 'frame'>,
  { home, webhook }: WebhookSubject,
  {
    done,
    ...shown
  }: Partial<Pick<WebhookPageProps, 'submitted' | 'errors' | 'secret'>> & {
    done?: SuccessMessage | undefined;
  },
): Promise<string> {
  return renderWebhookPage({
    frame,
    home,
    webhook,
    readable: isReadable(webhook),
    deliveries: await webhookQueries(data).listDeliveries(webhook.id, maxShownDeliveries),
    submitted: webhookValuesOf(webhook),
    errors: {},
    secret: null,
    tested: done === 'tested',
    done: done === undefined || done === 'tested' ? null : webhookTexts.done[done],
    ...shown,
  });
}
