/** The data for all parts of a page except its own content. Created once per request. */
import type { StaticPaths } from './static-files.ts';

/** The signed-in person that the page is for. */
export interface Viewer {
  name: string;
  /** Path of the person’s own page. */
  address: string;
  /** Whether to show links to the pages for administrators. */
  administrator: boolean;
}

/** The brand of the installation or a Workspace. Null fields have the default. */
export interface Brand {
  name: string | null;
  /** `#rrggbb` */
  accent: string | null;
  /** An email address or an https address. */
  support: string | null;
  /** The name of the logo in its address: `<hash>-<width>x<height>.png`. */
  logo: string | null;
}

/** The fields in the branding form. */
export type BrandFields = Omit<Brand, 'logo'>;

export interface PageFrame {
  assets: StaticPaths;
  /** Null if nobody is signed in. */
  viewer: Viewer | null;
  /** The value of the hidden `csrf` field of every POST form. */
  readonly formToken: string;
  /** Whether the viewer audits the place that the page belongs to, and can change nothing in it. */
  readonly isReadOnly?: boolean;
  /** Whether the session could not be checked, in which case neither the user nor a sign-in link is shown. */
  viewerUnknown?: boolean;
  /** Scheme, host and port without a trailing slash, for example `https://apps.example.com`. */
  origin: string;
  /** Epoch milliseconds, used for relative times. */
  now: number;
  /** The brand of the installation. */
  brand?: Brand;
  /** Returns the brand for pages of people who can see something in the Workspace. */
  brandOfWorkspace?(workspaceId: string): Brand;
  /** Whether people sign in with a password of this server; true by default. */
  hasPasswords?: boolean;
}
