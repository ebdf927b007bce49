/** What every page is given besides its own content. Built once a request by the route that answers it. */
import type { StaticAddresses } from './static-files.ts';

/** The signed-in person whom the page is for. */
export interface Viewer {
  name: string;
  /** Path of the person's own page. */
  address: string;
  /** Goes into the hidden `csrf` field of every form that changes something. */
  csrf: string;
}

export interface PageFrame {
  assets: StaticAddresses;
  /** Null when nobody is signed in. */
  viewer: Viewer | null;
  /** Scheme, host and port without a slash at the end, for example `https://apps.example.com`. */
  origin: string;
  /** Epoch milliseconds; "3 hours ago" counts back from here. */
  now: number;
}
