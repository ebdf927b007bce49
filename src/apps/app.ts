/** An App and its Builds: what an Owner has uploaded under one package name on one platform. */
import type { BlobFault } from '../blobs/verify-blob.ts';
import type { PackageInfo, Platform, SignatureVerification } from '../packages/package-info.ts';

export interface OwnerName {
  id: string;
  kind: 'user' | 'project';
  name: string;
}

export interface App {
  id: string;
  owner: OwnerName;
  platform: Platform;
  packageName: string;
  /** What its newest build that is there calls itself; null when there is none. */
  latestName: string | null;
  /** 40 hexadecimal digits; opens this App's half of the app page with `?key=`. */
  secret: string;
  /** Links signed before the first rotation do not depend on the secret. */
  secretRotations: number;
  /** The highest revision ever given out; the number of a deleted build is never given again. */
  lastRevision: number;
  createdAt: number;
  lastUploadAt: number;
}

/** What people call it: its package name while no build says another. */
export const appName = ({ latestName, packageName }: Pick<App, 'latestName' | 'packageName'>) =>
  latestName ?? packageName;

/** One uploaded revision of an App. Times are epoch milliseconds, sizes are bytes, digests lower-case hexadecimal. */
export interface Build {
  id: string;
  appId: string;
  revision: number;
  info: PackageInfo;
  sizeBytes: number;
  md5: string;
  sha256: string;
  packageBlob: string;
  simulatorBlob: string | null;
  simulatorBytes: number | null;
  /** Hexadecimal; null when there is none, and for builds of earlier versions. */
  simulatorSha256: string | null;
  icon: IconState;
  /** Null until it has been verified, which follows the answer of the upload. */
  verification: SignatureVerification | null;
  message: string;
  branch: string | null;
  commit: string | null;
  buildUrl: string | null;
  label: string | null;
  /** Said to the uploader, besides `info.warnings`: for example that a note was cut. */
  uploadWarnings: string[];
  uploadedBy: string;
  createdAt: number;
  /** Nobody can delete it until it is protected no more. */
  protected: boolean;
  /** What the last check of the stored files found wrong, by key of the blob; null: nothing. */
  damage: Readonly<Record<string, BlobFault>> | null;
}

/** `pending`: not drawn yet. `none`: the package has no icon that can be drawn, a monogram stands in. */
export type IconState = { state: 'pending' } | { state: 'none' } | { state: 'drawn'; blob: string };
