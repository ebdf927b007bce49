import type { Build } from '../app.ts';

/** A build that is hidden everywhere and can still be brought back. */
export interface DeletedBuild {
  build: Build;
  deletedAt: number;
  /** Name of who deleted it. */
  deletedBy: string;
}

export interface LockedBuild {
  id: string;
  revision: number;
  protected: boolean;
  deletedAt: number | null;
}

/** The page that hands a build out now, closed or not: a page is never without a build. */
export interface HoldingPage {
  buildId: string;
  name: string;
  accessKey: string;
}

/** What goes when an App is deleted. */
export interface AppContents {
  builds: number;
  protectedBuilds: number;
  /** Of packages and simulator builds, deleted builds included, for they take room until they are removed. */
  bytes: number;
  /** Names of its distribution pages, at most as many as were asked for. */
  pageNames: string[];
  pages: number;
  testers: number;
}
