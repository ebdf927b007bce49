import type { Build } from '../app.ts';

/** Stored in place of the name of the person who deleted a build. User names never contain a space. */
export const retentionRuleName = 'the retention rule';

/** A deleted build that can still be restored. */
export interface DeletedBuild {
  build: Build;
  deletedAt: number;
  /** Name of the person who deleted it, or `retentionRuleName`. */
  deletedBy: string;
}

export interface LockedBuild {
  id: string;
  revision: number;
  protected: boolean;
  createdAt: number;
  deletedAt: number | null;
}

/** A page, open or closed, that serves a build. */
export interface BlockingPage {
  buildId: string;
  name: string;
  accessKey: string;
}

/** The objects that are deleted with an app. */
export interface AppContents {
  builds: number;
  protectedBuilds: number;
  /** Size of packages and simulator builds, including deleted builds that still use storage. */
  bytes: number;
  /** Names of distribution pages, up to the requested number. */
  pageNames: string[];
  pages: number;
  testers: number;
}
