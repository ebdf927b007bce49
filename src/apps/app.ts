/** Apps and their builds. An app is what an owner uploaded under one package name on one platform. */

import type { DamageReason } from '../blobs/verify-blob.ts';
import type { BuildSource } from '../owners/build-source.ts';
import type { PackageInfo, Platform, SignatureVerification } from '../packages/package-info.ts';
import type { BuildFields } from './build-fields.ts';

export interface OwnerName {
  id: string;
  kind: 'user' | 'project';
  name: string;
  workspace?: { id: string } | null;
}

export interface App {
  id: string;
  owner: OwnerName;
  platform: Platform;
  packageName: string;
  /** Display name from the newest existing build; null without builds. */
  latestName: string | null;
  /** 40 hexadecimal digits. Opens this app's section of the app page with `?key=`. */
  secret: string;
  /** Links signed before the first rotation do not depend on the secret. */
  secretRotations: number;
  /** The highest revision ever assigned. Revisions of deleted builds are not reused. */
  lastRevision: number;
  createdAt: number;
  lastUploadAt: number;
  /** Whether only trusted publishers may upload builds. */
  trustedPublishersOnly: boolean;
}

/** Display name; the package name if there is none. */
export const appName = ({ latestName, packageName }: Pick<App, 'latestName' | 'packageName'>) =>
  latestName ?? packageName;

/** One uploaded revision of an app. Times are epoch milliseconds, sizes are bytes, digests are lowercase hexadecimal. */
export interface Build extends BuildFields {
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
  /** Hexadecimal SHA-256. Null without a simulator build. */
  simulatorSha256: string | null;
  /** The APK generated from an app bundle. Null if the uploaded package itself is installed. */
  apk: BundleApk | null;
  icon: IconState;
  /** Null until verified, which happens after the upload response. */
  verification: SignatureVerification | null;
  message: string;
  /** Warnings for the uploader in addition to `info.warnings`, for example about a truncated note. */
  uploadWarnings: string[];
  uploadedBy: string;
  createdAt: number;
  /** Prevents deletion. */
  protected: boolean;
  /** Defects found by the last check of the stored files, by blob key. Null if there are none. */
  damage: Readonly<Record<string, DamageReason>> | null;
  /** What the CI's ID token said; null unless a trusted publisher uploaded the build. */
  source: BuildSource | null;
}

/** The universal APK of an Android App Bundle. `reason`: a message of the package reader. */
export type BundleApk =
  | { state: 'converting'; percent: number }
  | { state: 'failed'; reason: string }
  | ({ state: 'ready' } & StoredFile);

export interface StoredFile {
  blob: string;
  sizeBytes: number;
  /** Lowercase hexadecimal. */
  sha256: string;
}

type UploadedBuild = Pick<Build, 'packageBlob' | 'sizeBytes' | 'sha256' | 'apk'>;

export const uploadedFile = ({ packageBlob, sizeBytes, sha256 }: UploadedBuild): StoredFile => ({
  blob: packageBlob,
  sizeBytes,
  sha256,
});

/** The file that devices install: the upload, or the APK generated from it. Null while it is missing. */
export function installedFile(build: UploadedBuild): StoredFile | null {
  if (build.apk === null) return uploadedFile(build);
  return build.apk.state === 'ready' ? build.apk : null;
}

/** Size of the APK, or of the upload while there is no APK. */
export const installedBytes = ({ sizeBytes, apk }: Pick<Build, 'sizeBytes' | 'apk'>): number =>
  apk?.state === 'ready' ? apk.sizeBytes : sizeBytes;

/** `pending`: not drawn yet. `none`: the package has no usable icon, so pages show a monogram. */
export type IconState = { state: 'pending' } | { state: 'none' } | { state: 'drawn'; blob: string };
