import type { App } from '../apps/app.ts';
import { appFeedbackPath } from '../apps/app-paths.ts';
import type { FeedbackFilter } from './feedback.ts';

export const feedbackPath = (app: Pick<App, 'owner' | 'platform' | 'packageName'>, feedbackId: string) =>
  `${appFeedbackPath(app)}/${encodeURIComponent(feedbackId)}`;

export const screenshotPath = (
  app: Pick<App, 'owner' | 'platform' | 'packageName'>,
  feedbackId: string,
  number: number,
) => `${feedbackPath(app, feedbackId)}/screenshots/${number}`;

/** Returns the query of a filtered list, with `?`; empty without a filter. */
export function filterQuery({ status, revision }: FeedbackFilter, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    ...(status === null ? {} : { status }),
    ...(revision === null ? {} : { revision: String(revision) }),
    ...more,
  });
  return query.size === 0 ? '' : `?${query}`;
}
