/** Publishes an upload to its distribution page. */
import type { Build } from '../apps/app.ts';
import { NotFound } from '../core/errors.ts';
import { newHexKey } from '../core/identifier.ts';
import type { Connection } from '../db/data.ts';
import { accessOfNewPage } from '../owners/policies/enforce-policies.ts';
import type { DistributionPlan } from './choose-distribution.ts';
import { type DistributionPage, initialPageSettings } from './distribution-page.ts';
import { distributionQueries } from './distribution-queries.ts';
import { pageSettingsTexts } from './settings/page-settings-texts.ts';

/**
 * Returns the page named in the upload, which now serves its build. For an app bundle, an existing page keeps its build until the
 * APK is ready.
 */
export async function publishUpload(
  data: Connection,
  plan: DistributionPlan,
  build: Build,
  { releaseNote, ownerId }: { releaseNote: string; ownerId: string },
): Promise<DistributionPage | null> {
  if (plan.kind === 'none') return null;
  if (build.apk === null) return updatePage(data, plan, build, { releaseNote, ownerId });
  const known =
    plan.kind === 'by-name'
      ? await distributionQueries(data).findPageByName(build.appId, plan.name)
      : await distributionQueries(data).findPageById(plan.page.id);
  return known?.appId === build.appId ? known : updatePage(data, plan, build, { releaseNote, ownerId });
}

async function updatePage(
  data: Connection,
  plan: Exclude<DistributionPlan, { kind: 'none' }>,
  build: Build,
  { releaseNote, ownerId }: { releaseNote: string; ownerId: string },
): Promise<DistributionPage> {
  const content = { buildId: build.id, releaseNote, now: build.createdAt };
  if (plan.kind === 'by-name') {
    return distributionQueries(data).putPageByName({
      ...content,
      appId: build.appId,
      name: plan.name,
      accessKey: newHexKey(),
      access: await accessOfNewPage(data, ownerId, initialPageSettings.access),
    });
  }
  const page = await distributionQueries(data).updatePage(plan.page.id, content);
  // The app of the page may have been deleted in the meantime, and this upload may have created a new one.
  if (page?.appId !== build.appId) throw new NotFound(pageSettingsTexts.errors.unknown);
  return page;
}
