/** Reads an uploaded file. Refuses it if it is not a package, or not the one in the path. */
import { createReadStream } from 'node:fs';
import { findingText } from '../apps/findings/finding-texts.ts';
import type { Spool, SpooledFile } from '../blobs/spool/spool.ts';
import { Forbidden, invalid, unavailableForNow } from '../core/errors.ts';
import { type Actor, coversApp } from '../owners/actor.ts';
import type { Owner } from '../owners/owner.ts';
import type { SigningKeys } from '../owners/signing-keys/signing-keys.ts';
import { signingFactsOf } from '../packages/apk/signing/signing-key.ts';
import { say } from '../packages/messages/package-messages.ts';
import {
  type ConversionNeeds,
  type PackageInfo,
  PackageReaderUnavailable,
  type Platform,
  type ReadPackage,
  UnreadablePackage,
} from '../packages/package-info.ts';
import type { PackageReader } from '../packages/package-reader.ts';
import type { FailedPackages } from './failed-packages.ts';
import type { UploadForm } from './upload-form.ts';
import { uploadTexts } from './upload-texts.ts';

const t = uploadTexts.form;

export interface ReadUploadDeps {
  packages: PackageReader;
  signingKeys: SigningKeys;
  spool: Spool;
  failedPackages: FailedPackages;
}

export interface ReadRequest {
  actor: Actor;
  owner: Owner;
  form: UploadForm;
  /** Platform in the path, or null for any. */
  platform: Platform | null;
  /** Package in the path, or null for any. */
  packageName: string | null;
}

export interface ReadUpload {
  info: PackageInfo;
  /** The file to store: the upload, or the universal APK in a set of APKs. */
  file: SpooledFile;
  /** For an app bundle, includes the number of the key that signs its APK; null for other packages. */
  conversion: (ConversionNeeds & { keyNumber: number }) | null;
  /** The commit that the package names itself; null if it names none. */
  commit: string | null;
}

export async function readPackage(
  { packages, signingKeys, spool, failedPackages }: ReadUploadDeps,
  request: ReadRequest,
): Promise<ReadUpload> {
  const { file } = request.form;
  let read: ReadPackage;
  try {
    read = await failedPackages.read(request.actor, () => packages.read(file.path, request.owner.id));
  } catch (error) {
    throw refusalOf(error, t.unreadable);
  }
  const { info, conversion, universalApk, commit } = read;
  if (request.platform !== null && info.platform !== request.platform) {
    throw invalid(t.otherPlatform({ found: info.platform, expected: request.platform }));
  }
  if (request.packageName !== null && info.packageName !== request.packageName) {
    throw invalid(uploadTexts.form.otherPackage({ found: info.packageName, expected: request.packageName }));
  }
  const target = { ownerId: request.owner.id, platform: info.platform, packageName: info.packageName };
  // Checked before anything is stored, and again in the transaction.
  if (!coversApp(request.actor, target)) throw new Forbidden(t.permit);
  if (universalApk) {
    const { position: start, sizeBytes: maxBytes } = universalApk;
    const content = createReadStream(file.path, { start, end: start + maxBytes - 1 });
    return {
      info,
      file: await spool.receive(content, { maxBytes, expectedBytes: maxBytes }),
      conversion: null,
      commit,
    };
  }
  if (!conversion) return { info, file, conversion, commit };
  await failedPackages.checkConversions(request.owner.id);
  const { number, certificates } = await signingKeys.certificatesOf(request.owner);
  const signing = signingFactsOf(certificates, Number(info.sdkVersion));
  return { info: { ...info, ...signing }, file, conversion: { ...conversion, keyNumber: number }, commit };
}

export interface SimulatorBuild {
  simulatorZip: SpooledFile | null;
  warnings: string[];
}

/**
 * Returns the simulator build to store, and warnings. Its bundle ID may differ from the IPA, because debug and release
 * builds often use different IDs.
 */
export async function readSimulatorZip(
  { packages, failedPackages }: ReadUploadDeps,
  { actor, owner, form: { simulatorZip } }: ReadRequest,
  info: PackageInfo,
): Promise<SimulatorBuild> {
  if (!simulatorZip) return { simulatorZip, warnings: [] };
  if (info.platform !== 'ios') {
    return { simulatorZip: null, warnings: [say('simulator-zip-ignored')] };
  }
  try {
    const { bundleIdentifier } = await failedPackages.read(actor, () =>
      packages.readSimulatorZip(simulatorZip.path, owner.id),
    );
    if (bundleIdentifier === info.packageName) return { simulatorZip, warnings: [] };
    const names = { found: bundleIdentifier, expected: info.packageName };
    return { simulatorZip, warnings: [say('simulator-zip-of-other-app', names)] };
  } catch (error) {
    throw refusalOf(error, t.simulatorUnreadable);
  }
}

function refusalOf(error: unknown, describe: (values: { reason: string }) => string): unknown {
  if (error instanceof PackageReaderUnavailable)
    return unavailableForNow(uploadTexts.form.readerUnavailable, error);
  return error instanceof UnreadablePackage
    ? invalid(describe({ reason: findingText(error.message) }), error)
    : error;
}
