/** The text that the build search looks through. */

import type { BuildSource } from '../../owners/build-source.ts';
import { type BuildFields, searchedBuildFields } from '../build-fields.ts';

/** Length of the searchable part of a message. */
export const maxSearchedMessageLength = 2000;

/** Maximum number of revisions per search request. The next request continues from there. */
export const maxSearchedRevisions = 20_000;

export interface SearchableFacts extends BuildFields {
  versionName: string | null;
  versionCode: string;
  message: string;
  source: Pick<BuildSource, 'repository'> | null;
}

/** Lowercase, one value per line. Search terms contain no line breaks, so a match never spans two values. */
export function searchTextOf(facts: SearchableFacts): string {
  const { versionName, versionCode } = facts;
  const message = facts.message.slice(0, maxSearchedMessageLength);
  const repository = facts.source?.repository;
  return [versionName, versionCode, message, ...searchedBuildFields.map((field) => facts[field]), repository]
    .filter((text) => text !== null && text !== undefined)
    .join('\n')
    .toLowerCase();
}
