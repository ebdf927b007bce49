/** Where somebody uploads to from a browser: an Owner, or one App of it. */
import { findManagedApp } from '../apps/managed-app-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import type { Data } from '../data.ts';
import { notFound } from '../errors.ts';
import type { Actor } from '../owners/actor.ts';
import type { Owner, User } from '../owners/owner.ts';
import { canUpload } from '../owners/permissions.ts';
import { listProjects } from '../projects/list-projects.ts';
import type { UploadPlace } from './browser-upload-page.tsx';

export interface PlaceAddress {
  owner: string;
  platform?: string;
  package?: string;
}

/** More of an App's pages are reached by their name. */
const maxListedPages = 100;

/** Throws `not_found` for those who may not upload there. */
export async function findUploadPlace(
  { data, viewAccess }: { data: Data; viewAccess: ViewAccess },
  actor: Actor,
  address: PlaceAddress & { kind?: Owner['kind'] },
): Promise<UploadPlace> {
  const missing = () => notFound('there is nothing at this address');
  if (address.platform === undefined || address.package === undefined) {
    const visible = await viewAccess.owner(actor, address.owner);
    if (!visible || !canUpload(actor, visible.owner, visible.teams)) throw missing();
    if (address.kind && visible.owner.kind !== address.kind) throw missing();
    return { owner: visible.owner, app: null, pages: [] };
  }
  const { platform, package: packageName } = address;
  const app = await findManagedApp({ data, viewAccess }, actor, {
    owner: address.owner,
    platform,
    package: packageName,
  });
  const owner = await data.owners.findOwnerById(app.owner.id);
  if (!owner) throw missing();
  const pages = await data.distributions.listPages(app.id, maxListedPages);
  return { owner, app, pages: pages.map(({ accessKey, name }) => ({ accessKey, name })) };
}

/** The User first, then the Projects in whose owner or developer team the User is, by name. */
export async function listUploadPlaces(data: Data, user: User): Promise<Owner[]> {
  const actor = { kind: 'user' as const, user };
  const projects = await listProjects(data, user);
  const mine = await Promise.all(
    projects.map(async (project) =>
      canUpload(actor, project, await data.owners.teamsOf(project.id, user.id)),
    ),
  );
  return [user, ...projects.filter((_, index) => mine[index])];
}
