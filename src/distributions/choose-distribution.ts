/** Decides which page an upload publishes to. Pure: existing pages are arguments. */

import type { App } from '../apps/app.ts';
import { errorTexts } from '../core/error-texts.ts';
import { invalid, NotFound } from '../core/errors.ts';
import { hiddenCharacterOf, normalizeName } from '../core/name-text.ts';
import type { Platform } from '../packages/package-info.ts';
import { type DistributionPage, maxDistributionNameLength } from './distribution-page.ts';
import { pageSettingsTexts } from './settings/page-settings-texts.ts';

/** The page with the key in the upload, and its app. */
export interface FoundPage {
  page: DistributionPage;
  app: Pick<App, 'owner' | 'platform' | 'packageName'>;
}

export type DistributionPlan =
  | { kind: 'none' }
  | { kind: 'update'; page: DistributionPage }
  | { kind: 'by-name'; name: string };

/**
 * The key takes precedence over the name (rule 1). An unknown key, or one of another owner, is `not_found` (rule 2). A page of
 * another app of the same owner is `invalid`, because its testers would get a different app.
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
        pageSettingsTexts.errors.otherApp({
          app: `${page.app.packageName} (${page.app.platform})`,
          uploaded: `${target.packageName} (${target.platform})`,
        }),
      );
    }
    return { kind: 'update', page: page.page };
  }
  if (wanted.name !== null) return { kind: 'by-name', name: wanted.name };
  return { kind: 'none' };
}

/** Checks the page before the package is parsed: it must exist and belong to the owner. */
export function checkFoundPage(found: FoundPage | null, ownerId: string): FoundPage {
  if (!found || found.app.owner.id !== ownerId) throw new NotFound(pageSettingsTexts.errors.unknown);
  return found;
}

/** Returns the normalized name, which may be empty. Throws `invalid` for more than 255 characters, and for invisible ones. */
export function checkDistributionName(given: string): string {
  const name = normalizeName(given);
  if ([...name].length > maxDistributionNameLength) {
    throw invalid(pageSettingsTexts.errors.distributionNameLong({ limit: maxDistributionNameLength }));
  }
  const character = hiddenCharacterOf(name);
  if (character !== null) throw invalid(errorTexts.names.hidden({ name: 'distribution_name', character }));
  return name;
}
