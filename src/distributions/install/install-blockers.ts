/** Determines what prevents everyone from installing a build from a page, for testers, managers and the log. Pure. */
import type { Build } from '../../apps/app.ts';
import { type CheckedBuild, installBlockers } from '../../apps/builds/build-warnings.ts';
import { closedReason, hasInstallsLeft } from '../../apps/distributions/page-state.ts';
import { familyNames, isForOtherFamilies } from '../../devices/device-compatibility.ts';
import { closedReasons, type RefusalReason } from '../access/page-refusal.ts';
import type { DistributionPage, DistributionUpdate } from '../distribution-page.ts';
import { testerTexts } from './tester-texts.ts';

export interface InstallBlocker {
  reason: RefusalReason;
  /** A full sentence for testers and managers. */
  sentence: string;
}

type PublishedBuild = Pick<DistributionUpdate, 'buildId' | 'withdrawn'>;

export interface PageContext {
  page: DistributionPage;
  /** Null for the live build. */
  update: PublishedBuild | null;
  build: Pick<Build, 'info'>;
  origin: string;
  now: number;
}

const t = testerTexts.blockers;

/** Returns the reasons of the page and this server, in addition to those of the build. */
export function pageBlockers({ page, update, build, origin, now }: PageContext): InstallBlocker[] {
  const blockers: InstallBlocker[] = [];
  const closed = closedReason(page, now);
  if (closed) blockers.push({ reason: closedReasons[closed], sentence: t[closedReasons[closed]] });
  if (update && isWithdrawn(page, update)) blockers.push({ reason: 'withdrawn', sentence: t.withdrawn });
  if (!hasInstallsLeft(page)) blockers.push({ reason: 'install-limit', sentence: t.installLimit });
  if (build.info.platform === 'ios' && !origin.startsWith('https://')) {
    blockers.push({ reason: 'no-https', sentence: t.noHttps });
  }
  return blockers;
}

/** Never true for the live build. */
export function isWithdrawn(page: Pick<DistributionPage, 'buildId'>, update: PublishedBuild): boolean {
  return update.withdrawn && page.buildId !== update.buildId;
}

/** Returns the reasons why every phone rejects the build. */
export function buildBlockers(build: CheckedBuild, now: number): InstallBlocker[] {
  const { info, apk } = build;
  const sentences = installBlockers(build, now);
  // An iPad also runs iPhone apps.
  if (isForOtherFamilies(info, 'ipad')) sentences.push(t.madeForOthers({ made: familyNames(info) }));
  const reason = apk?.state === 'converting' ? 'not-ready' : 'build-problem';
  return sentences.map((sentence) => ({ reason, sentence }));
}
