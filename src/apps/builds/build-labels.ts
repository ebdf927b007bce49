/** Text that the build search covers. */

/** Length of the searchable part of a message. */
export const maxSearchedMessageLength = 2000;

/** Maximum number of revisions per search request. A further request continues from there. */
export const maxSearchedRevisions = 20_000;

export interface SearchableFacts {
  versionName: string | null;
  versionCode: string;
  message: string;
  branch: string | null;
  commit: string | null;
  label: string | null;
}

/** Lowercase, one value per line. Search terms contain no line breaks, so a match never spans two values. */
export function searchTextOf(facts: SearchableFacts): string {
  const { versionName, versionCode, branch, commit, label } = facts;
  const message = facts.message.slice(0, maxSearchedMessageLength);
  return [versionName, versionCode, message, branch, commit, label]
    .filter((text) => text !== null)
    .join('\n')
    .toLowerCase();
}
