/** Validates answers of the package reader process, which may be compromised by a package. */
import * as v from 'valibot';
import { packageAnalysis } from './analysis/analysis.ts';
import { maxLogoBytes } from './logo-limits.ts';
import {
  type ConvertedBundle,
  type PackageInfo,
  type SignatureVerification,
  UnreadablePackage,
} from './package-info.ts';
import { maxErrorCharacters, type PackageResponse, type PackageResponses } from './package-task.ts';
import type { SimulatorZip } from './read-simulator-zip.ts';
import { symbolFileFacts } from './symbols/symbol-file.ts';

const text = v.string();
const optionalText = v.nullable(text);
const texts = v.array(text);
const count = v.pipe(v.number(), v.integer());
const optionalCount = v.nullable(count);

const certificate = v.object({
  sha1: v.pipe(text, v.hexadecimal(), v.length(40)),
  sha256: v.pipe(text, v.hexadecimal(), v.length(64)),
  subject: text,
  issuer: text,
  key: text,
  validFrom: text,
  validUntil: text,
});

const profile = v.object({
  type: v.picklist(['development', 'ad-hoc', 'enterprise', 'app-store']),
  name: text,
  uuid: text,
  teamName: optionalText,
  teamIdentifier: optionalText,
  createdAt: optionalText,
  expiresAt: optionalText,
  devices: texts,
  entitlements: v.record(text, v.unknown()),
  certificateSha1s: texts,
  intact: v.boolean(),
});

const facts: v.GenericSchema<PackageInfo> = v.object({
  platform: v.picklist(['android', 'ios']),
  packageName: v.pipe(text, v.nonEmpty()),
  name: v.pipe(text, v.nonEmpty()),
  labels: v.record(text, text),
  versionCode: text,
  versionName: optionalText,
  sdkVersion: optionalText,
  rawSdkVersion: optionalText,
  targetSdkVersion: optionalCount,
  signature: v.nullable(v.pipe(text, v.hexadecimal(), v.length(40))),
  signing: v.object({
    schemes: v.array(v.picklist(['v1', 'v2', 'v3', 'v3.1', 'apple'])),
    certificates: v.array(certificate),
    lineage: texts,
    sourceStamp: v.boolean(),
  }),
  icon: v.nullable(
    v.object({
      kind: v.picklist(['png', 'webp', 'jpeg', 'gif', 'avif', 'adaptive', 'vector', 'asset-catalog']),
      source: text,
      width: optionalCount,
      height: optionalCount,
    }),
  ),
  android: v.nullable(
    v.object({
      versionCodeMajor: optionalCount,
      minSdkCodename: optionalText,
      targetSdkCodename: optionalText,
      maxSdkVersion: optionalCount,
      compileSdkVersion: optionalCount,
      permissions: texts,
      features: v.array(v.object({ name: text, required: v.boolean() })),
      nativeAbis: texts,
      debuggable: v.boolean(),
      testOnly: v.boolean(),
    }),
  ),
  ios: v.nullable(
    v.object({
      deviceFamilies: v.array(v.picklist(['iphone', 'ipad', 'apple-tv', 'apple-watch', 'vision', 'mac'])),
      executable: optionalText,
      simulator: v.boolean(),
      encrypted: v.boolean(),
      profile: v.nullable(profile),
      extensions: texts,
      appClips: texts,
      watchApps: texts,
    }),
  ),
  warnings: texts,
});

const simulatorZip: v.GenericSchema<SimulatorZip> = v.object({
  bundleIdentifier: text,
  appFolder: text,
  name: text,
  minimumOsVersion: optionalText,
});

const verification: v.GenericSchema<SignatureVerification> = v.object({
  verified: v.boolean(),
  verifiedFromSdk: optionalCount,
  problems: texts,
});

const converted: v.GenericSchema<ConvertedBundle> = v.object({
  info: facts,
  sizeBytes: v.pipe(count, v.minValue(1)),
  sha256: v.pipe(text, v.hexadecimal(), v.length(64)),
});

const pngHead = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const picture = v.pipe(
  v.instance(Uint8Array),
  v.check((bytes) => pngHead.equals(bytes.subarray(0, pngHead.length))),
);

/** RFC 9649, section 2.4. */
const webp = v.pipe(
  v.instance(Uint8Array),
  v.check(
    (bytes) =>
      Buffer.from(bytes.subarray(0, 12))
        .toString('latin1')
        .replace(/^(RIFF).{4}/s, '$1') === 'RIFFWEBP',
  ),
);

const values: { [Kind in keyof PackageResponses]: v.GenericSchema<PackageResponses[Kind]> } = {
  read: v.object({
    info: facts,
    conversion: v.nullable(v.object({ apkBytes: count, contentBytes: count })),
    universalApk: v.nullable(v.object({ position: count, sizeBytes: count })),
    commit: optionalText,
  }),
  'read-simulator-zip': simulatorZip,
  'draw-icon': v.nullable(picture),
  'draw-monogram': picture,
  'draw-screenshot': v.nullable(webp),
  'draw-logo': v.pipe(
    picture,
    v.check((bytes) => bytes.length >= 24 && bytes.length <= maxLogoBytes),
  ),
  'verify-signature': verification,
  analyze: packageAnalysis,
  'read-symbols': v.nullable(symbolFileFacts),
  'read-keystore': v.object({ privateKey: text, certificate: text }),
  'convert-bundle': converted,
};

const errorText = v.pipe(text, v.maxLength(maxErrorCharacters));
const answers: v.GenericSchema<PackageResponse> = v.variant('ok', [
  v.object({ ok: v.literal(true), value: v.unknown() }),
  v.object({ ok: v.literal(false), unreadable: v.boolean(), message: errorText, stack: errorText }),
]);

const progress = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

export const parseProgress = (json: Buffer): number => v.parse(progress, JSON.parse(json.toString()));

/** Parses the JSON and the bytes of an answer. Throws if they do not match the kind of task. */
export function parseResponse(kind: keyof PackageResponses, json: Buffer, bytes: Buffer): PackageResponse {
  const answer = v.parse(answers, JSON.parse(json.toString()));
  if (!answer.ok) return answer;
  const drawn = bytes.length > 0 ? bytes : null;
  return { ok: true, value: v.parse(values[kind], kind.startsWith('draw-') ? drawn : answer.value) };
}

/** Recreates an error of the process. */
export function errorOf({ unreadable, message, stack }: Extract<PackageResponse, { ok: false }>): Error {
  const error = unreadable ? new UnreadablePackage(message) : new Error(message);
  if (stack !== '') error.stack = stack;
  return error;
}
