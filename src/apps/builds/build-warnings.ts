/** Pure functions that determine what prevents an installation. */
import type { PackageInfo, SignatureVerification } from '../../packages/package-info.ts';
import { formatDay } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import type { Build } from '../app.ts';

/**
 * Returns the known reasons why phones reject this build, as full sentences for testers and developers. `verification`
 * is null until the signature is verified. `now`: epoch milliseconds.
 */
export function installBlockers(
  info: PackageInfo,
  verification: SignatureVerification | null,
  now: number,
): string[] {
  return [...declaredBlockers(info), ...expiryBlockers(info, verification, now)];
}

/**
 * Returns all warnings about a build without duplicates. The package reader already reports its findings in
 * `info.warnings` in words for developers, which replace the generic ones.
 */
export function buildNotes(
  { info, verification, uploadWarnings }: Pick<Build, 'info' | 'verification' | 'uploadWarnings'>,
  now: number,
): { blocked: boolean; sentences: string[] } {
  const stated = declaredBlockers(info);
  const later = expiryBlockers(info, verification, now);
  const ofPackage = info.warnings.length > 0 ? info.warnings : stated;
  const problems = later.length > 0 && verification ? verification.problems : [];
  return {
    blocked: stated.length + later.length > 0,
    sentences: [...new Set([...later, ...problems, ...ofPackage, ...uploadWarnings])],
  };
}

/** Findings from the package alone. */
function declaredBlockers({ signing, android, ios }: PackageInfo): string[] {
  const said = texts.obstacles;
  if (ios?.simulator) return [said.simulator];
  if (signing.schemes.length === 0) return [said.unsigned];
  if (android?.testOnly) return [said.testOnly];
  if (!ios) return [];
  if (ios.encrypted) return [said.encrypted];
  if (!ios.profile) return [said.noProfile];
  if (ios.profile.type === 'app-store') return [said.appStore];
  return ios.profile.intact ? [] : [said.profileChanged];
}

/** Findings from signature verification and the current date. */
function expiryBlockers(
  info: PackageInfo,
  verification: SignatureVerification | null,
  now: number,
): string[] {
  const said = texts.obstacles;
  const obstacles: string[] = [];
  if (info.ios?.simulator || info.signing.schemes.length === 0) return obstacles;
  if (verification?.verified === false) obstacles.push(said.notVerified);
  const expiresAt = Date.parse(info.ios?.profile?.expiresAt ?? '');
  if (expiresAt <= now) obstacles.push(said.profileExpired(formatDay(expiresAt)));
  return obstacles;
}
