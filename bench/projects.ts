/** Fills a database with Projects of the administrator, every second one in a Workspace. */
import { readConfig } from '../src/config.ts';
import { createData } from '../src/db/data.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { createOwnerOperations } from '../src/owners/create-owners.ts';

export async function fillProjects(settings: Record<string, string>, count: number): Promise<void> {
  const database = await openDatabase(readConfig(settings).database);
  const owners = createOwnerOperations({ data: createData(database), now: Date.now });
  const by = 'command-line';
  await owners.createWorkspace({ name: 'bench', displayName: 'Bench', iconUrl: null, ownerName: null, by });
  for (let number = 0; number < count; number++) {
    const workspaceName = number % 2 === 0 ? 'bench' : null;
    const description = `Project ${number} of the benchmark`;
    await owners.createProject({ name: `bench-${number}`, description, workspaceName, ownerName: null, by });
  }
  await database.close();
}
