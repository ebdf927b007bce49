/** Distribution pages as listed and counted on the pages of their app. */
import type { Actor } from '../owners/actor.ts';
import type { PageConditions } from './distributions/page-state.ts';

/** The viewer of a list of distribution pages. Viewers only see pages that would open for them; `now` (epoch ms) excludes expired ones. */
export type PageViewer =
  /** Manages the apps and sees every page, including closed ones. */
  | { kind: 'manager' }
  | { kind: 'actor'; actor: Actor; now: number }
  /** Any person or key with access to the app, and no more than what all of them may see. */
  | { kind: 'member'; now: number }
  /** Opened the app with its secret. */
  | { kind: 'guest'; now: number };

/** `caller`: null for the app secret. */
export const pageViewer = (
  caller: { actor: Actor } | null,
  now: number,
): Exclude<PageViewer, { kind: 'manager' }> =>
  caller ? { kind: 'actor', actor: caller.actor, now } : { kind: 'guest', now };

/** A distribution page in a list, with the build that it serves. */
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

/** A page shown as a mark next to the build that it serves. */
export interface MarkedPage extends PageConditions {
  name: string;
  accessKey: string;
}

/** Numbers on the tabs of an app. */
export interface AppTabCounts {
  builds: number;
  pages: number;
  /** People with access; the owner of a User's app does not count. */
  testers: number;
  /** Not yet handled. */
  feedback: number;
  webhooks: number;
}

/** Position of the last page in the previous part of a list. */
export type ListedPagePosition = Pick<ListedPage, 'updatedAt' | 'id'>;
