/** The caller: a User, or a Project with its own API key. */
import type { BuildSource } from './build-source.ts';
import type { WorkspaceGate } from './gate/workspace-gate.ts';
import type { Project, User } from './owner.ts';

export type Actor = ({ kind: 'user'; user: User } | { kind: 'project'; project: Project }) & {
  /** Limits the API key to these Owners and Apps; absent for an unrestricted key. */
  restriction?: KeyRestriction;
  /** Workspaces that the session or key may not use; absent if no Workspace of the person has conditions. */
  gate?: WorkspaceGate;
  /** The API key used by the actor; absent for a session. `source`: only for the key of a trusted publisher. */
  key?: { id: string; name: string; source?: BuildSource };
  /** Present if the request only reads, as a GET does. */
  reading?: Reading;
  /** How the request was authenticated; absent for jobs and commands. */
  credential?: Credential;
};

/** A User, by session or key. */
export type UserActor = Extract<Actor, { kind: 'user' }>;
/** What the policies of Workspaces check about a request. Times are epoch milliseconds. */
export interface Credential {
  kind: 'session' | 'key';
  /** When the person signed in, or the secret of the key was created. */
  since: number;
  /** The account of the person has a password but no second factor. */
  passwordAlone: boolean;
  address: string;
  /** The time of the request. */
  at: number;
}

/** A request that only reads. `asAuditor`: the caller may read the place because they audit it, so that its pages show no forms. */
export interface Reading {
  asAuditor: boolean;
}

/** The Owners and Apps that a key gives access to. An App need not exist yet. */
export interface KeyRestriction {
  /** Owner ids. */
  owners: readonly string[];
  apps: readonly RestrictedApp[];
  /** Only uploads to pages with a name that matches; `*` stands for any text. */
  pageNames?: string;
}

export interface RestrictedApp {
  ownerId: string;
  platform: 'android' | 'ios';
  packageName: string;
}

/** Whether the actor's session or key covers the entire Owner. */
export function coversOwner({ restriction, gate }: Actor, ownerId: string): boolean {
  if (gate?.barredProjects.has(ownerId)) return false;
  return !restriction || restriction.owners.includes(ownerId);
}

/** Whether the actor's key covers the Owner or at least one of its Apps. */
export function coversPartOf(actor: Actor, ownerId: string): boolean {
  if (actor.gate?.barredProjects.has(ownerId)) return false;
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

/** Returns the ids of the Owners that the actor's session or key covers; null if it covers all. */
export function coveredOwners(actor: Actor): string[] | null {
  const { restriction, gate } = actor;
  const isBarred = (id: string) => gate?.barredProjects.has(id) === true;
  if (restriction) {
    const apps = restriction.apps.map(({ ownerId }) => ownerId);
    return [...new Set([...restriction.owners, ...apps])].filter((id) => !isBarred(id));
  }
  return gate && gate.bars.size > 0 ? [actorId(actor), ...gate.otherProjects] : null;
}

/** Like `coveredOwners`, for a place that has admitted the actor: other Workspaces that refuse them do not limit it. */
export function coveredByKey({ gate: _, ...ungated }: Actor): string[] | null {
  return coveredOwners(ungated);
}

/** The directory of a Workspace, which provisions people with this token. */
export interface DirectoryActor {
  kind: 'directory';
  token: { id: string; name: string };
}

/** Returns the id of the User or Project. */
export function actorId(actor: Actor): string {
  return actor.kind === 'user' ? actor.user.id : actor.project.id;
}

/** Returns the name shown in the audit log and as "last used". */
export function actorName(actor: Actor): string {
  return actor.kind === 'user' ? actor.user.name : actor.project.name;
}

/** Whether the name of a page matches a pattern, in linear time. */
export function matchesPattern(pattern: string, name: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}
