/** Pagination of app lists. */
import type { PageLinks } from '../../web/components/paging.tsx';
import type { AppListing, AppListPage, AppPosition } from './app-list-queries.ts';

const appsPerPage = 50;

/** Positions come from the query string; an invalid position is ignored. */
export interface RequestedPosition {
  below?: unknown;
  above?: unknown;
}

/**
 * Queries one row more than fits to detect a next page. Shows the first page instead of a page that only a few newer apps keep
 * from being the first, and instead of a page past the end.
 */
export async function listAppPage(
  asked: RequestedPosition,
  list: (page: AppListPage) => Promise<AppListing[]>,
  link: (place: { below: string } | { above: string }) => string,
): Promise<{ listings: readonly AppListing[]; paging: PageLinks }> {
  const limit = appsPerPage + 1;
  const below = readPlace(asked.below);
  const above = below === undefined ? readPlace(asked.above) : undefined;
  const found = await list({ limit, below, above });
  const more = found.length > appsPerPage;
  const isFirst = above === undefined ? below === undefined : !more;
  if (!isFirst && found.length > 0)
    return cut(found, { above: above !== undefined, newer: true, more }, link);
  const first = above === undefined && below === undefined ? found : await list({ limit });
  return cut(first, { above: false, newer: false, more: first.length > appsPerPage }, link);
}

function cut(
  found: readonly AppListing[],
  { above, newer, more }: { above: boolean; newer: boolean; more: boolean },
  link: (place: { below: string } | { above: string }) => string,
) {
  const listings = above ? found.slice(-appsPerPage) : found.slice(0, appsPerPage);
  const [first, last] = [listings[0], listings.at(-1)];
  return {
    listings,
    paging: {
      newer: newer && first ? link({ above: writePlace(first.app) }) : null,
      older: (above || more) && last ? link({ below: writePlace(last.app) }) : null,
    },
  };
}

const placePattern = /^(\d{1,15})\.([\w-]{1,64})$/;

function readPlace(text: unknown): AppPosition | undefined {
  const [, time, id] = (typeof text === 'string' ? placePattern.exec(text) : null) ?? [];
  return time === undefined || id === undefined ? undefined : { lastUploadAt: Number(time), id };
}

const writePlace = ({ lastUploadAt, id }: AppPosition) => `${lastUploadAt}.${id}`;
