/** Publishes an upload to its distribution page. */
import type { Build } from '../apps/app.ts';
import { NotFound } from '../core/errors.ts';
import { newHexKey } from '../core/identifier.ts';
import type { Connection } from '../db/data.ts';
import type { DistributionPlan } from './choose-distribution.ts';
import type { DistributionPage } from './distribution-page.ts';
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
  releaseNote: string,
): Promise<DistributionPage | null> {
  if (plan.kind === 'none') return null;
  if (build.apk === null) return updatePage(data, plan, build, releaseNote);
  const known =
    plan.kind === 'by-name'
      ? await distributionQueries(data).findPageByName(build.appId, plan.name)
      : await distributionQueries(data).findPageById(plan.page.id);
  return known?.appId === build.appId ? known : updatePage(data, plan, build, releaseNote);
}

async function updatePage(
  data: Connection,
  plan: Exclude<DistributionPlan, { kind: 'none' }>,
  build: Build,
  releaseNote: string,
): Promise<DistributionPage> {
  const content = { buildId: build.id, releaseNote, now: build.createdAt };
  if (plan.kind === 'by-name') {
    return distributionQueries(data).putPageByName({
      ...content,
      appId: build.appId,
      name: plan.name,
      accessKey: newHexKey(),
    });
  }
  const page = await distributionQueries(data).updatePage(plan.page.id, content);
  // The app of the page may have been deleted in the meantime, and this upload may have created a new one.
  if (page?.appId !== build.appId) throw new NotFound(pageSettingsTexts.errors.unknown);
  return page;
}
