/** Predicts how a phone treats one build as an update of another. Pure. */
import type { PackageInfo, ProvisioningProfile } from '../../packages/package-info.ts';
import type { Build } from '../app.ts';
import { buildTexts } from '../builds/build-texts.ts';
import { minimumSystem } from '../builds/version-text.ts';

/** Full sentences. */
export interface UpdateNotes {
  /** Reasons why phones reject the update until the app and its data are removed. */
  signer: string[];
  /** Reasons why some phones cannot install the update. */
  worth: string[];
}

const t = buildTexts.compare.notes;

export function compareUpdate(from: Build, to: Build): UpdateNotes {
  const revisions = [from.revision, to.revision] as const;
  if (from.info.platform === 'ios') return compareIos(from.info, to.info, revisions);
  const signer = compareSigners(from.info, to.info);
  return {
    signer: [
      ...(signer === 'other' ? [t.signerAndroid({ from: revisions[0], to: revisions[1] })] : []),
      ...(signer === 'lost' ? [t.signerLost({ from: revisions[0], to: revisions[1] })] : []),
    ],
    worth: [
      ...(signer === 'rotated' ? [t.rotated] : []),
      ...(isOlder(from.info, to.info) ? [t.olderVersion({ from: revisions[0], to: revisions[1] })] : []),
      ...raisedMinimumSystem(from.info, to.info, to.revision),
    ],
  };
}

type Signers = 'same' | 'rotated' | 'other' | 'lost';

/**
 * Android accepts an update from the same signers, or after a proven rotation
 * (https://source.android.com/docs/security/features/apksigning/v3). Unsigned builds cannot have been installed.
 */
function compareSigners(from: PackageInfo, to: PackageInfo): Signers {
  const [old, fresh] = [from, to].map(({ signing }) =>
    signing.certificates.map(({ sha256 }) => sha256.toLowerCase()).sort(),
  );
  if (!old?.[0]) return 'same';
  if (!fresh?.[0]) return 'lost';
  if (old.join() === fresh.join()) return 'same';
  const ancestors = to.signing.lineage.map((sha256) => sha256.toLowerCase());
  const [only] = old;
  return old.length === 1 && ancestors.includes(only) ? 'rotated' : 'other';
}

/** versionCodeMajor is the high part of the long version code (PackageInfo.getLongVersionCode). */
function isOlder(from: PackageInfo, to: PackageInfo): boolean {
  const code = ({ android, versionCode }: PackageInfo) => ({
    major: android?.versionCodeMajor ?? 0,
    minor: Number(versionCode),
  });
  const [old, fresh] = [code(from), code(to)];
  return fresh.major < old.major || (fresh.major === old.major && fresh.minor < old.minor);
}

function raisedMinimumSystem(from: PackageInfo, to: PackageInfo, toRevision: number): string[] {
  const needed = minimumSystem(to);
  return needed !== null && comparePoints(to.sdkVersion, from.sdkVersion) > 0
    ? [t.system({ to: toRevision, needed })]
    : [];
}

/** Orders `15.1` after `15` and before `15.10`. Non-numeric parts count as 0. */
function comparePoints(one: string | null, other: string | null): number {
  const [first, second] = [one, other].map((text) =>
    (text ?? '').split('.').map((part) => Number(part) || 0),
  );
  const length = Math.max(first?.length ?? 0, second?.length ?? 0);
  for (let index = 0; index < length; index++) {
    const difference = (first?.[index] ?? 0) - (second?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** iOS requires the same team, but accepts a different certificate of that team. */
function compareIos(from: PackageInfo, to: PackageInfo, revisions: readonly [number, number]): UpdateNotes {
  const [old, fresh] = [from.ios?.profile, to.ios?.profile];
  const teams = [old?.teamIdentifier, fresh?.teamIdentifier];
  const otherTeam = teams[0] && teams[1] && teams[0] !== teams[1];
  return {
    signer: otherTeam ? [t.teamIos({ from: revisions[0], to: revisions[1] })] : [],
    worth: [...raisedMinimumSystem(from, to, revisions[1]), ...removedDevices(old, fresh)],
  };
}

/** Enterprise profiles include all devices and list none. */
function removedDevices(
  from: ProvisioningProfile | null | undefined,
  to: ProvisioningProfile | null | undefined,
): string[] {
  if (!from || !to || to.devices.length === 0) return [];
  const kept = new Set(to.devices.map((udid) => udid.toLowerCase()));
  const removed = from.devices.filter((udid) => !kept.has(udid.toLowerCase()));
  return removed.length > 0 ? [t.devicesRemoved({ count: removed.length })] : [];
}
