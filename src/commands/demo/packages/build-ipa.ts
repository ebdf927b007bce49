/**
 * Builds small iOS packages: an Info.plist, a tiny executable, and optionally a signature, a profile, icons and labels.
 */
import { buildCodeResources } from './build-code-resources.ts';
import { buildFat, buildSlice, type Cpu, type SignatureSpec, type SliceSpec } from './build-mach-o.ts';
import { buildZip, type ZipEntrySpec, type ZipOptions } from './build-zip.ts';
import { buildCms, createSigningIdentity, type SigningIdentity } from './signing-identity.ts';
import { type PropertyListValue, writePropertyList } from './write-property-list.ts';

export { createSigningIdentity, type SigningIdentity };

export interface ProfileSpec {
  type?: 'development' | 'ad-hoc' | 'enterprise' | 'app-store';
  devices?: string[];
  name?: string;
  uuid?: string;
  teamIdentifier?: string;
  applicationIdentifier?: string;
  createdAt?: Date;
  expiresAt?: Date;
  certificates?: Buffer[];
  /** Signer of the profile; a new identity by default. */
  identity?: SigningIdentity;
  indefiniteLengths?: boolean;
}

export interface IpaSpec {
  bundleIdentifier?: string | null;
  /** CFBundleDisplayName. Null omits the key; the same applies to the others. */
  name?: string | null;
  /** CFBundleVersion. */
  version?: string | null;
  /** CFBundleShortVersionString. */
  shortVersion?: string | null;
  minimumOsVersion?: string | null;
  deviceFamilies?: number[];
  simulator?: boolean;
  /** Encodes the property lists of the app; XML by default. */
  encode?: (value: PropertyListValue) => Buffer;
  /** Additional keys. */
  infoPlist?: Record<string, PropertyListValue>;
  /** Replaces the generated Info.plist; null omits the file. */
  infoPlistFile?: Buffer | null;
  /** `Test.app` by default. */
  appFolder?: string;
  /** Replaces the executable; null omits it. */
  executable?: Buffer | null;
  /** More than one creates a fat executable. */
  cpus?: Cpu[];
  slice?: Omit<SliceSpec, 'cpu' | 'signature'>;
  /** Signs the executable. Null signs it ad hoc; absent leaves it unsigned. */
  identity?: SigningIdentity | null;
  signature?: Partial<SignatureSpec>;
  /** A generated profile, or its bytes. */
  profile?: ProfileSpec | Buffer;
  /** Replaces the list of sealed files. */
  codeResources?: Buffer;
  /** By name in the app folder. */
  files?: Record<string, Buffer | string>;
  /** CFBundleDisplayName by name of the `.lproj` folder without the extension. */
  labels?: Record<string, string>;
  extraEntries?: readonly ZipEntrySpec[];
}

/** Builds an unsigned app for devices, valid by default. */
export function buildIpa(spec: IpaSpec = {}, zip: ZipOptions = {}): Buffer {
  return buildZip(ipaEntries(spec), zip);
}

/** Returns the entries, for tests that change one of them. */
export function ipaEntries(spec: IpaSpec = {}): ZipEntrySpec[] {
  const root = `Payload/${spec.appFolder ?? 'Test.app'}/`;
  return [{ name: 'Payload/' }, { name: root }, ...appEntries(spec, root), ...(spec.extraEntries ?? [])];
}

/** Returns the content of the app folder `root`, which ends with a slash. */
export function appEntries(spec: IpaSpec, root: string): ZipEntrySpec[] {
  const infoPlist = spec.infoPlistFile === undefined ? buildInfoPlist(spec) : spec.infoPlistFile;
  const profile = Buffer.isBuffer(spec.profile) ? spec.profile : spec.profile && buildProfile(spec.profile);
  const resources = {
    ...(profile ? { 'embedded.mobileprovision': profile } : {}),
    ...labelFiles(spec),
    ...spec.files,
  };
  const codeResources = spec.codeResources ?? buildCodeResources(resources);
  const executable =
    spec.executable === undefined ? buildExecutable(spec, infoPlist, codeResources) : spec.executable;
  const files: Record<string, Buffer | string | null> = {
    'Info.plist': infoPlist,
    Test: executable,
    ...(spec.identity === undefined ? {} : { '_CodeSignature/CodeResources': codeResources }),
    ...resources,
  };
  return Object.entries(files).flatMap(([name, content]) =>
    content === null ? [] : [{ name: root + name, content, method: 8 }],
  );
}

export function buildInfoPlist(spec: IpaSpec = {}): Buffer {
  const platform = spec.simulator ? 'iPhoneSimulator' : 'iPhoneOS';
  const keys: Record<string, PropertyListValue | null | undefined> = {
    CFBundleIdentifier: spec.bundleIdentifier === undefined ? 'com.example.test' : spec.bundleIdentifier,
    CFBundleDisplayName: spec.name === undefined ? 'Test' : spec.name,
    CFBundleVersion: spec.version === undefined ? '1' : spec.version,
    CFBundleShortVersionString: spec.shortVersion === undefined ? '1.0' : spec.shortVersion,
    MinimumOSVersion: spec.minimumOsVersion === undefined ? '15.0' : spec.minimumOsVersion,
    CFBundleExecutable: 'Test',
    CFBundlePackageType: 'APPL',
    CFBundleSupportedPlatforms: [platform],
    DTPlatformName: platform.toLowerCase(),
    UIDeviceFamily: spec.deviceFamilies ?? [1, 2],
    ...spec.infoPlist,
  };
  return (spec.encode ?? writePropertyList)(keys);
}

function buildExecutable(spec: IpaSpec, infoPlist: Buffer | null, codeResources: Buffer): Buffer {
  const signature: SignatureSpec | null =
    spec.identity === undefined
      ? null
      : {
          identifier: 'com.example.test',
          identity: spec.identity,
          infoPlist,
          codeResources,
          ...spec.signature,
        };
  const slices = (spec.cpus ?? ['arm64']).map((cpu) => ({
    cpu,
    bytes: buildSlice({ ...spec.slice, cpu, signature }),
  }));
  const [only] = slices;
  return slices.length === 1 && only ? only.bytes : buildFat(slices);
}

function labelFiles({ labels = {}, encode = writePropertyList }: IpaSpec): Record<string, Buffer> {
  return Object.fromEntries(
    Object.entries(labels).map(([folder, label]) => [
      `${folder}.lproj/InfoPlist.strings`,
      encode({ CFBundleDisplayName: label }),
    ]),
  );
}

/** A provisioning profile: CMS signed data over a property list. */
export function buildProfile(spec: ProfileSpec = {}): Buffer {
  const type = spec.type ?? 'ad-hoc';
  const team = spec.teamIdentifier ?? 'TEAM123456';
  const listsDevices = type === 'development' || type === 'ad-hoc';
  const list = writePropertyList({
    Name: spec.name ?? 'Test profile',
    UUID: spec.uuid ?? '11111111-2222-3333-4444-555555555555',
    TeamName: 'Test Team',
    TeamIdentifier: [team],
    ApplicationIdentifierPrefix: [team],
    Platform: ['iOS'],
    CreationDate: spec.createdAt ?? new Date('2026-01-02T03:04:05Z'),
    ExpirationDate: spec.expiresAt ?? new Date('2036-01-02T03:04:05Z'),
    ...(listsDevices ? { ProvisionedDevices: spec.devices ?? ['00008110-000000000000801E'] } : {}),
    ...(type === 'enterprise' ? { ProvisionsAllDevices: true } : {}),
    DeveloperCertificates: spec.certificates ?? [],
    Entitlements: {
      'application-identifier': spec.applicationIdentifier ?? `${team}.com.example.test`,
      'get-task-allow': type === 'development',
    },
  });
  return buildCms({
    content: list,
    identity: spec.identity ?? createSigningIdentity({ commonName: 'Profile signing' }),
    indefiniteLengths: spec.indefiniteLengths ?? false,
  });
}
