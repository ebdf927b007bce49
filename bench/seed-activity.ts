/** Everything besides the builds of the large app: testers, activity, counts, feedback, emails and webhook deliveries. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../src/db/database.ts';
import { beganAt, id, prefix, seededPlaces } from './seed-builds.ts';
import { numbersOf } from './seed-numbers.ts';

export const seededHook = `${prefix}hook`;
/** How many of each, the newest in the large App. */
const activeBuilds = 20;
const countedDays = 30;
const perPerson = 10;

/** The installation must have been seeded with `people` people. */
export async function seedActivity(database: Database, adminId: string, people: number): Promise<void> {
  const numbers = numbersOf(database.dialect);
  const n = sql.ref('n');
  const app = sql.lit(seededPlaces.bigAppId);
  const page = sql.lit(seededPlaces.mainPageId);
  const person = (number: RawBuilder<unknown>) => id(numbers, 'u', number);
  const everyone = numbers.from([0, people]);
  const many = numbers.from([0, people * perPerson]);
  const newest = sql`(select id, revision from builds where app_id = ${app} order by revision desc limit ${sql.lit(activeBuilds)}) as b`;
  const newestBuild = sql`(select id from builds where app_id = ${app} order by revision desc limit 1)`;
  const recently = sql`${sql.lit(Date.now())} - (n + b.revision * 60000)`;
  const days = Array.from({ length: countedDays }, (_, at) =>
    new Date(Date.now() - at * 86_400_000).toISOString().slice(0, 10),
  );
  const facts = { current: { id: 'event', owner: 'bench', data: {} } };
  const about = { app: 'Bench', versionName: '1.0', versionCode: '1', platform: 'android' };
  const statements = [
    sql`insert into app_testers (app_id, user_id, created_at) select ${app}, ${person(n)}, ${sql.lit(beganAt)} from ${everyone}`,
    sql`insert into member_activity (id, app_id, build_id, page_id, user_id, system, model, opens, opened_at, installs,
        first_installed_at, installed_at, last_at)
      select ${id(numbers, 'v', sql`(n * 100000 + b.revision)`)}, ${app}, b.id, ${page}, ${person(n)}, 'Android 16', 'Pixel 9',
        2, ${recently}, 1, ${recently}, ${recently}, ${recently} from ${everyone} cross join ${newest}`,
    ...days.flatMap((day) =>
      ['view', 'install'].map(
        (kind) => sql`insert into page_counts (page_id, build_id, day, platform, kind, times, people, members)
          select ${page}, b.id, ${day}, 'android', ${kind}, 20, 10, 5 from ${newest}`,
      ),
    ),
    sql`insert into feedback (id, app_id, build_id, page_id, page_name, body, device, state, created_at, updated_at)
      select ${id(numbers, 'f', n)}, ${app}, ${newestBuild}, ${page}, 'main', 'The map stays gray until it is opened again.',
        'Pixel 9', 'new', ${sql.lit(beganAt)} + n, ${sql.lit(beganAt)} + n from ${many}`,
    sql`insert into mails (id, user_id, build_id, page_id, address, state, attempts, about, created_at, updated_at)
      select ${id(numbers, 'l', sql`(n * 100000 + b.revision)`)}, ${person(n)}, b.id, ${page}, 'person-' || n || '@example.com',
        'sent', 1, ${sql.lit(JSON.stringify(about))}, ${sql.lit(beganAt)}, ${sql.lit(beganAt)}
      from ${everyone} cross join ${newest}`,
    sql`insert into hooks (id, owner_id, app_id, name, kind, state, shown_address, sealed_address, sealed_secret,
        events, created_at)
      values (${seededHook}, ${adminId}, ${app}, 'chat', 'json', 'on', 'https://example.com', '', '', '["*"]', ${beganAt})`,
    sql`insert into hook_deliveries (id, hook_id, event_id, event, facts, state, attempts, due_at, status, duration_ms,
        created_at, updated_at)
      select ${id(numbers, 'y', n)}, ${seededHook}, ${id(numbers, 'z', n)}, 'page.published', ${sql.lit(JSON.stringify(facts))}, 'sent', 1,
        ${sql.lit(beganAt)}, 200, 12, ${sql.lit(beganAt)} + n, ${sql.lit(beganAt)} + n from ${many}`,
  ];
  for (const statement of statements) await statement.execute(database.queries);
  if (database.dialect === 'postgres') await sql`analyze`.execute(database.queries);
}
