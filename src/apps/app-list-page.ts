/** One page of a list of apps, as its address asks for it, and the addresses of its neighbours. */
import type { PageLinks } from '../web/components/paging.tsx';
import type { AppListing, AppListPage, AppPlace } from './app-list-queries.ts';

const appsOnPage = 50;

/** The places come from an address; one that no list gave is none. */
export interface AskedPlace {
  below?: unknown;
  above?: unknown;
}

/**
 * Asks for one more than fit on the page: then there is another. What would be the first page but for some newer ones is
 * the first page, and so is one behind the end.
 */
export async function listAppPage(
  asked: AskedPlace,
  list: (page: AppListPage) => Promise<AppListing[]>,
  link: (place: { below: string } | { above: string }) => string,
): Promise<{ listings: readonly AppListing[]; paging: PageLinks }> {
  const most = appsOnPage + 1;
  const below = readPlace(asked.below);
  const above = below === undefined ? readPlace(asked.above) : undefined;
  const found = await list({ most, below, above });
  const more = found.length > appsOnPage;
  const isFirst = above === undefined ? below === undefined : !more;
  if (!isFirst && found.length > 0)
    return cut(found, { above: above !== undefined, newer: true, more }, link);
  const first = above === undefined && below === undefined ? found : await list({ most });
  return cut(first, { above: false, newer: false, more: first.length > appsOnPage }, link);
}

function cut(
  found: readonly AppListing[],
  { above, newer, more }: { above: boolean; newer: boolean; more: boolean },
  link: (place: { below: string } | { above: string }) => string,
) {
  const listings = above ? found.slice(-appsOnPage) : found.slice(0, appsOnPage);
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

function readPlace(text: unknown): AppPlace | undefined {
  const [, time, id] = (typeof text === 'string' ? placePattern.exec(text) : null) ?? [];
  return time === undefined || id === undefined ? undefined : { lastUploadAt: Number(time), id };
}

const writePlace = ({ lastUploadAt, id }: AppPlace) => `${lastUploadAt}.${id}`;
