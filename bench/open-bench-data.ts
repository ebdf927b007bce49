import { readConfig } from '../src/config.ts';
import { createData } from '../src/db/data.ts';
import type { Database } from '../src/db/database.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { ownerQueries } from '../src/owners/owner-queries.ts';

/** Opens the database of a server that has been started once, with its administrator, to be seeded. */
export async function openBenchData(
  settings: Record<string, string>,
): Promise<{ database: Database; ownerId: string }> {
  const database = await openDatabase(readConfig(settings).database);
  const owner = await ownerQueries(createData(database)).findOwner('admin');
  if (!owner) throw new Error('there is no administrator yet');
  return { database, ownerId: owner.id };
}
