/** Pure decisions about what stops a build from being installed on a phone. */
import type { PackageInfo, SignatureVerification } from '../../packages/package-info.ts';
import { formatDay } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import type { Build } from '../app.ts';

/**
 * Why phones refuse this build, as full sentences for testers and developers alike; empty when nothing is known
 * against it. `verification` is null while nobody has verified the signature. `now` is in epoch milliseconds.
 */
export function installObstacles(
  info: PackageInfo,
  verification: SignatureVerification | null,
  now: number,
): string[] {
  return [...statedObstacles(info), ...laterObstacles(info, verification, now)];
}

/**
 * What a developer should know of a build: whether phones refuse it, and every sentence once. The reader of the package
 * has put what it stands for into `info.warnings`, in words for developers, so those take the place of our own.
 */
export function buildNotes(
  { info, verification, uploadWarnings }: Pick<Build, 'info' | 'verification' | 'uploadWarnings'>,
  now: number,
): { blocked: boolean; sentences: string[] } {
  const stated = statedObstacles(info);
  const later = laterObstacles(info, verification, now);
  const ofPackage = info.warnings.length > 0 ? info.warnings : stated;
  const problems = later.length > 0 && verification ? verification.problems : [];
  return {
    blocked: stated.length + later.length > 0,
    sentences: [...new Set([...later, ...problems, ...ofPackage, ...uploadWarnings])],
  };
}

/** What the package itself states. */
function statedObstacles({ signing, android, ios }: PackageInfo): string[] {
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

/** What only verifying or the calendar tells. */
function laterObstacles(
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
