/** The facts of a package, as the API shows them. */
import * as v from 'valibot';
import { textShape, timeShape } from '../../core/json-shapes.ts';
import type { PackageInfo, SignatureVerification } from '../../packages/package-info.ts';

const texts = v.array(v.string());
const text = v.nullable(v.string());

const certificateShape = v.object({
  sha1: v.string(),
  sha256: v.string(),
  subject: v.string(),
  issuer: v.string(),
  key: textShape('For example `RSA 2048`.'),
  valid_from: timeShape(),
  valid_until: timeShape(),
});

export const buildFactsShape = v.pipe(
  v.object({
    labels: v.pipe(v.record(v.string(), v.string()), v.description('Display names by language tag.')),
    target_sdk_version: v.nullable(v.number()),
    signing: v.object({
      schemes: texts,
      certificates: v.array(certificateShape),
      lineage: v.pipe(texts, v.description('SHA-256 of the certificates of a rotation, oldest first.')),
    }),
    verification: v.nullable(
      v.object({
        verified: v.boolean(),
        verified_from_sdk: v.nullable(v.number()),
        problems: texts,
      }),
    ),
    android: v.nullable(
      v.object({
        permissions: texts,
        features: v.array(v.object({ name: v.string(), required: v.boolean() })),
        native_abis: texts,
        debuggable: v.boolean(),
        test_only: v.boolean(),
        compile_sdk_version: v.nullable(v.number()),
        max_sdk_version: v.nullable(v.number()),
      }),
    ),
    ios: v.nullable(
      v.object({
        device_families: texts,
        simulator: v.boolean(),
        extensions: texts,
        app_clips: texts,
        watch_apps: texts,
        profile: v.nullable(
          v.object({
            type: v.picklist(['development', 'ad-hoc', 'enterprise', 'app-store']),
            name: v.string(),
            uuid: v.string(),
            team_name: text,
            team_identifier: text,
            created_at: v.nullable(timeShape()),
            expires_at: v.nullable(timeShape()),
            devices: v.pipe(texts, v.description('UDIDs.')),
            entitlements: v.record(v.string(), v.unknown()),
          }),
        ),
      }),
    ),
  }),
  v.title('BuildFacts'),
);

export function buildFactsJson(
  info: PackageInfo,
  verification: SignatureVerification | null,
): v.InferOutput<typeof buildFactsShape> {
  return {
    labels: info.labels,
    target_sdk_version: info.targetSdkVersion,
    signing: {
      schemes: info.signing.schemes,
      certificates: info.signing.certificates.map(({ validFrom, validUntil, ...certificate }) => ({
        ...certificate,
        valid_from: validFrom,
        valid_until: validUntil,
      })),
      lineage: info.signing.lineage,
    },
    verification: verification && {
      verified: verification.verified,
      verified_from_sdk: verification.verifiedFromSdk,
      problems: verification.problems,
    },
    android: info.android && {
      permissions: info.android.permissions,
      features: info.android.features,
      native_abis: info.android.nativeAbis,
      debuggable: info.android.debuggable,
      test_only: info.android.testOnly,
      compile_sdk_version: info.android.compileSdkVersion,
      max_sdk_version: info.android.maxSdkVersion,
    },
    ios: info.ios && {
      device_families: info.ios.deviceFamilies,
      simulator: info.ios.simulator,
      extensions: info.ios.extensions,
      app_clips: info.ios.appClips,
      watch_apps: info.ios.watchApps,
      profile: info.ios.profile && {
        type: info.ios.profile.type,
        name: info.ios.profile.name,
        uuid: info.ios.profile.uuid,
        team_name: info.ios.profile.teamName,
        team_identifier: info.ios.profile.teamIdentifier,
        created_at: info.ios.profile.createdAt,
        expires_at: info.ios.profile.expiresAt,
        devices: info.ios.profile.devices,
        entitlements: info.ios.profile.entitlements,
      },
    },
  };
}
