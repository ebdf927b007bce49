/** The content of a build email, loaded for each email so that nothing is stored twice. */
import { buffer } from 'node:stream/consumers';
import type { App, Build } from '../../apps/app.ts';
import { appQueries } from '../../apps/app-queries.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import type { IconDrawer } from '../../apps/files/draw-icon.ts';
import { parseBlobKey } from '../../blobs/blob-key.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Brands } from '../../branding/brands.ts';
import type { Data } from '../../db/data.ts';
import type { DistributionPage } from '../../distributions/distribution-page.ts';
import { distributionQueries } from '../../distributions/distribution-queries.ts';
import { loadChecks } from '../../insight/checks/build-checks.ts';
import { checkTitle } from '../../insight/checks/check-texts.ts';
import { refusalAt } from '../../owners/gate/workspace-refusal.ts';
import { type User, workspaceOf } from '../../owners/owner.ts';
import { loadPermissions } from '../../owners/owner-permissions.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import type { PackageReader } from '../../packages/package-reader.ts';
import type { Brand } from '../../web/shell/page-frame.ts';
import type { Mail } from '../mail.ts';
import { mailQueries } from '../mail-queries.ts';
import type { MailReason } from '../mail-texts.ts';
import { mailChoiceQueries } from '../pages/mail-choice-queries.ts';

export interface BuildMail {
  mail: Pick<Mail, 'address'>;
  userName: string;
  app: App;
  build: Build;
  /** The distribution page of the upload. */
  page: Pick<DistributionPage, 'id' | 'accessKey' | 'access'> | null;
  /** Markdown. May be empty. */
  releaseNote: string;
  reason: MailReason;
  /** PNG, or null if too large. */
  icon: Uint8Array | null;
  brand: Brand;
  /** What checks of the build failed; null if they are not known. Empty for people who do not manage the app. */
  failedChecks: readonly string[] | null;
}

export type LoadBuildMail = (mail: Mail) => Promise<BuildMail | null>;

export interface BuildMailDeps {
  brands: Pick<Brands, 'forEmail'>;
  data: Data;
  blobs: BlobStore;
  icons: IconDrawer;
  packages: PackageReader;
  now: () => number;
}

/** Larger icons are left out, because up to 500 copies go through the mail server. */
const maxIconBytes = 200 * 1024;

/** Returns null if the build or the person no longer exists, or the Workspace does not admit the person. */
export function createLoadBuildMail(deps: BuildMailDeps): LoadBuildMail {
  const { data } = deps;
  return async (mail) => {
    const build = mail.buildId === null ? null : await buildQueries(data).findBuild(mail.buildId);
    const app = build && (await appQueries(data).findAppById(build.appId));
    const user = await ownerQueries(data).findOwnerById(mail.userId);
    if (!build || !app || user?.kind !== 'user') return null;
    const workspace = workspaceOf(app.owner);
    if (workspace && (await refusalAt(data, { kind: 'user', user }, workspace))) return null;
    const page = mail.pageId === null ? null : await distributionQueries(data).findPageById(mail.pageId);
    const note = page && (await mailQueries(data).findReleaseNote(page.id, build.id));
    return {
      mail,
      userName: user.name,
      app,
      build,
      page,
      releaseNote: note ?? build.message,
      reason: await reasonFor(data, mail, app),
      icon: await loadIcon(deps, app, build),
      brand: await deps.brands.forEmail(app.owner),
      failedChecks: await loadFailedChecks(deps, user, app, build),
    };
  };
}

async function loadFailedChecks(
  { data, now }: BuildMailDeps,
  user: User,
  app: App,
  build: Build,
): Promise<string[] | null> {
  const owner = await ownerQueries(data).findOwnerById(app.owner.id);
  if (!owner) return [];
  if (!(await loadPermissions(data, { kind: 'user', user }, owner)).uploads) return [];
  const results = (await loadChecks(data, app, [build.id], now())).get(build.id);
  return results?.filter(({ state }) => state === 'failed').map(checkTitle) ?? null;
}

async function reasonFor(data: Data, mail: Mail, app: App): Promise<MailReason> {
  if ((await mailChoiceQueries(data).findChoice(mail.userId, app.id)) !== null) return 'chosen';
  if (app.owner.kind === 'project') return 'team';
  return app.owner.id === mail.userId ? 'owner' : 'shared';
}

/** Waits for a drawing in progress. Falls back to a monogram. */
async function loadIcon(deps: BuildMailDeps, app: App, build: Build): Promise<Uint8Array | null> {
  const icon = await deps.icons.settle(build.id);
  if (icon?.state !== 'drawn') {
    const monogram = await deps.packages.drawMonogram(build.info.name, app.packageName, app.owner.id);
    return monogram.length > maxIconBytes ? null : monogram;
  }
  const blob = await deps.blobs.open(parseBlobKey(icon.blob));
  if (blob && blob.sizeBytes <= maxIconBytes) return buffer(blob.stream);
  blob?.stream.destroy();
  return null;
}
