/** Where somebody uploads to from a browser: an Owner, or one App of it. */
import { uploadPath } from '../apps/addresses.ts';
import { findManagedApp } from '../apps/managed-app-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import type { Data } from '../data.ts';
import { NotFound } from '../errors.ts';
import type { Actor } from '../owners/actor.ts';
import type { Owner, User } from '../owners/owner.ts';
import { canUpload, uploadingTeams } from '../owners/permissions.ts';
import { type AskedNames, listByName } from '../projects/list-by-name-http.ts';
import type { UploadPlace } from './browser-upload-page.tsx';
import type { FoundPlaces } from './upload-places-page.tsx';

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
  const missing = () => new NotFound();
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

/** The Projects in whose owner or developer team the User is, by name; before the first of them stands the User. */
export async function listUploadPlaces(
  { projectLists }: Data,
  user: User,
  asked: AskedNames,
): Promise<FoundPlaces> {
  const { items, ...found } = await listByName(
    asked,
    uploadPath,
    (words, page) => projectLists.listProjects({ memberId: user.id, teams: uploadingTeams }, words, page),
    ({ project }) => project.name,
  );
  const begins = found.query === '' && found.paging.newer === null;
  return { ...found, owners: [...(begins ? [user] : []), ...items.map(({ project }) => project)] };
}
