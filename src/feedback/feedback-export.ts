/** Exports feedback as CSV for spreadsheets and as JSON lines for programs. */
import type { App } from '../apps/app.ts';
import { csvContentType, csvLine } from '../core/csv.ts';
import type { Data } from '../db/data.ts';
import type { FeedbackFilter, ListedFeedback } from './feedback.ts';
import { feedbackPath } from './feedback-paths.ts';
import { feedbackQueries } from './feedback-queries.ts';

export type FeedbackFormat = 'csv' | 'jsonl';

export const feedbackContentTypes: Readonly<Record<FeedbackFormat, string>> = {
  csv: csvContentType,
  jsonl: 'application/x-ndjson; charset=utf-8',
};

const rowsPerBatch = 200;
const columns = [
  ...(['time', 'status', 'text', 'revision', 'version_name', 'version_code', 'page', 'device'] as const),
  ...(['sender', 'email', 'screenshots', 'url'] as const),
];

/** Yields lines, newest first. Reads them in parts to limit memory. */
export async function* feedbackLines(
  data: Data,
  source: { app: App; filter: FeedbackFilter; origin: string },
  format: FeedbackFormat,
): AsyncGenerator<string> {
  const { app, filter, origin } = source;
  const recordOf = (feedback: ListedFeedback) => ({
    time: new Date(feedback.createdAt).toISOString(),
    status: feedback.status,
    text: feedback.text,
    revision: feedback.revision,
    version_name: feedback.versionName,
    version_code: feedback.versionCode,
    page: feedback.pageName,
    device: feedback.device,
    sender: feedback.sender,
    email: feedback.email,
    screenshots: feedback.screenshots,
    url: `${origin}${feedbackPath(app, feedback.id)}`,
  });
  const lineOf = (feedback: ListedFeedback) => {
    const record = recordOf(feedback);
    return format === 'jsonl'
      ? `${JSON.stringify(record)}\n`
      : csvLine(columns.map((column) => String(record[column] ?? '')));
  };
  if (format === 'csv') yield csvLine(columns);
  let below: string | undefined;
  for (;;) {
    const found = await feedbackQueries(data).list(app.id, filter, { limit: rowsPerBatch, below });
    if (found.length > 0) yield found.map(lineOf).join('');
    below = found.at(-1)?.id;
    if (found.length < rowsPerBatch) return;
  }
}
