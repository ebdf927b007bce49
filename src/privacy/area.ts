import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { type AuditArea, type AuditAreaDeps, createAuditArea } from '../audit/area.ts';
import type { Route } from '../http/routes/route.ts';
import type { JobHandlers } from '../jobs/outbox.ts';
import { createPrivacyRounds } from './privacy-rounds.ts';
import { privacyRoutes } from './privacy-routes.ts';

export interface PrivacyAreaDeps extends AuditAreaDeps {
  access: RouteAccess;
}

export interface PrivacyArea extends Pick<AuditArea, 'plan'> {
  routes: Route[];
  jobs: AuditArea['jobs'] & Pick<JobHandlers, 'privacy-round'>;
}

/** Creates the audit log with its stream, the exports of personal data, and the jobs that remove it. */
export function createPrivacyArea(deps: PrivacyAreaDeps): PrivacyArea {
  const audit = createAuditArea(deps);
  const rounds = createPrivacyRounds({ ...deps, chain: audit.chain });
  return {
    routes: privacyRoutes(deps),
    jobs: { ...audit.jobs, ...rounds.handlers },
    plan: async () => {
      await audit.plan();
      await rounds.plan();
    },
  };
}
