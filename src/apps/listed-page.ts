/** What the pages of an app list and count. */
import type { Actor } from '../owners/actor.ts';
import type { PageConditions } from './distributions/page-state.ts';

/**
 * Who lists pages of apps that they see. Everyone is told only of the pages that would open for them; `now` (epoch ms) closes expired
 * ones.
 */
export type PageViewer =
  /** Manages the apps: every page, closed ones included. */
  | { kind: 'manager' }
  | { kind: 'actor'; actor: Actor; now: number }
  /** Some person or key that sees the app: what all of them may know. */
  | { kind: 'member'; now: number }
  /** Opened the app with its secret. */
  | { kind: 'guest'; now: number };

/** `caller`: null for the app secret. */
export const pageViewer = (
  caller: { actor: Actor } | null,
  now: number,
): Exclude<PageViewer, { kind: 'manager' }> =>
  caller ? { kind: 'actor', actor: caller.actor, now } : { kind: 'guest', now };

/** A distribution page as the pages of its app list it, with the build that it serves. */
export interface ListedPage extends PageConditions {
  id: string;
  name: string;
  /** 40 hexadecimal digits. */
  accessKey: string;
  buildId: string;
  revision: number;
  versionName: string | null;
  versionCode: string;
  /** Epoch ms. */
  updatedAt: number;
}

/** A page as a mark beside what it serves. */
export interface MarkedPage extends PageConditions {
  name: string;
  accessKey: string;
}

/** What the tabs of an app count. */
export interface AppTabCounts {
  builds: number;
  pages: number;
  /** People with access; the owner of a User's app does not count. */
  testers: number;
  /** Not yet worked on. */
  feedback: number;
  webhooks: number;
}

/** Position of the last page in the previous part of a list. */
export type ListedPagePosition = Pick<ListedPage, 'updatedAt' | 'id'>;
