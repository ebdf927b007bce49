/** Who is calling: a User, or a Project through its own API key. */
import type { Project, User } from './owner.ts';

export type Actor = { kind: 'user'; user: User } | { kind: 'project'; project: Project };

/** The name under which the audit log and `last used` show a caller. */
export function actorName(actor: Actor): string {
  return actor.kind === 'user' ? actor.user.name : actor.project.name;
}
