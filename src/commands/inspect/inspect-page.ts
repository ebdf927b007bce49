/** The terminal output of `slipway inspect`: a page per package, starting with problems that prevent the installation. */
import { androidRelease, requiredSystem, versionText } from '../../apps/builds/version-text.ts';
import { formatBytes } from '../../core/byte-size.ts';
import {
  type CertificateFacts,
  type IosFacts,
  localLabels,
  type PackageInfo,
  type ProvisioningProfile,
} from '../../packages/package-info.ts';
import { printable } from '../terminal-text.ts';
import { type Fact, notes, paragraph, section, type TerminalStyle } from './inspect-layout.ts';
import type { Inspected } from './inspect-output.ts';

/** `now` determines which certificates and profiles have expired. */
export function inspectPage(inspected: Inspected, style: TerminalStyle, now: Date): string {
  const { info, file, sizeBytes, verification } = inspected;
  const platform = info.platform === 'android' ? 'Android' : 'iOS';
  const head = [info.packageName, versionText(info), platform].filter(Boolean).join(' · ');
  const profile = info.ios?.profile ?? null;
  const sentences = [...info.warnings, ...verification.problems, ...expiryNotes(profile, now)];
  return [
    '\n',
    paragraph(info.name, style, 'strong'),
    paragraph(head, style),
    paragraph(`${file} · ${formatBytes(sizeBytes)}`, style, 'faint'),
    notes([...new Set(sentences)], style, 'warning'),
    section(null, packageFacts(inspected), style),
    section('Signature', signatureFacts(inspected, now), style),
    section('Provisioning profile', profileFacts(profile, now), style),
    section('File', fileFacts(inspected), style),
    '\n',
  ].join('');
}

/** Returns the page of a file that is not a package or cannot be opened. */
export function unreadablePage(file: string, reason: string, style: TerminalStyle): string {
  return `\n${paragraph(file, style, 'strong')}${notes([reason], style, 'bad').slice(1)}`;
}

function packageFacts({ info }: Inspected): Fact[] {
  const labels = Object.entries(localLabels(info.labels))
    .filter(([, label]) => printable(label) !== printable(info.name))
    .map(([language, label]) => `${language} ${label}`);
  return [
    ...(info.android ? androidFacts(info) : iosFacts(info)),
    ['Icon', iconText(info)],
    ['Labels', labels],
  ];
}

function androidFacts({ sdkVersion, rawSdkVersion, targetSdkVersion, android }: PackageInfo): Fact[] {
  if (!android) return [];
  const stated = rawSdkVersion === null ? ', not stated' : '';
  const features = android.features.map(({ name, required }) => (required ? name : `${name} (not required)`));
  return [
    ['Min SDK', sdkVersion === null ? null : `${sdkText(Number(sdkVersion))}${stated}`],
    ['Target SDK', targetSdkVersion === null ? null : sdkText(targetSdkVersion)],
    ['Max SDK', android.maxSdkVersion === null ? null : sdkText(android.maxSdkVersion)],
    ['Compile SDK', android.compileSdkVersion === null ? null : sdkText(android.compileSdkVersion)],
    ['Native code', android.nativeAbis.join(', ')],
    [
      'Build',
      [...(android.debuggable ? ['debuggable'] : []), ...(android.testOnly ? ['for tests only'] : [])].join(
        ', ',
      ),
    ],
    ['Permissions', android.permissions],
    ['Features', features],
  ];
}

/** Returns the API level alone if its version is unknown. */
function sdkText(level: number): string {
  const release = androidRelease(level);
  return release === null ? `API ${level}` : `${release} (SDK ${level})`;
}

const deviceNames: Readonly<Record<IosFacts['deviceFamilies'][number], string>> = {
  iphone: 'iPhone',
  ipad: 'iPad',
  'apple-tv': 'Apple TV',
  'apple-watch': 'Apple Watch',
  vision: 'Apple Vision',
  mac: 'Mac',
};

function iosFacts(info: PackageInfo): Fact[] {
  const { ios } = info;
  if (!ios) return [];
  return [
    ['Minimum OS', requiredSystem(info)],
    ['Devices', ios.deviceFamilies.map((family) => deviceNames[family]).join(', ')],
    [
      'Build',
      [...(ios.simulator ? ['for the simulator'] : []), ...(ios.encrypted ? ['encrypted'] : [])].join(', '),
    ],
    ['Executable', ios.executable],
    ['Extensions', ios.extensions],
    ['App clips', ios.appClips],
    ['Watch apps', ios.watchApps],
  ];
}

function iconText({ icon }: PackageInfo): string | null {
  if (!icon) return null;
  return icon.width === null ? icon.source : `${icon.source}, ${icon.width} × ${icon.height}`;
}

function signatureFacts({ info, verification }: Inspected, now: Date): Fact[] {
  const { schemes, certificates, lineage, sourceStamp } = info.signing;
  const apple = info.platform === 'ios';
  const from = verification.verifiedFromSdk;
  const since = from === null ? '' : ` from ${sdkText(from)} on`;
  const outcome = verification.verified ? `verified${since}` : 'does not verify';
  // An IPA's other certificates are those of the issuers.
  const shown = apple ? certificates.slice(0, 1) : certificates;
  return [
    schemes.length === 0
      ? ['Scheme', 'not signed', 'warning']
      : [
          'Scheme',
          `${apple ? 'code signature' : schemes.join(', ')}, ${outcome}`,
          verification.verified ? 'good' : 'bad',
        ],
    // Expiry matters only for iOS: Android installs packages signed with an expired certificate.
    ...shown.flatMap((certificate) => certificateFacts(certificate, apple ? now : null)),
    ['Rotation', lineage],
    ['Source stamp', sourceStamp ? 'yes' : null],
  ];
}

function certificateFacts(certificate: CertificateFacts, now: Date | null): Fact[] {
  const { subject, key, validFrom, validUntil, sha1, sha256 } = certificate;
  const expired = now !== null && hasPassed(validUntil, now) ? ', expired' : '';
  return [
    ['Signer', subject],
    ['Key', `${key}, valid from ${dateOf(validFrom)} to ${dateOf(validUntil)}${expired}`],
    ['SHA-1', sha1],
    ['SHA-256', sha256],
  ];
}

function profileFacts(profile: ProvisioningProfile | null, now: Date): Fact[] {
  if (!profile) return [];
  const team = [profile.teamName, profile.teamIdentifier && `(${profile.teamIdentifier})`]
    .filter(Boolean)
    .join(' ');
  const devices = profile.devices.length;
  const expired = hasPassed(profile.expiresAt, now) ? ', expired' : '';
  return [
    ['Name', profile.name],
    ['Type', profile.intact ? profile.type : `${profile.type}, changed after it was signed`],
    ['Team', team],
    ['Devices', devices === 0 ? null : String(devices)],
    ['Valid', `${dateOf(profile.createdAt)} to ${dateOf(profile.expiresAt)}${expired}`],
    ['UUID', profile.uuid],
    [
      'Entitlements',
      Object.entries(profile.entitlements).map(([key, value]) => `${key} ${valueText(value)}`),
    ],
  ];
}

function expiryNotes(profile: ProvisioningProfile | null, now: Date): string[] {
  if (!profile || !hasPassed(profile.expiresAt, now)) return [];
  return [`The provisioning profile expired on ${dateOf(profile.expiresAt)}, so no device installs the app.`];
}

function hasPassed(date: string | null, now: Date): boolean {
  return date !== null && Date.parse(date) < now.getTime();
}

function dateOf(date: string | null): string {
  return date?.slice(0, 10) ?? '…';
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(valueText).join(', ') : JSON.stringify(value);
}

function fileFacts({ md5, sha256 }: Inspected): Fact[] {
  return [
    ['MD5', md5],
    ['SHA-256', sha256],
  ];
}
