/** Who is calling: a User, or a Project through its own API key. */
import type { Project, User } from './owner.ts';

export type Actor = ({ kind: 'user'; user: User } | { kind: 'project'; project: Project }) & {
  /** Limits an API key to these Owners and Apps; absent for an unrestricted key. */
  restriction?: KeyRestriction;
  /** The API key with which the actor called; absent for a session. */
  key?: { id: string; name: string };
};

/** The Owners and Apps in which a key may act. An App may not exist yet. */
export interface KeyRestriction {
  /** Owner ids. */
  owners: readonly string[];
  apps: readonly RestrictedApp[];
}

export interface RestrictedApp {
  ownerId: string;
  platform: 'android' | 'ios';
  packageName: string;
}

/** Whether the actor's key covers everything of the Owner. */
export function coversOwner({ restriction }: Actor, ownerId: string): boolean {
  return !restriction || restriction.owners.includes(ownerId);
}

/** Whether the actor's key covers the Owner or at least one of its Apps. */
export function coversPartOf(actor: Actor, ownerId: string): boolean {
  return (
    coversOwner(actor, ownerId) || actor.restriction?.apps.some((app) => app.ownerId === ownerId) === true
  );
}

export function coversApp(actor: Actor, app: RestrictedApp): boolean {
  return (
    coversOwner(actor, app.ownerId) ||
    actor.restriction?.apps.some(
      (one) =>
        one.ownerId === app.ownerId && one.platform === app.platform && one.packageName === app.packageName,
    ) === true
  );
}

/** Returns the ids of the Owners that the actor's key covers; null for no restriction. */
export function coveredOwners({ restriction }: Actor): string[] | null {
  return restriction
    ? [...new Set([...restriction.owners, ...restriction.apps.map(({ ownerId }) => ownerId)])]
    : null;
}

/** Returns the id of the Owner who calls. */
export function actorId(actor: Actor): string {
  return actor.kind === 'user' ? actor.user.id : actor.project.id;
}

/** Returns the name that the audit log and "last used" show. */
export function actorName(actor: Actor): string {
  return actor.kind === 'user' ? actor.user.name : actor.project.name;
}
