/** Determines what prevents an installation. Pure. */

import type { IosFacts, PackageInfo, SignatureVerification } from '../../packages/package-info.ts';
import { formatDay } from '../../web/components/formats.ts';
import type { Build } from '../app.ts';
import { findingText } from '../findings/finding-texts.ts';
import { buildTexts } from './build-texts.ts';

/**
 * Returns the known reasons why phones reject this build, as full sentences for testers and developers. `verification` is null
 * until the signature has been verified. `now`: epoch milliseconds.
 */
export function installBlockers({ info, verification, apk }: CheckedBuild, now: number): string[] {
  return [...apkBlockers(apk), ...declaredBlockers(info), ...expiryBlockers(info, verification, now)];
}

export type CheckedBuild = Pick<Build, 'info' | 'verification' | 'apk'>;

function apkBlockers(apk: Build['apk']): string[] {
  const said = buildTexts.blockers;
  if (apk?.state === 'converting') return [said.converting];
  return apk?.state === 'failed' ? [said.notConverted] : [];
}

/**
 * Returns all warnings about a build, without duplicates. The findings in `info.warnings` are worded for developers and replace
 * the generic ones.
 */
export function buildNotes(
  { info, verification, apk, uploadWarnings }: CheckedBuild & Pick<Build, 'uploadWarnings'>,
  now: number,
): { blocked: boolean; sentences: string[] } {
  const stated = declaredBlockers(info);
  const later = expiryBlockers(info, verification, now);
  const ofPackage = info.warnings.length > 0 ? info.warnings.map(findingText) : stated;
  const failed =
    apk?.state === 'failed'
      ? [buildTexts.blockers.notConvertedBecause({ reason: findingText(apk.reason) })]
      : [];
  const problems = later.length > 0 && verification ? verification.problems.map(findingText) : [];
  return {
    blocked: failed.length + stated.length + later.length > 0,
    sentences: [
      ...new Set([...failed, ...later, ...problems, ...ofPackage, ...uploadWarnings.map(findingText)]),
    ],
  };
}

/** Whether an APK or a verification result will arrive without user action. */
export const isAwaitingVerification = ({ info, verification, apk }: CheckedBuild) =>
  verification === null && info.signing.schemes.length > 0 && apk?.state !== 'failed';

/** Findings from the package alone. */
function declaredBlockers({ signing, android, ios }: PackageInfo): string[] {
  const said = buildTexts.blockers;
  if (ios?.simulator) return [said.simulator];
  if (signing.schemes.length === 0) return [said.unsigned];
  if (android?.testOnly) return [said.testOnly];
  if (!ios) return [];
  if (ios.encrypted) return [said.encrypted];
  const ofProfile = profileBlockers(ios);
  return ofProfile.length > 0 || ios.profile?.intact ? ofProfile : [said.profileChanged];
}

/** Reasons why no registered device can be in the profile. */
export function profileBlockers(ios: IosFacts | null): string[] {
  const said = buildTexts.blockers;
  if (!ios || ios.simulator) return [said.simulator];
  if (!ios.profile) return [said.noProfile];
  return ios.profile.type === 'app-store' ? [said.appStore] : [];
}

/** Findings from signature verification and the current date. */
function expiryBlockers(
  info: PackageInfo,
  verification: SignatureVerification | null,
  now: number,
): string[] {
  const said = buildTexts.blockers;
  const blockers: string[] = [];
  if (info.ios?.simulator || info.signing.schemes.length === 0) return blockers;
  if (verification?.verified === false) blockers.push(said.notVerified);
  const expiresAt = Date.parse(info.ios?.profile?.expiresAt ?? '');
  if (expiresAt <= now) blockers.push(said.profileExpired({ day: formatDay(expiresAt) }));
  return blockers;
}
