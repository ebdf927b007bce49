/** Paths of the webhook pages. */

import type { App } from '../apps/app.ts';
import { appWebhooksPath } from '../apps/app-paths.ts';
import { ownerWebhooksPath } from '../owners/owner-paths.ts';

export const webhooksPath = (home: {
  owner: { kind: 'user' | 'project'; name: string };
  app: Pick<App, 'owner' | 'platform' | 'packageName'> | null;
}) => (home.app ? appWebhooksPath(home.app) : ownerWebhooksPath(home.owner));
export const webhookPath = (home: Parameters<typeof webhooksPath>[0], webhookId: string) =>
  `${webhooksPath(home)}/${encodeURIComponent(webhookId)}`;
export const deliveryPath = (home: Parameters<typeof webhooksPath>[0], webhookId: string, id: string) =>
  `${webhookPath(home, webhookId)}/deliveries/${encodeURIComponent(id)}`;
