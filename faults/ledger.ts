/** The responses that clients received, for comparison with the stored state. */

/** `gone`: neither its row nor its blobs exist. */
export type BuildState = 'present' | 'hidden' | 'gone';

export interface KnownBuild {
  owner: string;
  packageName: string;
  revision: number;
  sha256: string;
  /** Address of the file including its key, without the origin. */
  file: string;
  /** Key of the page that the upload named. */
  page: string | null;
  /** The possible states according to the clients; several after a lost response. */
  allowed: readonly BuildState[];
  /** Whether it was deleted and can no longer be restored. */
  expired: boolean;
}

/** Null: the response was lost. */
export interface PageContent {
  accessKey: string | null;
  note: string;
  revision: number | null;
}

export interface KnownPage {
  packageName: string;
  name: string;
  /** Must match one of these completely. */
  allowed: readonly PageContent[];
}

export interface Ledger {
  /** Package names by the SHA-256 of everything that was sent completely or in part. */
  sent: Map<string, string>;
  /** By build id. */
  builds: Map<string, KnownBuild>;
  /** By package name and page name. */
  pages: Map<string, KnownPage>;
  /** Cookies of all started sessions. */
  cookies: string[];
  /** Responses that clients must not receive. */
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
