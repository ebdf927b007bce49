/** Makes every free text in a database hostile, and its counts large. */
import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import { describeTables } from '../../src/db/describe-tables.ts';
import { attack } from '../web/hostile.ts';

/** Follows every text: letters of three scripts, a family of emoji, a mark that reverses the line, and a word without a break. */
const hostileEnd = ` مراقبة 潮汐 👩‍👩‍👧‍👦 \u202E${'Wide'.repeat(40)} ${attack}`;

/**
 * Columns whose values the program creates, parses or compares, by name or with their table. All others are free text, also those
 * that are new.
 */
const structured = new RegExp(
  `^(${[
    // Identifiers, digests, tokens, encrypted values and names of files.
    '\\w+\\.(\\w+_)?(id|key|hash|secret|sha256|md5|blob|ticket|visitor|salt|udid|digest|certificate|answer)',
    '\\w+\\.(sealed_|encrypted_)\\w+',
    // One of a list.
    '\\w+\\.(\\w+_)?(kind|state|platform|team|access|action|origin|day|type|event|events|scopes|status|language|accent|transports)',
    // In addresses, by rule without hostile characters.
    '(owners|workspaces)\\.name',
    'apps\\.package_name',
    'api_keys\\.(restricted_to|created_by|source)',
    'trusted_publishers\\.(created_by|provider|issuer|rules|pinned)',
    'builds\\.source',
    'invitations\\.invited_by',
    'branding\\.(support|logo|logo_name)',
    'workspaces\\.icon_url',
    // Read by the program.
    '\\w+\\.(retention|payload|networks)',
    'attempts\\.subject',
    'build_words\\.words',
    'builds\\.(damage|signer)',
    'devices\\.(product|browser)',
    'events\\.(app|data)',
    'hook_deliveries\\.facts',
    'schema_migrations\\.name',
    'users\\.totp_secret',
  ].join('|')})$`,
);
/** Values in JSON that are one of a list, numbers or times. */
const structuredFields =
  /^(platform|packageName|schemes|deviceFamilies|kind|type|.*(At|From|Until)|.*[sS]dkVersion|sha1|sha256|\w+Id)$/;

/** Counts without a limit; as sums of twelve digits they are the longest numbers of pages. */
const counters: Readonly<Record<string, readonly string[]>> = {
  page_counts: ['times', 'people'],
  install_systems: ['installs'],
};
const largeCount = 123_456_789_012;

type Row = Record<string, unknown>;

export async function makeTextsHostile(database: Database): Promise<void> {
  const tables = await describeTables(database);
  await database.queries.transaction().execute(async (queries) => {
    for (const [table, columns] of Object.entries(counters))
      for (const column of columns)
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${largeCount}`.execute(queries);
    for (const { name: table, columns, primaryKey } of tables) {
      const free = columns.filter((column) => !structured.test(`${table}.${column}`));
      const { rows } = await sql<Row>`select * from ${sql.table(table)}`.execute(queries);
      for (const row of rows) {
        const texts = free.filter((column) => typeof row[column] === 'string' && row[column] !== '');
        if (texts.length === 0) continue;
        const changes = texts.map((column) => sql`${sql.ref(column)} = ${hostile(String(row[column]))}`);
        const matches = primaryKey.map((column) => sql`${sql.ref(column)} = ${row[column]}`);
        await sql`update ${sql.table(table)} set ${sql.join(changes)} where ${sql.join(matches, sql` and `)}`.execute(
          queries,
        );
      }
    }
  });
}

function hostile(text: string): string {
  return /^[[{]/.test(text) ? JSON.stringify(withHostileTexts(JSON.parse(text))) : `${text}${hostileEnd}`;
}

function withHostileTexts(value: unknown): unknown {
  if (typeof value === 'string') return `${value}${hostileEnd}`;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withHostileTexts);
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    structuredFields.test(name) ? field : withHostileTexts(field),
  ]);
  return Object.fromEntries(fields);
}
