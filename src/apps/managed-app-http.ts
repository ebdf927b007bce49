/** The App that an address names, for those who manage it; for everybody else it is not there. */
import type { Data } from '../data.ts';
import { NotFound } from '../errors.ts';
import type { Actor } from '../owners/actor.ts';
import type { App } from './app.ts';
import type { ViewAccess } from './view-access.ts';

export interface PlatformAppAddress {
  owner: string;
  platform: string;
  package: string;
}

export async function findManagedApp(
  { data, viewAccess }: { data: Data; viewAccess: ViewAccess },
  actor: Actor,
  address: PlatformAppAddress,
): Promise<App> {
  const platform = address.platform.toLowerCase();
  const known = platform === 'android' || platform === 'ios' ? platform : null;
  const owner = known && (await data.owners.findOwner(address.owner));
  const app = owner && (await data.apps.findApp(owner.id, known, address.package));
  if (!app || !(await viewAccess.manages(actor, app))) throw new NotFound();
  return app;
}
