/** Which page an upload updates. Pure: what exists is passed in. */
import { invalid, NotFound } from '../core/errors.ts';
import type { Platform } from '../packages/package-info.ts';
import {
  type DistributionPage,
  maxDistributionNameLength,
  normalizeDistributionName,
} from './distribution-page.ts';

/** The page that the upload's key names, with the App it belongs to. */
export interface FoundPage {
  page: DistributionPage;
  app: { ownerId: string; platform: Platform; packageName: string };
}

export type DistributionPlan =
  | { kind: 'none' }
  | { kind: 'update'; page: DistributionPage }
  | { kind: 'by-name'; name: string };

/**
 * The key beats the name (rule 1). A key that names no page, or one of another Owner, is `not_found` (rule 2); one of
 * another App of the same Owner is `invalid`, because updating it would hand its testers a different app.
 */
export function chooseDistribution(
  wanted: { key: string | null; name: string | null },
  target: { ownerId: string; platform: Platform; packageName: string },
  found: FoundPage | null,
): DistributionPlan {
  if (wanted.key !== null) {
    const page = checkFoundPage(found, target.ownerId);
    if (page.app.platform !== target.platform || page.app.packageName !== target.packageName) {
      throw invalid(
        `the distribution page belongs to ${page.app.packageName} (${page.app.platform}), the uploaded package is ${target.packageName} (${target.platform})`,
      );
    }
    return { kind: 'update', page: page.page };
  }
  if (wanted.name !== null) return { kind: 'by-name', name: wanted.name };
  return { kind: 'none' };
}

/** What can be said before the package is read: the page exists and is the Owner's. */
export function checkFoundPage(found: FoundPage | null, ownerId: string): FoundPage {
  if (!found || found.app.ownerId !== ownerId) throw new NotFound('distribution page is not found');
  return found;
}

/** The name as pages have it; empty where there was none. Throws `invalid` over 255 characters. */
export function checkDistributionName(given: string): string {
  const name = normalizeDistributionName(given);
  if ([...name].length > maxDistributionNameLength) {
    throw invalid(`distribution_name has at most ${maxDistributionNameLength} characters`);
  }
  return name;
}
