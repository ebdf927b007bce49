/** The data that every page needs besides its own content. Built once per request. */
import type { StaticPaths } from './static-files.ts';

/** The signed-in person whom the page is for. */
export interface Viewer {
  name: string;
  /** Path of the person’s own page. */
  address: string;
  /** Whether to show links to the pages for administrators. */
  administrator: boolean;
}

/** How the installation or a Workspace presents itself. Null fields have the default. */
export interface Brand {
  name: string | null;
  /** `#rrggbb` */
  accent: string | null;
  /** An email address or an https address. */
  support: string | null;
}

export interface PageFrame {
  assets: StaticPaths;
  /** Null when no one is signed in. */
  viewer: Viewer | null;
  /** The value of the hidden `csrf` field of every POST form. */
  readonly formToken: string;
  /** The session could not be checked: neither the user nor a sign-in link is shown. */
  viewerUnknown?: boolean;
  /** Scheme, host and port without a trailing slash, for example `https://apps.example.com`. */
  origin: string;
  /** Epoch milliseconds; the base of relative times. */
  now: number;
  brand?: Brand;
  /** Whether people sign in with a password of this server; the default is true. */
  hasPasswords?: boolean;
}
