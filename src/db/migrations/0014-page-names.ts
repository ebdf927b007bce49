import { type Kysely, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

interface PageRow {
  id: string;
  app_id: string;
  name: string;
}

const pagesPerBatch = 1000;
const nameCharacters = 255;

/**
 * Trims names of distribution pages and normalizes them to NFC. If two pages of an App then have the same name, the
 * older one keeps it; the others get a number, and their keys and links do not change.
 */
export async function up(db: Schema): Promise<void> {
  for (const appId of await appsToRename(db)) {
    const { rows } = await sql<PageRow>`
      select id, app_id, name from distribution_pages where app_id = ${appId} order by created_at, id`.execute(
      db,
    );
    const renamed = newNames(rows).filter(({ row, name }) => row.name !== name);
    // A page may take the name that another page gives up, so all renamed pages first get temporary names.
    for (const { row } of renamed) await rename(db, row.id, `renaming ${row.id}`);
    for (const { row, name } of renamed) await rename(db, row.id, name);
  }
}

/** In code: SQLite does not support NFC. */
async function appsToRename(db: Schema): Promise<Set<string>> {
  const found = new Set<string>();
  for (let last = ''; ; ) {
    const { rows } = await sql<PageRow>`
      select id, app_id, name from distribution_pages where id > ${last} order by id limit ${pagesPerBatch}`.execute(
      db,
    );
    for (const { app_id, name } of rows) if (normalized(name) !== name) found.add(app_id);
    const end = rows.at(-1);
    if (!end || rows.length < pagesPerBatch) return found;
    last = end.id;
  }
}

const normalized = (name: string) => name.normalize('NFC').trim() || 'Untitled';

/** Oldest first. */
function newNames(rows: readonly PageRow[]): { row: PageRow; name: string }[] {
  const firsts = new Map<string, PageRow>();
  for (const row of rows) {
    const name = normalized(row.name);
    if (!firsts.has(name)) firsts.set(name, row);
  }
  const taken = new Set(firsts.keys());
  return rows.map((row) => {
    const wanted = normalized(row.name);
    if (firsts.get(wanted) === row) return { row, name: wanted };
    const name = numbered(wanted, taken);
    taken.add(name);
    return { row, name };
  });
}

function numbered(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number++) {
    const suffix = ` (${number})`;
    const candidate = [...name].slice(0, nameCharacters - suffix.length).join('') + suffix;
    if (!taken.has(candidate)) return candidate;
  }
}

async function rename(db: Schema, id: string, name: string): Promise<void> {
  await sql`update distribution_pages set name = ${name} where id = ${id}`.execute(db);
}
