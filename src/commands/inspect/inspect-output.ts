/** The JSON output of `slipway inspect`: one line per file. */
import {
  localLabels,
  type PackageInfo,
  type ProvisioningProfile,
  type SignatureVerification,
} from '../../packages/package-info.ts';

/** The facts of one file. */
export interface Inspected {
  file: string;
  sizeBytes: number;
  md5: string;
  sha256: string;
  info: PackageInfo;
  verification: SignatureVerification;
}

export function inspectJson({ file, sizeBytes, md5, sha256, info, verification }: Inspected) {
  return {
    file,
    platform: info.platform,
    name: info.name,
    package_name: info.packageName,
    version_code: info.versionCode,
    version_name: info.versionName,
    sdk_version: info.sdkVersion,
    raw_sdk_version: info.rawSdkVersion,
    target_sdk_version: info.targetSdkVersion,
    signature: info.signature,
    signing: {
      schemes: info.signing.schemes,
      verified: verification.verified,
      verified_from_sdk: verification.verifiedFromSdk,
      problems: verification.problems,
      certificates: info.signing.certificates.map((certificate) => ({
        sha1: certificate.sha1,
        sha256: certificate.sha256,
        subject: certificate.subject,
        issuer: certificate.issuer,
        key: certificate.key,
        valid_from: certificate.validFrom,
        valid_until: certificate.validUntil,
      })),
      lineage: info.signing.lineage,
      source_stamp: info.signing.sourceStamp,
    },
    profile: info.ios?.profile ? profileJson(info.ios.profile) : null,
    labels: localLabels(info.labels),
    icon: info.icon
      ? { kind: info.icon.kind, source: info.icon.source, width: info.icon.width, height: info.icon.height }
      : null,
    size: sizeBytes,
    md5,
    sha256,
    ...platformFacts(info),
    warnings: info.warnings,
  };
}

function profileJson(profile: ProvisioningProfile) {
  return {
    type: profile.type,
    name: profile.name,
    uuid: profile.uuid,
    team: profile.teamIdentifier,
    team_name: profile.teamName,
    created_at: profile.createdAt,
    expires_at: profile.expiresAt,
    device_count: profile.devices.length,
    certificate_sha1s: profile.certificateSha1s,
    entitlements: profile.entitlements,
    intact: profile.intact,
  };
}

function platformFacts({ android, ios }: PackageInfo) {
  if (android) {
    return {
      version_code_major: android.versionCodeMajor,
      min_sdk_codename: android.minSdkCodename,
      target_sdk_codename: android.targetSdkCodename,
      max_sdk_version: android.maxSdkVersion,
      compile_sdk_version: android.compileSdkVersion,
      permissions: android.permissions,
      features: android.features,
      native_abis: android.nativeAbis,
      debuggable: android.debuggable,
      test_only: android.testOnly,
    };
  }
  if (!ios) return {};
  return {
    device_families: ios.deviceFamilies,
    executable: ios.executable,
    simulator: ios.simulator,
    encrypted: ios.encrypted,
    extensions: ios.extensions,
    app_clips: ios.appClips,
    watch_apps: ios.watchApps,
  };
}
