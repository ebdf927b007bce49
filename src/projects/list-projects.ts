/** The Projects that the calling User belongs to. */
import type { Data } from '../data.ts';
import { invalid } from '../errors.ts';
import type { Actor } from '../owners/actor.ts';
import { nameKey, type Project, type User } from '../owners/owner.ts';

/** The User behind a key; throws the documented `requester must be a user` for a Project's key. */
export function requireUser(actor: Actor): User {
  if (actor.kind !== 'user') throw invalid('requester must be a user');
  return actor.user;
}

/** By name, whatever the case; every team counts, testers too. */
export async function listProjects(data: Data, user: User): Promise<Project[]> {
  const projects = await data.owners.listProjectsOfUser(user.id);
  const keyed = projects.map((project) => ({ project, key: nameKey(project.name) }));
  keyed.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  return keyed.map(({ project }) => project);
}
