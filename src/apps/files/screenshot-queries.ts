import type { Queries } from '../../db/database.ts';

/** Returns the keys that a screenshot of feedback references. */
export async function namedScreenshots(db: Queries, keys: readonly string[]): Promise<string[]> {
  const rows = await db.selectFrom('feedback_screenshots').select('blob').where('blob', 'in', keys).execute();
  return rows.map(({ blob }) => blob);
}
