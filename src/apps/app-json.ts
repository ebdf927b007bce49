/** Apps and builds as the API and webhooks show them. */

import * as v from 'valibot';
import { formatNullableTime, formatTime, integerShape, textShape, timeShape } from '../core/json-shapes.ts';
import { type BuildSource, trustedProviders } from '../owners/build-source.ts';
import { absolute } from '../owners/owner-paths.ts';
import { type App, appName, type Build, type BundleApk } from './app.ts';
import { platformAppPath, revisionPath } from './app-paths.ts';
import { buildFields, buildFieldsBy } from './build-fields.ts';

export const appShape = v.pipe(
  v.object({
    owner: textShape('Name of the user or Project.'),
    platform: v.picklist(['android', 'ios']),
    package_name: textShape('Android package name or iOS bundle identifier.'),
    name: textShape('Display name of the newest build; the package name without one.'),
    last_revision: integerShape('The highest revision ever assigned.'),
    created_at: timeShape(),
    last_upload_at: timeShape(),
    trusted_publishers_only: v.pipe(
      v.boolean(),
      v.description('Whether the app requires it; its owner or a policy may require it, too.'),
    ),
    url: textShape('Address of the app page.'),
  }),
  v.title('App'),
);

type ShownApp = Pick<
  App,
  'platform' | 'packageName' | 'latestName' | 'lastRevision' | 'createdAt' | 'lastUploadAt'
> & {
  owner: Pick<App['owner'], 'name'>;
  /** Absent for a deleted app. */
  trustedPublishersOnly?: boolean;
};

export function appJson(app: ShownApp, origin: string): v.InferOutput<typeof appShape> {
  return {
    owner: app.owner.name,
    platform: app.platform,
    package_name: app.packageName,
    name: appName(app),
    last_revision: app.lastRevision,
    created_at: formatTime(app.createdAt),
    last_upload_at: formatTime(app.lastUploadAt),
    trusted_publishers_only: app.trustedPublishersOnly ?? false,
    url: absolute(origin, platformAppPath(app.owner, app.platform, app.packageName)),
  };
}

const apkShape = v.pipe(
  v.object({
    state: v.picklist(['converting', 'ready', 'failed']),
    percent: integerShape('How much is converted.'),
    size: v.nullable(integerShape('Bytes of the APK. Null until it is ready.')),
    sha256: v.nullable(textShape('SHA-256 of the APK, lowercase hexadecimal. Null until it is ready.')),
    error: v.nullable(textShape('Why no APK could be made.')),
  }),
  v.title('BundleApk'),
  v.description('The APK that is made of an app bundle; null if the uploaded package is installed.'),
);

export const sourceShape = v.pipe(
  v.object({
    provider: v.picklist(trustedProviders),
    repository: v.nullable(textShape('Such as `acme/tide`.')),
    commit: v.nullable(v.string()),
    ref: v.nullable(textShape('Such as `refs/heads/main`.')),
    workflow: v.nullable(v.string()),
    run_id: v.nullable(v.string()),
    run_url: v.nullable(v.string()),
    actor: v.nullable(textShape('Who started the run.')),
    verified: v.literal(true),
  }),
  v.title('BuildSource'),
  v.description(
    'Who built it, verified: what the signed ID token of the CI said if a trusted publisher uploaded the build; otherwise null.',
  ),
);

export const buildShape = v.pipe(
  v.object({
    revision: integerShape('1, 2, 3 …; never reused within an app.'),
    name: textShape('Display name.'),
    version_name: v.nullable(textShape('versionName, or CFBundleShortVersionString.')),
    version_code: textShape('versionCode, or CFBundleVersion.'),
    minimum_os: v.nullable(textShape('Minimum API level, or minimum version of iOS.')),
    message: textShape('What the uploader wrote about the build.'),
    ...buildFieldsBy('name', (field) => v.nullable(textShape(buildFields[field].description))),
    source: v.nullable(sourceShape),
    protected: v.pipe(v.boolean(), v.description('Whether the build is protected from deletion.')),
    size: integerShape('Bytes of the uploaded package.'),
    md5: textShape('MD5 of the uploaded package, lowercase hexadecimal.'),
    sha256: textShape('SHA-256 of the uploaded package, lowercase hexadecimal.'),
    apk: v.nullable(apkShape),
    signature: v.nullable(textShape('SHA-1 of the certificate of the first signer; null when unsigned.')),
    signature_verified: v.nullable(
      v.pipe(v.boolean(), v.description('Null until the signature has been verified.')),
    ),
    profile_expires_at: v.nullable(timeShape('When the provisioning profile expires; only for iOS.')),
    has_simulator_build: v.boolean(),
    warnings: v.array(v.string()),
    uploaded_by: textShape('Name of the user or Project.'),
    uploaded_at: timeShape(),
    url: textShape('Address of the build page.'),
  }),
  v.title('Build'),
);

function apkJson(apk: BundleApk): v.InferOutput<typeof apkShape> {
  const { state } = apk;
  const isReady = state === 'ready';
  return {
    state,
    percent: state === 'converting' ? apk.percent : 100,
    size: isReady ? apk.sizeBytes : null,
    sha256: isReady ? apk.sha256 : null,
    error: state === 'failed' ? apk.reason : null,
  };
}

export const sourceJson = (source: BuildSource): v.InferOutput<typeof sourceShape> => ({
  ...source,
  verified: true,
});

export function buildJson(app: App, build: Build, origin: string): v.InferOutput<typeof buildShape> {
  const { info } = build;
  const expiresAt = info.ios?.profile?.expiresAt;
  return {
    revision: build.revision,
    name: info.name,
    version_name: info.versionName,
    version_code: info.versionCode,
    minimum_os: info.sdkVersion,
    message: build.message,
    ...buildFieldsBy('name', (field) => build[field]),
    source: build.source && sourceJson(build.source),
    protected: build.protected,
    size: build.sizeBytes,
    md5: build.md5,
    sha256: build.sha256,
    apk: build.apk && apkJson(build.apk),
    signature: info.signature,
    signature_verified: build.verification?.verified ?? null,
    profile_expires_at: formatNullableTime(expiresAt ? Date.parse(expiresAt) : null),
    has_simulator_build: build.simulatorBlob !== null,
    warnings: [...build.uploadWarnings, ...info.warnings],
    uploaded_by: build.uploadedBy,
    uploaded_at: formatTime(build.createdAt),
    url: absolute(origin, revisionPath(app.owner, app.platform, app.packageName, build.revision)),
  };
}
