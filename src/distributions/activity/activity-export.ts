/** Exports activity as CSV for spreadsheets. */
import type { MemberActivityFilter, MemberActivityPosition } from '../../apps/activity/member-activity.ts';
import { memberActivityQueries } from '../../apps/activity/member-activity-queries.ts';
import { csvLine } from '../../core/csv.ts';
import type { Data } from '../../db/data.ts';
import { pageCountQueries } from './page-count-queries.ts';

const rowsPerBatch = 200;

/** Yields the counts of each day by build and page, oldest first. Reads them day by day to limit memory. */
export async function* countLines(
  data: Data,
  appId: string,
  days: readonly string[],
): AsyncGenerator<string> {
  yield csvLine([
    ...['day', 'revision', 'version_name', 'version_code', 'page'],
    ...['opened', 'installs', 'people_signed_in', 'guests'],
  ]);
  for (const day of days) {
    const counts = await pageCountQueries(data).countsOfDay(appId, day);
    const lines = counts.map((count) =>
      csvLine(
        [
          ...[day, count.revision, count.versionName ?? '', count.versionCode, count.page],
          ...[count.views, count.installs, count.members, count.guests],
        ].map(String),
      ),
    );
    if (lines.length > 0) yield lines.join('');
  }
}

const isoTime = (at: number | null) => (at === null ? '' : new Date(at).toISOString());

/** Yields what each person opened and installed, latest first. Reads it in parts to limit memory. */
export async function* peopleLines(data: Data, filter: MemberActivityFilter): AsyncGenerator<string> {
  yield csvLine([
    ...['person', 'revision', 'version_name', 'version_code', 'page', 'installed_at', 'installs'],
    ...['opened_at', 'opens', 'system', 'model'],
  ]);
  let before: MemberActivityPosition | undefined;
  for (;;) {
    const rows = await memberActivityQueries(data).list(filter, {
      limit: rowsPerBatch,
      ...(before ? { before } : {}),
    });
    const lines = rows.map((row) =>
      csvLine(
        [
          ...[row.userName, row.revision, row.versionName ?? '', row.versionCode, row.page?.name ?? ''],
          ...[isoTime(row.installedAt), row.installs, isoTime(row.openedAt), row.opens],
          ...[row.system, row.model ?? ''],
        ].map(String),
      ),
    );
    if (lines.length > 0) yield lines.join('');
    before = rows.at(-1);
    if (rows.length < rowsPerBatch) return;
  }
}
