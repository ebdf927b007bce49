/** The data that every page needs besides its own content. Built once per request. */
import type { StaticPaths } from './static-files.ts';

/** The signed-in person that the page is for. */
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
  /** The name of the logo in its address, `<hash>-<width>x<height>.png`. */
  logo: string | null;
}

/** What the branding form changes. */
export type BrandFields = Omit<Brand, 'logo'>;

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
  /** The installation’s. */
  brand?: Brand;
  /** The brand on pages of people who can see something in the Workspace. */
  brandOfWorkspace?(workspaceId: string): Brand;
  /** Whether people sign in with a password of this server; the default is true. */
  hasPasswords?: boolean;
}
