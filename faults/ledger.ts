/** What clients were told, to be compared with what is there. */

/** `gone`: neither its row nor its blobs are there. */
export type BuildState = 'present' | 'hidden' | 'gone';

export interface KnownBuild {
  packageName: string;
  revision: number;
  sha256: string;
  /** Address of the file, key and all, without the origin. */
  file: string;
  /** Key of the page that the upload named. */
  page: string | null;
  /** What it may be by what clients know; more than one while an answer was missed. */
  allowed: readonly BuildState[];
  /** It was deleted, and the time in which that could be undone is over. */
  expired: boolean;
}

/** Null: the answer that would have told it did not come. */
export interface PageContent {
  accessKey: string | null;
  note: string;
  revision: number | null;
}

export interface KnownPage {
  packageName: string;
  name: string;
  /** It is wholly one of these. */
  allowed: readonly PageContent[];
}

export interface Ledger {
  /** Package names by the SHA-256 of everything that was ever sent whole or in part. */
  sent: Map<string, string>;
  /** By the id of the build. */
  builds: Map<string, KnownBuild>;
  /** By package name and name. */
  pages: Map<string, KnownPage>;
  /** Sessions that were begun, as the header Cookie carries them. */
  cookies: string[];
  /** Answers that clients must not get. */
  wrongAnswers: string[];
  counts: { acknowledged: number; unanswered: number; refused: number };
}

export function openLedger(): Ledger {
  return {
    sent: new Map(),
    builds: new Map(),
    pages: new Map(),
    cookies: [],
    wrongAnswers: [],
    counts: { acknowledged: 0, unanswered: 0, refused: 0 },
  };
}

export const pageName = (packageName: string, name: string) => `${packageName} ${name}`;
