/** Restrictions of a key as text: `crew` for an Owner, `crew/android/com.example.app` for one App. */

import { invalid } from '../../core/errors.ts';
import type { Connection } from '../../db/data.ts';
import type { KeyRestriction, RestrictedApp } from '../../owners/actor.ts';
import type { Owner } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { keyTexts } from './key-texts.ts';

/** Limited because each request with the key reads all of them. */
export const maxRestrictionPlaces = 50;

/** A place to choose from. */
export interface ListedPlace {
  /** In the format described above. */
  place: string;
  owner: string;
  /** Null: everything of the owner. */
  app: { platform: string; packageName: string; name: string | null } | null;
}

/** How many places of each kind the form lists. The rest can be typed. */
export const maxListedPlaces = 100;

const platforms: readonly string[] = ['android', 'ios'] satisfies RestrictedApp['platform'][];

/**
 * Parses the restrictions of a key of `owner`; null for an empty list. An App need not exist yet: its first upload can create it.
 * Throws `invalid` for a place where the Owner has no access.
 */
export async function parseRestriction(
  data: Connection,
  owner: Owner,
  places: readonly string[],
): Promise<KeyRestriction | null> {
  const given = [...new Set(places.map((place) => place.trim()).filter(Boolean))];
  if (given.length === 0) return null;
  if (given.length > maxRestrictionPlaces)
    throw invalid(keyTexts.errors.tooManyPlaces({ limit: maxRestrictionPlaces }));
  const owners: string[] = [];
  const apps: RestrictedApp[] = [];
  for (const place of given) {
    const [name = '', platform, packageName, ...more] = place.split('/');
    const id = await placeId(data, owner, name);
    if (id === null) throw invalid(keyTexts.errors.otherOwner({ owner: owner.name, name }));
    if (platform === undefined) owners.push(id);
    else if (isPlatform(platform) && packageName && more.length === 0)
      apps.push({ ownerId: id, platform, packageName });
    else throw invalid(keyTexts.errors.place({ place }));
  }
  return { owners, apps };
}

async function placeId(data: Connection, owner: Owner, name: string): Promise<string | null> {
  const named = await ownerQueries(data).findOwner(name);
  if (!named) return null;
  if (named.id === owner.id) return named.id;
  if (owner.kind !== 'user' || named.kind !== 'project') return null;
  return (await ownerQueries(data).teamsOf(named.id, owner.id)).length > 0 ? named.id : null;
}

const isPlatform = (text: string): text is RestrictedApp['platform'] => platforms.includes(text);

/** Formats the restrictions, leaving out deleted Owners. */
export async function describeRestriction(data: Connection, restriction: KeyRestriction): Promise<string[]> {
  const nameOf = async (id: string) => (await ownerQueries(data).findOwnerById(id))?.name ?? null;
  const owners = await Promise.all(restriction.owners.map(nameOf));
  const apps = await Promise.all(
    restriction.apps.map(async ({ ownerId, platform, packageName }) => {
      const name = await nameOf(ownerId);
      return name && `${name}/${platform}/${packageName}`;
    }),
  );
  return [...owners, ...apps].filter((place) => place !== null);
}
