/** What `slipway inspect` shows people at a terminal: a page for each package. */
import { systemVersion, versionText } from '../apps/version-text.ts';
import {
  type CertificateFacts,
  localLabels,
  type PackageInfo,
  type ProvisioningProfile,
} from '../packages/package-info.ts';
import type { Inspected } from './inspect-output.ts';
import { formatBytes, printable } from './terminal-text.ts';

export interface TerminalStyle {
  /** Characters of a line; longer texts go on below where they began. */
  columns: number;
  colour: boolean;
}

/** What it is called, and its value; several values stand below each other. */
type Fact = [name: string, value: string | null | readonly string[]];

const nameColumns = 14;
const leastColumns = 40;
const indent = '  ';

export function inspectPage(inspected: Inspected, style: TerminalStyle): string {
  const { info, file, verification } = inspected;
  const platform = info.platform === 'android' ? 'Android' : 'iOS';
  const head = [info.packageName, versionText(info), platform].filter(Boolean).join(' · ');
  const sections = [
    section(null, packageFacts(inspected), style),
    section('Signature', signatureFacts(inspected), style),
    section('Provisioning profile', profileFacts(info.ios?.profile ?? null), style),
    section('File', fileFacts(inspected), style),
    notes([...new Set([...info.warnings, ...verification.problems])], style),
  ];
  const title = [strong(printable(info.name), style), printable(head), printable(file)];
  return `\n${title.join('\n')}\n${sections.join('')}\n`;
}

function packageFacts({ info }: Inspected): Fact[] {
  const labels = Object.entries(localLabels(info.labels)).map(([language, label]) => `${language} ${label}`);
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
    ['Needs', sdkVersion === null ? null : `${sdkText(Number(sdkVersion))}${stated}`],
    ['Made for', targetSdkVersion === null ? null : sdkText(targetSdkVersion)],
    ['At most', android.maxSdkVersion === null ? null : sdkText(android.maxSdkVersion)],
    ['Compiled for', android.compileSdkVersion === null ? null : sdkText(android.compileSdkVersion)],
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

function sdkText(level: number): string {
  return `${systemVersion('android', String(level))} (SDK ${level})`;
}

function iosFacts({ sdkVersion, ios }: PackageInfo): Fact[] {
  if (!ios) return [];
  return [
    ['Needs', sdkVersion === null ? null : `iOS ${sdkVersion}`],
    ['Devices', ios.deviceFamilies.join(', ')],
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

function signatureFacts({ info, verification }: Inspected): Fact[] {
  const { schemes, certificates, lineage, sourceStamp } = info.signing;
  const from = verification.verifiedFromSdk;
  const since = from === null ? '' : ` from ${sdkText(from)} on`;
  const outcome = verification.verified ? `verified${since}` : 'does not verify';
  const apple = info.platform === 'ios';
  // Of an IPA the others are those above the signer's own.
  const shown = apple ? certificates.slice(0, 1) : certificates;
  return [
    [
      'Scheme',
      schemes.length === 0 ? 'not signed' : `${apple ? 'code signature' : schemes.join(', ')}, ${outcome}`,
    ],
    ...shown.flatMap(certificateFacts),
    ['Rotation', lineage],
    ['Source stamp', sourceStamp ? 'yes' : null],
  ];
}

function certificateFacts({ subject, key, validFrom, validUntil, sha1, sha256 }: CertificateFacts): Fact[] {
  return [
    ['Signer', subject],
    ['Key', `${key}, valid from ${validFrom.slice(0, 10)} to ${validUntil.slice(0, 10)}`],
    ['SHA-1', sha1],
    ['SHA-256', sha256],
  ];
}

function profileFacts(profile: ProvisioningProfile | null): Fact[] {
  if (!profile) return [];
  const team = [profile.teamName, profile.teamIdentifier && `(${profile.teamIdentifier})`]
    .filter(Boolean)
    .join(' ');
  const devices = profile.devices.length;
  return [
    ['Name', profile.name],
    ['Type', profile.intact ? profile.type : `${profile.type}, changed after it was signed`],
    ['Team', team],
    ['Devices', devices === 0 ? null : String(devices)],
    ['Valid', `${profile.createdAt?.slice(0, 10) ?? '…'} to ${profile.expiresAt?.slice(0, 10) ?? '…'}`],
    ['UUID', profile.uuid],
    [
      'Entitlements',
      Object.entries(profile.entitlements).map(([key, value]) => `${key} ${JSON.stringify(value)}`),
    ],
  ];
}

function fileFacts({ sizeBytes, md5, sha256 }: Inspected): Fact[] {
  return [
    ['Size', formatBytes(sizeBytes)],
    ['MD5', md5],
    ['SHA-256', sha256],
  ];
}

/** Empty without facts. */
function section(title: string | null, facts: readonly Fact[], style: TerminalStyle): string {
  const lines = facts.flatMap(([name, stated]) => {
    const values = (typeof stated === 'string' ? [stated] : (stated ?? [])).map(printable).filter(Boolean);
    const below = values.flatMap((value) => wrapped(value, style.columns - indent.length - nameColumns));
    return below.map((text, index) => `${indent}${(index === 0 ? name : '').padEnd(nameColumns)}${text}\n`);
  });
  if (lines.length === 0) return '';
  return `\n${title === null ? '' : `${strong(title, style)}\n`}${lines.join('')}`;
}

function notes(sentences: readonly string[], style: TerminalStyle): string {
  const lines = sentences.flatMap((sentence) => {
    const [first = '', ...rest] = wrapped(printable(sentence), style.columns - 4);
    return [`${indent}${warning('!', style)} ${first}\n`, ...rest.map((text) => `${indent}  ${text}\n`)];
  });
  return lines.length === 0 ? '' : `\n${lines.join('')}`;
}

/** Lines of at most so many characters, broken at spaces where there are any. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  const width = Math.max(leastColumns, columns);
  let rest = [...text];
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > 0 ? space : width;
    lines.push(rest.slice(0, end).join(''));
    rest = rest.slice(space > 0 ? end + 1 : end);
  }
  return [...lines, rest.join('')];
}

function strong(text: string, { colour }: TerminalStyle): string {
  return colour ? `\x1b[1m${text}\x1b[22m` : text;
}

function warning(text: string, { colour }: TerminalStyle): string {
  return colour ? `\x1b[33m${text}\x1b[39m` : text;
}
