/** The "Uploaded app result" of the interface document, field by field, with the additions of DESIGN section 5. */
import { Type } from 'typebox';
import { appPath, distributionPath, filePath, iconPath, revisionPath } from '../apps/addresses.ts';
import type { App, Build } from '../apps/app.ts';
import type { LinkSigner } from '../apps/link-signer.ts';
import type { DistributionPage } from '../distributions/distribution-page.ts';
import { absolute } from '../owners/owner-addresses.ts';
import { localLabels } from '../packages/package-info.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()]);

export const buildResultSchema = Type.Object({
  name: Type.String({ description: 'App display name.' }),
  package_name: Type.String({ description: 'App package identifier, read from the binary.' }),
  labels: Type.Record(Type.String(), Type.String(), { description: 'Display names by language tag.' }),
  secret: Type.String({
    description: 'Secret of the app, 40 hexadecimal digits: opens the app page with ?key=.',
  }),
  os_name: Type.String({ description: 'Android or iOS.' }),
  path: Type.String({ description: 'Path of the app page.' }),
  revision: Type.Integer({ description: 'Revision number of the app.' }),
  revision_url: Type.String({ description: 'Address of the page of this revision.' }),
  version_code: Type.String(),
  version_name: nullable(Type.String()),
  sdk_version: nullable(Type.String({ description: 'Minimum SDK or OS version.' })),
  raw_sdk_version: nullable(Type.String({ description: 'What the package itself states.' })),
  target_sdk_version: nullable(Type.Integer()),
  signature: nullable(
    Type.String({
      description: 'SHA-1 of the signing certificate, 40 hexadecimal digits; null when unsigned.',
    }),
  ),
  message: Type.String({ description: 'The description given at upload.' }),
  file: Type.String({ description: 'Location of the stored binary; works without headers.' }),
  file_size: Type.Integer({ description: 'Bytes.' }),
  md5: Type.String({ description: 'MD5 of the binary, 32 hexadecimal digits.' }),
  icon: Type.String({ description: 'Location of the app icon, a PNG; works without headers.' }),
  updated_at: Type.Integer({ description: 'Unix time in seconds.' }),
  user: Type.Object({ name: Type.String({ description: 'Owner name as used in the path.' }) }),
  warnings: Type.Array(Type.String(), {
    description: 'What the uploader should know although all went well.',
  }),
  distribution: Type.Optional(
    Type.Object(
      {
        access_key: Type.String(),
        url: Type.String(),
        title: Type.String(),
        release_note: Type.String(),
      },
      { description: 'The distribution page that was updated or made; left out when none was named.' },
    ),
  ),
});

export const uploadAnswerSchema = Type.Object({ error: Type.Literal(false), results: buildResultSchema });

export interface BuildResultContext {
  origin: string;
  links: LinkSigner;
}

const osNames = { android: 'Android', ios: 'iOS' } as const;

export function buildResult(
  app: App,
  build: Build,
  page: DistributionPage | null,
  context: BuildResultContext,
) {
  const { origin, links } = context;
  const { info } = build;
  const keyed = (path: string, purpose: 'file' | 'icon') =>
    `${absolute(origin, path)}?key=${links.sign(purpose, build.id)}`;
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

function distributionResult(page: DistributionPage, origin: string) {
  return {
    access_key: page.accessKey,
    url: absolute(origin, distributionPath(page.accessKey)),
    title: page.name,
    release_note: page.releaseNote,
  };
}
