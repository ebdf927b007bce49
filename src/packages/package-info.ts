/** The facts that Slipway reads from an uploaded package. Plain JSON values only, because they come from another process. */
import { readable } from './sentence.ts';

export type Platform = 'android' | 'ios';

export interface PackageInfo {
  platform: Platform;
  /** Android: `package` of the manifest. iOS: CFBundleIdentifier. */
  packageName: string;
  /** The default label, otherwise the package name. Never empty. */
  name: string;
  /** Every localized label by BCP 47 tag, with the default one under `""`. Empty if the package states none. */
  labels: Record<string, string>;
  /** Android: android:versionCode, `"0"` if absent. iOS: CFBundleVersion, `""` if absent. */
  versionCode: string;
  /** Android: android:versionName. iOS: CFBundleShortVersionString. */
  versionName: string | null;
  /** Android: minSdkVersion as the platform reads it, `"1"` if absent. iOS: MinimumOSVersion, null if absent. */
  sdkVersion: string | null;
  /** The value stated in the package; null if absent. */
  rawSdkVersion: string | null;
  /** Android: targetSdkVersion as the platform reads it: the minimum if absent, and 10000 for an unknown codename. iOS: null. */
  targetSdkVersion: number | null;
  /** SHA-1 of the certificate of the first signer; null if unsigned. */
  signature: string | null;
  signing: SigningFacts;
  icon: IconChoice | null;
  android: AndroidFacts | null;
  ios: IosFacts | null;
  /** Warnings about an accepted package, as full sentences. */
  warnings: string[];
}

export type SigningScheme = 'v1' | 'v2' | 'v3' | 'v3.1' | 'apple';

export interface SigningFacts {
  /** Schemes present, oldest first; empty if unsigned. */
  schemes: SigningScheme[];
  /** Signers of the newest scheme present, first signer first. */
  certificates: CertificateFacts[];
  /** SHA-256 of the certificates of a v3 or v3.1 rotation, oldest first; empty without rotation. */
  lineage: string[];
  /** Whether a source stamp certificate is in the signing block. */
  sourceStamp: boolean;
}

/** The result of signature verification, which hashes the whole package. */
export interface SignatureVerification {
  /** Whether any present scheme verifies on a supported version of the platform. */
  verified: boolean;
  /** Android: the lowest API level on which the package verifies, not below its own minimum; null if there is none. iOS: null. */
  verifiedFromSdk: number | null;
  /** Actionable reasons for the failure; empty if verified. */
  problems: string[];
}

export interface CertificateFacts {
  /** Lowercase hexadecimal, of the DER certificate. */
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

/** The file of the archive that is the icon. It is drawn later. */
export interface IconChoice {
  kind: 'png' | 'webp' | 'jpeg' | 'gif' | 'avif' | 'adaptive' | 'vector' | 'asset-catalog';
  /** Entry name in the archive. */
  source: string;
  /** Width of a raster icon in pixels; null if it is only known after drawing. */
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
  /** UDIDs in ProvisionedDevices; empty unless development or ad hoc. */
  devices: string[];
  entitlements: Record<string, unknown>;
  /** SHA-1 of each DeveloperCertificates entry. */
  certificateSha1s: string[];
  /** Whether the CMS signature of the profile is intact. */
  intact: boolean;
}

export interface IosFacts {
  /** `UIDeviceFamily` as names. */
  deviceFamilies: ('iphone' | 'ipad' | 'apple-tv' | 'apple-watch' | 'vision' | 'mac')[];
  executable: string | null;
  /** Whether CFBundleSupportedPlatforms or DTPlatformName names a simulator. */
  simulator: boolean;
  /** Whether the main executable is encrypted by the App Store (LC_ENCRYPTION_INFO cryptid ≠ 0). */
  encrypted: boolean;
  profile: ProvisioningProfile | null;
  /** Bundle identifiers of `PlugIns/*.appex` (including those in app clips and watch apps), `AppClips/*.app`, `Watch/*.app` in the app. */
  extensions: string[];
  appClips: string[];
  watchApps: string[];
}

/** Maximum length of a refusal. */
export const maxRefusalLength = 300;

/** The file is not a supported package. The message for users states what it is instead. */
export class UnreadablePackage extends Error {
  override name = 'UnreadablePackage';
  #workMs = 0;

  /** @param message is reduced to one line of at most `maxRefusalLength` characters, because it may quote the package */
  constructor(message: string, options?: ErrorOptions) {
    super(readable(message, maxRefusalLength), options);
  }

  /** How long processes worked on the package, excluding time in the queue; 0 if none did. */
  get workMs(): number {
    return this.#workMs;
  }

  /** Sets `workMs`. */
  after(workMs: number): this {
    this.#workMs = workMs;
    return this;
  }
}

/** The package reader process could not start, or was killed while starting. This is unrelated to the package. */
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
  /** Requirements for converting an Android App Bundle, if these are the facts of one; null for other files. */
  conversion: ConversionNeeds | null;
  /** Position of the APK with these facts in a set of APKs; null for other files. */
  universalApk: { position: number; sizeBytes: number } | null;
  /** The commit that an Android package names itself; null for other files. */
  commit: string | null;
}

/** Requirements known before an app bundle is converted. */
export interface ConversionNeeds {
  /** Approximate size of the APK, because the compression of files is only known after writing it. */
  apkBytes: number;
  /** Total size of all files in the APK, uncompressed. */
  contentBytes: number;
}

export interface ConvertedBundle {
  /** The facts of the APK. Its warnings include requests of the bundle that are not applied to the APK. */
  info: PackageInfo;
  sizeBytes: number;
  /** SHA-256 of the APK, lowercase hexadecimal. */
  sha256: string;
}
