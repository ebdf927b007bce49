/** Inserts many Projects of one user, to test lists. */
import { nameKey, type Team, type Workspace } from '../../src/owners/owner.ts';
import type { TestService } from './test-service.ts';

/** Created one after the other, sorted by name, with the user in `team`, and in the Workspace if given. */
export async function addManyProjects(
  { data }: Pick<TestService, 'data'>,
  memberId: string,
  names: readonly string[],
  options: { team?: Team; workspace?: Workspace; description?: string; madeFrom?: number } = {},
): Promise<string[]> {
  const { team = 'developer', workspace = null, description = '', madeFrom = 1 } = options;
  return data.transaction(async (tx) => {
    const ids: string[] = [];
    for (const [index, name] of names.entries()) {
      const row = { name, description, workspace, createdAt: madeFrom + index };
      const { id } = await tx.owners.insertProject(row);
      await tx.owners.addTeamMember(id, team, memberId, 1);
      ids.push(id);
    }
    return ids;
  });
}

/** `prefix-0000` and so on, with the maximum length of a name. */
export function longNames(prefix: string, count: number, length = 64): string[] {
  return Array.from({ length: count }, (_, index) =>
    nameKey(`${prefix}-${String(index).padStart(4, '0')}-`).padEnd(length, 'a-long-name-'),
  );
}
