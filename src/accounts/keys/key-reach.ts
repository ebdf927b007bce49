/** Where a restricted key acts, in the form people type and read: `crew` for an Owner, `crew/android/com.example.app` for one App. */

import { invalid } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { KeyReach, ReachedApp } from '../../owners/actor.ts';
import type { Owner } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';

/** Each request with the key reads the whole list. */
export const maxReachedPlaces = 50;

const platforms: readonly string[] = ['android', 'ios'] satisfies ReachedApp['platform'][];

/**
 * Returns where a key of `owner` acts, null for an empty list: everywhere. An App need not exist yet, so that its first upload can
 * create it. Throws `invalid` for a place where the Owner of the key could not act anyway.
 */
export async function readReach(
  data: Connection,
  owner: Owner,
  places: readonly string[],
): Promise<KeyReach | null> {
  const given = [...new Set(places.map((place) => place.trim()).filter(Boolean))];
  if (given.length === 0) return null;
  if (given.length > maxReachedPlaces)
    throw invalid(`a key is restricted to at most ${maxReachedPlaces} places`);
  const owners: string[] = [];
  const apps: ReachedApp[] = [];
  for (const place of given) {
    const [name = '', platform, packageName, ...more] = place.split('/');
    const id = await idInReach(data, owner, name);
    if (id === null) throw invalid(`a key of ${owner.name} cannot act for ${name}`);
    if (platform === undefined) owners.push(id);
    else if (isPlatform(platform) && packageName && more.length === 0)
      apps.push({ ownerId: id, platform, packageName });
    else
      throw invalid(`${place} must be an owner, or owner/platform/package with the platform android or ios`);
  }
  return { owners, apps };
}

async function idInReach(data: Connection, owner: Owner, name: string): Promise<string | null> {
  const named = await ownerQueries(data).findOwner(name);
  if (!named) return null;
  if (named.id === owner.id) return named.id;
  if (owner.kind !== 'user' || named.kind !== 'project') return null;
  return (await ownerQueries(data).teamsOf(named.id, owner.id)).length > 0 ? named.id : null;
}

const isPlatform = (text: string): text is ReachedApp['platform'] => platforms.includes(text);

/** Returns the places as they are typed; Owners that were deleted are left out. */
export async function describeReach(data: Data, reach: KeyReach): Promise<string[]> {
  const nameOf = async (id: string) => (await ownerQueries(data).findOwnerById(id))?.name ?? null;
  const owners = await Promise.all(reach.owners.map(nameOf));
  const apps = await Promise.all(
    reach.apps.map(async ({ ownerId, platform, packageName }) => {
      const name = await nameOf(ownerId);
      return name && `${name}/${platform}/${packageName}`;
    }),
  );
  return [...owners, ...apps].filter((place) => place !== null);
}
