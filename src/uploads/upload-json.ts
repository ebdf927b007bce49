/** The JSON result of an upload. Existing clients read these fields, so only add new ones. */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { App, Build } from '../apps/app.ts';
import { sourceShape } from '../apps/app-json.ts';
import { appPath, distributionPath, filePath, iconPath, revisionPath } from '../apps/app-paths.ts';
import type { FileTokens } from '../apps/files/file-token.ts';
import type { DistributionPage } from '../distributions/distribution-page.ts';
import { pageQrAddress } from '../distributions/page-json.ts';
import { defaultWorkspaceIcon } from '../owners/create-owners.ts';
import { absolute } from '../owners/owner-paths.ts';
import { localLabels } from '../packages/package-info.ts';

const text = (description?: string) =>
  description === undefined ? v.string() : v.pipe(v.string(), v.description(description));
const integer = (description: string) => v.pipe(v.number(), v.integer(), v.description(description));

const distribution = v.pipe(
  v.object({
    access_key: text(),
    url: text(),
    qr_url: text('A PNG with a QR code of the address.'),
    title: text(),
    release_note: text(),
  }),
  v.description('The distribution page that was updated or created. Absent if the upload names none.'),
);

export const buildResultShape = v.object({
  name: text('App display name.'),
  package_name: text('App package identifier, read from the binary.'),
  labels: v.pipe(v.record(v.string(), v.string()), v.description('Display names by language tag.')),
  secret: text('Secret of the app, 40 hexadecimal digits. Opens the app page with ?key=.'),
  os_name: text('Android or iOS.'),
  path: text('Path of the app page.'),
  revision: integer('Revision number of the app.'),
  revision_url: text('URL of the page of this revision.'),
  version_code: text(),
  version_name: v.nullable(text()),
  sdk_version: v.nullable(text('Minimum SDK or OS version.')),
  raw_sdk_version: v.nullable(text('Details from the package.')),
  target_sdk_version: v.nullable(v.pipe(v.number(), v.integer())),
  signature: v.nullable(text('SHA-1 of the signing certificate, 40 hexadecimal digits; null when unsigned.')),
  message: text('The description given at upload.'),
  file: text('URL of the stored binary. Works without headers.'),
  file_size: integer('Bytes.'),
  md5: text('MD5 of the binary, 32 hexadecimal digits.'),
  icon: text('URL of the app icon, a PNG. Works without headers.'),
  updated_at: integer('Unix time in seconds.'),
  user: v.object({ name: text('Owner name as used in the path.') }),
  warnings: v.pipe(v.array(v.string()), v.description('Warnings about a successful upload.')),
  distribution: v.optional(distribution),
});

/** What tools of CI report about an upload. */
export const uploadFindingsShape = v.object({
  size_change: v.nullable(
    integer(
      'Bytes more than the build that the page served before. Null without a page or an earlier build.',
    ),
  ),
  install_problems: v.pipe(
    v.array(v.string()),
    v.description('Reasons known at the upload why nobody can install the build.'),
  ),
  profile_expires_at: v.nullable(
    text('When the provisioning profile expires, RFC 3339 in UTC; only for iOS.'),
  ),
});
export type UploadFindings = v.InferOutput<typeof uploadFindingsShape>;

const uploadResultShape = v.object({
  ...buildResultShape.entries,
  ...uploadFindingsShape.entries,
  source: v.optional(sourceShape),
});

export const uploadAnswer = v.object({ error: v.literal(false), results: uploadResultShape });

/** Clients of the address with a platform decode the minimum version as an integer, and fail if there is a size. */
export const platformUploadAnswer = v.object({
  error: v.literal(false),
  results: v.object({
    ...uploadResultShape.entries,
    sdk_version: integer('Minimum SDK or major OS version; 0 if the package has none.'),
    file_size: v.null(),
    user: v.object({
      id: integer('Below 2^31, the same for as long as the owner exists.'),
      name: text('Owner name as used in the path.'),
      profile_icon: text(),
    }),
  }),
});

/** Clients decode the ID of a user as an integer. */
export const numberedUser = ({ id, name }: App['owner'], origin: string) => ({
  id: createHash('sha256').update(id).digest().readUInt32BE() >>> 1,
  name,
  profile_icon: absolute(origin, defaultWorkspaceIcon),
});

/** Returns 21 for `21`, 16 for `16.4`, and 0 for a codename. */
export const wholeSdkVersion = (version: string | null) => Number.parseInt(version ?? '', 10) || 0;

export interface BuildResultContext {
  origin: string;
  fileTokens: FileTokens;
}

export const osNames = { android: 'Android', ios: 'iOS' } as const;

export function buildResult(
  app: App,
  build: Build,
  page: DistributionPage | null,
  context: BuildResultContext,
) {
  const { origin, fileTokens } = context;
  const { info } = build;
  const keyed = (path: string, purpose: 'file' | 'icon') =>
    `${absolute(origin, path)}?key=${fileTokens.issueLasting(purpose, app, build.id)}`;
  return {
    name: info.name,
    package_name: app.packageName,
    labels: localLabels(info.labels),
    secret: app.secret,
    os_name: osNames[app.platform],
    path: appPath(app.owner, app.packageName),
    revision: build.revision,
    revision_url: absolute(origin, revisionPath(app.owner, app.platform, app.packageName, build.revision)),
    version_code: info.versionCode,
    version_name: info.versionName,
    sdk_version: info.sdkVersion,
    raw_sdk_version: info.rawSdkVersion,
    target_sdk_version: info.targetSdkVersion,
    signature: info.signature,
    message: build.message,
    file: keyed(filePath(build.id), 'file'),
    file_size: build.sizeBytes,
    md5: build.md5,
    icon: keyed(iconPath(build.id), 'icon'),
    updated_at: Math.floor(build.createdAt / 1000),
    user: { name: app.owner.name },
    warnings: [...build.uploadWarnings, ...info.warnings],
    ...(page ? { distribution: distributionResult(page, origin) } : {}),
  };
}

export const platformResult = <T extends ReturnType<typeof buildResult>>(
  app: App,
  result: T,
  origin: string,
) => ({
  ...result,
  sdk_version: wholeSdkVersion(result.sdk_version),
  file_size: null,
  user: numberedUser(app.owner, origin),
});

function distributionResult(page: DistributionPage, origin: string) {
  return {
    access_key: page.accessKey,
    url: absolute(origin, distributionPath(page.accessKey)),
    qr_url: pageQrAddress(page.accessKey, origin),
    title: page.name,
    release_note: page.releaseNote,
  };
}
