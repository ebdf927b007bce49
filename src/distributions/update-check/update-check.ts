/** Determines whether the page has an update for an app. Pure. */
import type { Build } from '../../apps/app.ts';
import { androidObstacle, outdatedIos } from '../../devices/device-compatibility.ts';
import type { PackageInfo } from '../../packages/package-info.ts';

/** The running build, if Slipway knows it. */
export interface RunningBuild {
  revision: number;
  versionCode: string;
  signature: string | null;
  /** The page no longer offers it, or it was deleted. */
  withdrawn: boolean;
}

export const updateReasons = {
  newer_on_page: 'The page serves a newer build.',
  rolled_back: 'The page was rolled back to an earlier build.',
  up_to_date: 'The page serves the build that runs.',
  newer_than_page: 'The build that runs is newer than that of the page.',
  os_too_old: 'The build of the page needs a newer version of the operating system.',
  device_not_in_profile: 'The provisioning profile of the build does not contain the device.',
  not_installable: 'The build of the page cannot replace the one that runs, or cannot be installed at all.',
} as const;
export type UpdateReason = keyof typeof updateReasons;

export interface UpdateQuestion {
  latest: Pick<Build, 'revision' | 'info'>;
  /** Null if Slipway does not know the build; then only its version is known. */
  running: RunningBuild | null;
  /** The page requires builds with a lower revision to update. */
  mandatoryFrom: number | null;
  versionCode: string | undefined;
  versionName: string | undefined;
  /** Android: API level. iOS: version. */
  osVersion: string | undefined;
  /** UDID. */
  deviceId: string | undefined;
  /** Whether anything prevents everyone from installing the build of the page. */
  blocked: boolean;
}

export interface UpdateDecision {
  available: boolean;
  reason: UpdateReason;
  mandatory: boolean;
}

export function decideUpdate(question: UpdateQuestion): UpdateDecision {
  const reason = compare(question);
  const { info } = question.latest;
  const isOffered = reason === 'newer_on_page' || (reason === 'rolled_back' && info.platform === 'ios');
  if (!isOffered) return { available: false, reason, mandatory: false };
  const obstacle = obstacleOf(question);
  if (obstacle) return { available: false, reason: obstacle, mandatory: false };
  // An unknown build that is offered an update counts as older than all others.
  const mandatory = (question.running?.revision ?? 0) < (question.mandatoryFrom ?? 0);
  return { available: true, reason, mandatory };
}

function compare({ latest, running, versionCode, versionName }: UpdateQuestion): UpdateReason {
  if (!running) return compareVersions(latest, versionCode ?? '', versionName);
  if (running.revision === latest.revision) return 'up_to_date';
  if (running.revision > latest.revision) return 'rolled_back';
  return 'newer_on_page';
}

/** For an unknown build, for example one from a developer's machine. */
function compareVersions(
  { info }: Pick<Build, 'info'>,
  versionCode: string,
  versionName: string | undefined,
): UpdateReason {
  const order = compareDotted(info.versionCode, versionCode);
  if (order !== 0) return order > 0 ? 'newer_on_page' : 'newer_than_page';
  const isSameName = versionName === undefined || info.versionName === null;
  const byName = isSameName ? 0 : compareDotted(info.versionName ?? '', versionName ?? '');
  if (byName === 0) return 'up_to_date';
  return byName > 0 ? 'newer_on_page' : 'newer_than_page';
}

/**
 * Compares dotted numbers (CFBundleVersion: developer.apple.com, "Information Property List", CFBundleVersion). Missing and
 * non-numeric parts count as 0.
 */
export function compareDotted(one: string, other: string): number {
  const [left, right] = [one, other].map((text) => text.split('.').map(numberOf));
  const length = Math.max(left?.length ?? 0, right?.length ?? 0);
  for (let at = 0; at < length; at++) {
    const difference = (left?.[at] ?? 0n) - (right?.[at] ?? 0n);
    if (difference !== 0n) return difference > 0n ? 1 : -1;
  }
  return 0;
}

const numberOf = (part: string) => BigInt(/^\d{1,40}/.exec(part)?.[0] ?? '0');

function obstacleOf({ latest, running, ...question }: UpdateQuestion): UpdateReason | null {
  const { info } = latest;
  if (question.blocked) return 'not_installable';
  const system = question.osVersion === undefined ? null : systemObstacle(info, question.osVersion);
  if (system) return system;
  const devices = info.ios?.profile?.devices ?? [];
  if (question.deviceId !== undefined && devices.length > 0 && !devices.includes(question.deviceId))
    return 'device_not_in_profile';
  if (info.platform !== 'android') return null;
  // Android does not replace an app with a package that has a lower version code or another signer.
  const isLower = compareDotted(info.versionCode, running?.versionCode ?? question.versionCode ?? '') < 0;
  const isOfOther = running !== null && running.signature !== info.signature;
  return isLower || isOfOther ? 'not_installable' : null;
}

function systemObstacle(info: PackageInfo, osVersion: string): UpdateReason | null {
  if (info.platform === 'ios') return outdatedIos(info, osVersion) ? 'os_too_old' : null;
  const obstacle = androidObstacle(info, Number.parseInt(osVersion, 10));
  if (obstacle === null) return null;
  return obstacle === 'too-old' ? 'os_too_old' : 'not_installable';
}
