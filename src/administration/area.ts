/** The pages for administrators. */

import { statfs } from 'node:fs/promises';
import { createAccessReviewArea } from '../access-review/area.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { streamName } from '../audit/audit-config.ts';
import { readAuditStatus } from '../audit/audit-stream.ts';
import { brandingApiRoutes } from '../branding/branding-api-routes.ts';
import { brandingRoutes } from '../branding/branding-routes.ts';
import type { Brands } from '../branding/brands.ts';
import type { LogoFormDeps } from '../branding/logo-form-http.ts';
import { logoRoutes } from '../branding/logo-routes.ts';
import type { Config } from '../config.ts';
import type { Data } from '../db/data.ts';
import { html } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { mailQueries } from '../mail/mail-queries.ts';
import { doctorRoutes } from '../operations/doctor/doctor-routes.ts';
import type { DoctorRun } from '../operations/doctor/doctor-run.ts';
import { sitePaths } from '../web/shell/site-paths.ts';
import { renderAdministrationBranding } from './administration-branding-page.tsx';
import { createJobChanges } from './administration-jobs-changes.ts';
import { jobRoutes } from './administration-jobs-routes.ts';
import { lateAfterMs, type Overview } from './administration-overview.ts';
import { renderOverviewPage } from './administration-overview-page.tsx';
import { ownersRoutes } from './administration-owners-routes.ts';
import { createPeopleChanges } from './administration-people.ts';
import { peopleRoutes } from './administration-people-routes.ts';
import { administrationQueries } from './administration-queries.ts';
import { type CountStored, createCountStored } from './administration-storage.ts';
import { administrationApiRoutes } from './api/administration-api-routes.ts';
import { systemApiRoutes } from './api/system-api-routes.ts';

export interface AdministrationAreaDeps extends LogoFormDeps {
  data: Data;
  access: RouteAccess;
  brands: Brands;
  config: Pick<Config, 'blobs' | 'publicUrl' | 'limits' | 'audit'>;
  /** A null `node` means unknown. */
  versions: { slipway: string; node: string | null };
  canSendMail: boolean;
  doctor: DoctorRun;
  now: () => number;
  wakeOutbox: () => void;
}

export function createAdministrationArea(deps: AdministrationAreaDeps): { routes: Route[] } {
  const routeDeps = {
    ...deps,
    startedAt: deps.now(),
    peopleChanges: createPeopleChanges(deps),
    jobChanges: createJobChanges(deps),
    countStored: createCountStored(administrationQueries(deps.data).countStoredByOwner, deps.now),
  };
  const routes = [
    ...createAccessReviewArea(deps).routes,
    defineRoute({
      method: 'GET',
      path: '/administration',
      summary: 'Show versions, storage and what needs attention',
      access: routeDeps.access.administrator,
      handle: async ({ frame }) =>
        html(renderOverviewPage({ frame, overview: await readOverview(routeDeps) })),
    }),
    ...[peopleRoutes, ownersRoutes, logoRoutes, jobRoutes, doctorRoutes, administrationApiRoutes].flatMap(
      (routes) => routes(routeDeps),
    ),
    ...systemApiRoutes({ ...routeDeps, countedTo, readOverview: () => readOverview(routeDeps) }),
    ...brandingRoutes(routeDeps, {
      page: '/administration/branding',
      of: 'the installation',
      access: deps.access.administrator,
      brandOwner: () => null,
      addressOf: () => sitePaths.branding,
      render: (_, props) => renderAdministrationBranding(props),
    }),
    ...brandingApiRoutes(deps.brands, {
      path: '/api/v1/admin/branding',
      idPart: '',
      of: 'the installation',
      tag: 'Administration',
      keyScope: 'admin',
      access: deps.access.byUserKey(deps.access.administrator),
      brandOwner: () => null,
    }),
  ];
  return { routes };
}

/** Counts stop at this number. */
const countedTo = 1000;

async function readOverview(
  routeDeps: AdministrationAreaDeps & { startedAt: number; countStored: CountStored },
): Promise<Overview> {
  const { config, data, versions } = routeDeps;
  const asked = administrationQueries(data);
  const mails = mailQueries(data);
  const now = routeDeps.now();
  const limit = countedTo + 1;
  const audit = await readAuditStatus(data);
  const { stream } = config.audit;
  return {
    version: versions.slipway,
    nodeVersion: versions.node,
    startedAt: routeDeps.startedAt,
    database: await asked.databaseFacts(),
    publicUrl: config.publicUrl,
    canSendMail: routeDeps.canSendMail,
    counts: {
      people: await asked.countOwners('user'),
      projects: await asked.countOwners('project'),
      workspaces: await asked.countWorkspaces(),
    },
    work: {
      waiting: await asked.countJobs('waiting', now, limit),
      late: await asked.countJobs('waiting', now, limit, now - lateAfterMs),
      failing: await asked.countJobs('failing', now, limit),
      dead: await asked.countJobs('dead', now, limit),
    },
    mail: { waiting: await mails.countMails('waiting', limit), dead: await mails.countMails('dead', limit) },
    countedTo,
    doctor: routeDeps.doctor.last(),
    stored: await routeDeps.countStored(),
    place: config.blobs,
    disk: config.blobs.kind === 'disk' ? await spaceOf(config.blobs.folder) : null,
    minimumFreeBytes: config.limits.minimumFreeBytes,
    auditStream: stream && {
      receiver: streamName(stream),
      waiting: audit.sealed - audit.stream.seq,
      sentAt: audit.stream.at,
      error: audit.stream.error,
    },
  };
}

async function spaceOf(folder: string): Promise<Overview['disk']> {
  const space = await statfs(folder).catch(() => null);
  return space && { freeBytes: space.bavail * space.bsize, totalBytes: space.blocks * space.bsize };
}
