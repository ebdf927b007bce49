/** What every page is given besides its own content. Built once a request by the route that answers it. */
import type { StaticAddresses } from './static-files.ts';

/** The signed-in person whom the page is for. */
export interface Viewer {
  name: string;
  /** Path of the person's own page. */
  address: string;
  /** Whether the pages for administrators are there for them. */
  administrator: boolean;
}

export interface PageFrame {
  assets: StaticAddresses;
  /** Null when nobody is signed in. */
  viewer: Viewer | null;
  /** Goes into the hidden `csrf` field of every form that is posted. */
  readonly formToken: string;
  /** Somebody seems to be signed in, but who it is could not be found out: neither that nor a way to sign in is shown. */
  viewerUnknown?: boolean;
  /** Scheme, host and port without a slash at the end, for example `https://apps.example.com`. */
  origin: string;
  /** Epoch milliseconds; "3 hours ago" counts back from here. */
  now: number;
  /** Whether people sign in with a password of this server, which they do unless it is said. */
  hasPasswords?: boolean;
}
