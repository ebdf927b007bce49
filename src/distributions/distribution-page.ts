/** A page that hands one App's builds to the people who have its address. */

export interface DistributionPage {
  id: string;
  appId: string;
  /** 40 hexadecimal digits: the last segment of `/distributions/<accessKey>`. */
  accessKey: string;
  /** Exact and unique within an App. */
  name: string;
  active: boolean;
  /** The build that the page hands out now. */
  buildId: string;
  releaseNote: string;
  createdAt: number;
  updatedAt: number;
}

/** One line of a page's history: which build it handed out from when, with which note. */
export interface DistributionUpdate {
  buildId: string;
  revision: number;
  versionName: string | null;
  versionCode: string;
  releaseNote: string;
  createdAt: number;
}

export const maxDistributionNameLength = 255;
