/** What a search among the builds of an App looks into. */

/** Of a message; the rest of a longer one is not looked into. */
export const searchedMessageCharacters = 2000;

/** How many revisions one search goes through: what comes behind is asked for by another one. */
export const searchedAtOnce = 20_000;

export interface SpokenFacts {
  versionName: string | null;
  versionCode: string;
  message: string;
  branch: string | null;
  commit: string | null;
  label: string | null;
}

/** In lower case, one fact a line: what is looked for has no line break in it, and so stands in one of them. */
export function wordsOf(facts: SpokenFacts): string {
  const { versionName, versionCode, branch, commit, label } = facts;
  const message = facts.message.slice(0, searchedMessageCharacters);
  return [versionName, versionCode, message, branch, commit, label]
    .filter((text) => text !== null)
    .join('\n')
    .toLowerCase();
}
