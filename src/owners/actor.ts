/** Who is calling: a User, or a Project through its own API key. */
import type { Project, User } from './owner.ts';

export type Actor = ({ kind: 'user'; user: User } | { kind: 'project'; project: Project }) & {
  /** Restriction of an API key to these places; absent: anywhere its Owner may act. */
  reach?: KeyReach;
};

/** The Owners and single Apps in which a key acts; an App may not exist yet. */
export interface KeyReach {
  /** Ids. */
  owners: readonly string[];
  apps: readonly ReachedApp[];
}

export interface ReachedApp {
  ownerId: string;
  platform: 'android' | 'ios';
  packageName: string;
}

/** Whether the actor may act on everything that the Owner has. */
export function reachesOwner({ reach }: Actor, ownerId: string): boolean {
  return !reach || reach.owners.includes(ownerId);
}

/** Whether the actor may act on the Owner, or on an App of it. */
export function reachesInto(actor: Actor, ownerId: string): boolean {
  return reachesOwner(actor, ownerId) || actor.reach?.apps.some((app) => app.ownerId === ownerId) === true;
}

export function reachesApp(actor: Actor, app: ReachedApp): boolean {
  return (
    reachesOwner(actor, app.ownerId) ||
    actor.reach?.apps.some(
      (one) =>
        one.ownerId === app.ownerId && one.platform === app.platform && one.packageName === app.packageName,
    ) === true
  );
}

/** The ids of the Owners on which the actor may act; null: no key restricts it. */
export function reachedOwners({ reach }: Actor): string[] | null {
  return reach ? [...new Set([...reach.owners, ...reach.apps.map(({ ownerId }) => ownerId)])] : null;
}

/** The name under which the audit log and `last used` show a caller. */
export function actorName(actor: Actor): string {
  return actor.kind === 'user' ? actor.user.name : actor.project.name;
}
