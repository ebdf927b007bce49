import type { Data } from '../../db/data.ts';
import { nameKey, type Project, type User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';

/** Lists the Projects of the User in any team, testers included, by name and ignoring case. */
export async function listProjects(data: Data, user: User): Promise<Project[]> {
  const projects = await ownerQueries(data).listProjectsOfUser(user.id);
  const keyed = projects.map((project) => ({ project, key: nameKey(project.name) }));
  keyed.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  return keyed.map(({ project }) => project);
}
