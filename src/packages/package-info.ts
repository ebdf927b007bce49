/** The facts that Slipway reads from an uploaded binary. Plain JSON values only: they come from another process. */
import { readable } from './sentence.ts';

export type Platform = 'android' | 'ios';

export interface PackageInfo {
  platform: Platform;
  /** Android: `package` of the manifest. iOS: CFBundleIdentifier. */
  packageName: string;
  /** The default label, else the package name. Never empty. */
  name: string;
  /** Every localized label by BCP 47 tag, the default one under `""`. Empty when the package states none. */
  labels: Record<string, string>;
  /** Android: android:versionCode, `"0"` when absent. iOS: CFBundleVersion, `""` when absent. */
  versionCode: string;
  /** Android: android:versionName. iOS: CFBundleShortVersionString. */
  versionName: string | null;
  /** Android: minSdkVersion as the platform reads it, `"1"` when absent. iOS: MinimumOSVersion, null when absent. */
  sdkVersion: string | null;
  /** The value stated in the package; null when absent. */
  rawSdkVersion: string | null;
  /** Android: targetSdkVersion as the platform reads it: the minimum when absent, an unknown codename is 10000. iOS: null. */
  targetSdkVersion: number | null;
  /** SHA-1 of the certificate of the first signer; null when unsigned. */
  signature: string | null;
  signing: SigningFacts;
  icon: IconChoice | null;
  android: AndroidFacts | null;
  ios: IosFacts | null;
  /** Warnings about an accepted package; full sentences. */
  warnings: string[];
}

export type SigningScheme = 'v1' | 'v2' | 'v3' | 'v3.1' | 'apple';

export interface SigningFacts {
  /** Schemes present, oldest first; empty when unsigned. */
  schemes: SigningScheme[];
  /** Signers of the newest scheme present, first signer first. */
  certificates: CertificateFacts[];
  /** SHA-256 of the certificates of a v3 or v3.1 rotation, oldest first; empty without rotation. */
  lineage: string[];
  /** True when a source stamp certificate is in the signing block. */
  sourceStamp: boolean;
}

/** The result of signature verification, which hashes the whole package. */
export interface SignatureVerification {
  /** Whether a present scheme verifies on a supported version of the platform. */
  verified: boolean;
  /** Android: lowest API level on which the package verifies, at least its own minimum; null when it does not or on iOS. */
  verifiedFromSdk: number | null;
  /** Actionable reasons for the failure; empty when verified. */
  problems: string[];
}

export interface CertificateFacts {
  /** Lower-case hexadecimal of the DER certificate. */
  sha1: string;
  sha256: string;
  /** RFC 4514 order, as printed by openssl and apksigner, e.g. `CN=Android Debug, O=Android, C=US`. */
  subject: string;
  issuer: string;
  /** For example `RSA 2048`, `EC 256`, `DSA 1024`. */
  key: string;
  /** ISO 8601 UTC. */
  validFrom: string;
  validUntil: string;
}

/** Which file of the archive is the icon. Drawing it is a later step. */
export interface IconChoice {
  kind: 'png' | 'webp' | 'jpeg' | 'gif' | 'avif' | 'adaptive' | 'vector' | 'asset-catalog';
  /** Entry name in the archive. */
  source: string;
  /** Pixels of a raster icon; null when known only after drawing. */
  width: number | null;
  height: number | null;
}

export interface AndroidFacts {
  versionCodeMajor: number | null;
  minSdkCodename: string | null;
  targetSdkCodename: string | null;
  maxSdkVersion: number | null;
  compileSdkVersion: number | null;
  permissions: string[];
  features: { name: string; required: boolean }[];
  /** Folder names below `lib/`, sorted. */
  nativeAbis: string[];
  debuggable: boolean;
  testOnly: boolean;
}

export type ProfileType = 'development' | 'ad-hoc' | 'enterprise' | 'app-store';

export interface ProvisioningProfile {
  type: ProfileType;
  name: string;
  uuid: string;
  teamName: string | null;
  teamIdentifier: string | null;
  /** ISO 8601 UTC. */
  createdAt: string | null;
  expiresAt: string | null;
  /** UDIDs of ProvisionedDevices; empty unless development or ad hoc. */
  devices: string[];
  entitlements: Record<string, unknown>;
  /** SHA-1 of each DeveloperCertificates entry. */
  certificateSha1s: string[];
  /** The CMS signature over the profile is intact. */
  intact: boolean;
}

export interface IosFacts {
  /** `UIDeviceFamily` as names. */
  deviceFamilies: ('iphone' | 'ipad' | 'apple-tv' | 'apple-watch' | 'vision' | 'mac')[];
  executable: string | null;
  /** CFBundleSupportedPlatforms or DTPlatformName names a simulator. */
  simulator: boolean;
  /** The main executable is encrypted by the App Store (LC_ENCRYPTION_INFO cryptid ≠ 0). */
  encrypted: boolean;
  profile: ProvisioningProfile | null;
  /** Bundle identifiers of `PlugIns/*.appex` (also in app clips and watch apps), `AppClips/*.app`, `Watch/*.app` in the app. */
  extensions: string[];
  appClips: string[];
  watchApps: string[];
}

/** Maximum length of a refusal. */
export const maxRefusalLength = 300;

/** The file is not a supported package. The user-facing message says what it is instead. */
export class UnreadablePackage extends Error {
  override name = 'UnreadablePackage';
  #workMs = 0;

  /** @param message is reduced to one line of at most `maxRefusalLength` characters, because it may quote the package */
  constructor(message: string, options?: ErrorOptions) {
    super(readable(message, maxRefusalLength), options);
  }

  /** How long processes worked on the package, without the wait for one; 0 if none did. */
  get workMs(): number {
    return this.#workMs;
  }

  /** Sets `workMs`. */
  after(workMs: number): this {
    this.#workMs = workMs;
    return this;
  }
}

/** The package reader process could not start, or was killed while starting. Not related to the package. */
export class PackageReaderUnavailable extends Error {
  override name = 'PackageReaderUnavailable';
}

/** Returns the labels by language, without the default one, which is `name`. */
export function localLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([language]) => language !== ''));
}

/** DER in base64: a private key as PKCS #8, and its certificate. */
export interface EncodedSigningKey {
  privateKey: string;
  certificate: string;
}

export interface ReadPackage {
  info: PackageInfo;
  /** What making the APK of an Android App Bundle needs, whose facts these are; null for other files. */
  conversion: ConversionNeeds | null;
  /** Where the APK with these facts is in a set of APKs; null for other files. */
  universalApk: { position: number; sizeBytes: number } | null;
}

/** Known before an app bundle is converted. */
export interface ConversionNeeds {
  /** The APK, roughly: how well files compress is known only when it is written. */
  apkBytes: number;
  /** All files of the APK, uncompressed. */
  contentBytes: number;
}

export interface ConvertedBundle {
  /** The facts of the APK, with what the bundle asks for and the APK does not have as warnings. */
  info: PackageInfo;
  sizeBytes: number;
  /** SHA-256 of the APK, lowercase hexadecimal. */
  sha256: string;
}
