import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { AppHeads } from '../apps/app-heads.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import type { Config } from '../config.ts';
import type { Route } from '../http/routes/route.ts';
import { openWebhooks, type WebhookJobHandlers, type WebhooksDeps } from './open-webhooks-http.ts';
import { webhookRoutes } from './webhook-routes.ts';

type WebhookAreaDeps = Omit<WebhooksDeps, 'origin'> & {
  config: Pick<Config, 'publicUrl'>;
  access: RouteAccess;
  viewAccess: ViewAccess;
  appHeads: AppHeads;
};

export interface WebhookArea {
  routes: Route[];
  jobs: WebhookJobHandlers;
}

/** Webhooks of apps and owners, with their pages and deliveries. */
export function createWebhookArea(deps: WebhookAreaDeps): WebhookArea {
  const { handlers, ...webhooks } = openWebhooks({ ...deps, origin: deps.config.publicUrl });
  return { routes: webhookRoutes({ ...deps, ...webhooks }), jobs: handlers };
}
