/** Addresses of the pages about hooks, as paths. */

import type { App } from '../apps/app.ts';
import { appHooksPath } from '../apps/app-addresses.ts';
import { ownerHooksPath } from '../owners/owner-addresses.ts';

export const hooksPath = (home: {
  owner: { kind: 'user' | 'project'; name: string };
  app: Pick<App, 'owner' | 'platform' | 'packageName'> | null;
}) => (home.app ? appHooksPath(home.app) : ownerHooksPath(home.owner));
export const hookPath = (home: Parameters<typeof hooksPath>[0], hookId: string) =>
  `${hooksPath(home)}/${encodeURIComponent(hookId)}`;
