/** Access rules of webhooks, for people who manage them; everyone else gets `NotFound`. */
import type { PersonRule } from '../accounts/authorization/key-access-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { AppHeads } from '../apps/app-heads.ts';
import { findManagedApp, type PlatformAppAddress } from '../apps/managed-app-access-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { createOwnerAccess } from '../projects/owner-access-http.ts';
import type { Webhook, WebhookDelivery } from './webhook.ts';
import { placeOf } from './webhook-changes.ts';
import type { WebhookPageParent } from './webhook-frame.tsx';
import { webhookQueries } from './webhook-queries.ts';

export interface WebhookSubject {
  home: WebhookPageParent;
  webhook: Webhook;
}

export interface WebhookAccess {
  ofApp: PersonRule<PlatformAppAddress, WebhookPageParent>;
  /** For people who manage the owner and see its apps, because events contain app details. */
  ofOwner(...kinds: ('user' | 'project')[]): PersonRule<{ owner: string }, WebhookPageParent>;
  webhookAt<Params>(
    home: PersonRule<Params, WebhookPageParent>,
  ): PersonRule<Params & { webhook: string }, WebhookSubject>;
}

export function createWebhookAccess(deps: {
  data: Data;
  viewAccess: ViewAccess;
  appHeads: AppHeads;
  access: RouteAccess;
}): WebhookAccess {
  const { data, access } = deps;
  const ownerAccess = createOwnerAccess(deps);
  const people = { credentials: ['session'], others: 'missing', identify: access.person } as const;
  return {
    ofApp: {
      ...people,
      roles: ['developer'],
      authorize: async ({ actor }, address) => {
        const app = await findManagedApp(deps, actor, address);
        return { owner: app.owner, app, head: await deps.appHeads.ofManaged(app) };
      },
    },
    ofOwner: (...kinds) => {
      const rule = ownerAccess.owner(...kinds);
      return {
        ...rule,
        authorize: async (caller, params, request) => {
          const area = await rule.authorize(caller, params, request);
          return { owner: area.owner, app: null, area };
        },
      };
    },
    webhookAt: (home) => ({
      ...home,
      authorize: async (caller, params, request) => {
        const found = await home.authorize(caller, params, request);
        const webhook = await webhookQueries(data).findWebhook(placeOf(found), params.webhook);
        if (!webhook) throw new NotFound();
        return { home: found, webhook };
      },
    }),
  };
}

/** Also throws `NotFound` for a delivery of another webhook. */
export async function findDeliveryOf(
  data: Data,
  webhook: Pick<Webhook, 'id'>,
  id: string,
): Promise<WebhookDelivery> {
  const found = await webhookQueries(data).findDelivery(id);
  if (found?.webhook.id !== webhook.id) throw new NotFound();
  return found.delivery;
}
