/** Finds a name or an address in texts that people wrote, which erasure does not change. */
import { sql } from 'kysely';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';

export const mentionQueries = defineQueries(createMentionQueries);

export interface Mention {
  table: string;
  column: string;
  /** The id of the row; of the build for accepted checks. */
  id: string;
  /** The text around it. */
  excerpt: string;
}

/** Tables with the column that identifies a row, and their texts. */
const texts: Readonly<Record<string, readonly [id: string, ...columns: string[]]>> = {
  builds: ['id', 'message', 'label'],
  distribution_pages: ['id', 'release_note'],
  distribution_updates: ['id', 'release_note'],
  feedback: ['id', 'body'],
  feedback_replies: ['id', 'body'],
  check_acceptances: ['build_id', 'reason'],
  projects: ['owner_id', 'description'],
  groups: ['id', 'name'],
  invitations: ['id', 'label'],
  events: ['id', 'data'],
  audit_rows: ['id', 'subject', 'details'],
};

/** The newest rows of each table, so that the search ends on the largest installation. */
export const maxSearchedRows = 200_000;
export const maxMentions = 100;
const excerptCharacters = 40;

function createMentionQueries(db: Queries) {
  return {
    /** Returns at most `maxMentions` per column, newest first. `names`: whole words, in any case. */
    async findMentions(names: readonly string[]): Promise<Mention[]> {
      const found: Mention[] = [];
      for (const [table, [id, ...columns]] of Object.entries(texts)) {
        for (const column of columns) {
          const matches = sql.join(
            names.map((name) => sql`lower(${sql.ref(column)}) like lower(${containing(name)}) escape '!'`),
            sql` or `,
          );
          const { rows } = await sql<{ id: string; text: string }>`
            select ${sql.ref(id)} as id, ${sql.ref(column)} as text from (
              select ${sql.ref(id)}, ${sql.ref(column)} from ${sql.table(table)}
              order by ${sql.ref(id)} desc limit ${maxSearchedRows}
            ) as t where ${matches} order by ${sql.ref(id)} desc limit ${maxMentions}`.execute(db);
          for (const row of rows) {
            const excerpt = excerptOf(row.text, names);
            if (excerpt !== null) found.push({ table, column, id: row.id, excerpt });
          }
        }
      }
      return found;
    },
  };
}

const containing = (name: string) => `%${name.replace(/[!%_]/g, '!$&')}%`;

/** Returns null if the text has the name only as a part of other words. */
function excerptOf(text: string, names: readonly string[]): string | null {
  const searched = text.toLowerCase();
  for (const name of names) {
    const word = name.toLowerCase();
    for (let at = searched.indexOf(word); at >= 0; at = searched.indexOf(word, at + 1)) {
      const end = at + word.length;
      const around = [searched.slice(Math.max(0, at - 2), at), searched.slice(end, end + 2)] as const;
      if (/[\p{L}\p{N}]$/u.test(around[0]) || /^[\p{L}\p{N}]/u.test(around[1])) continue;
      return text.slice(Math.max(0, at - excerptCharacters), end + excerptCharacters).replaceAll(/\s+/g, ' ');
    }
  }
  return null;
}
