import type { Identify } from '../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { AppHeads } from '../apps/app-heads.ts';
import type { LoadCheckBadges } from '../apps/check-badges.ts';
import type { WithLocalPackage } from '../apps/files/local-package.ts';
import type { StoredFiles } from '../apps/files/stored-files-http.ts';
import type { BuildInsight } from '../apps/insight/build-insight.ts';
import { createManagedAppAccess } from '../apps/managed-app-access-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import { createVisibleAppAccess } from '../apps/visible-app-access-http.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Spool } from '../blobs/spool/spool.ts';
import type { Config } from '../config.ts';
import type { Data } from '../db/data.ts';
import type { Route } from '../http/routes/route.ts';
import type { JobHandlers } from '../jobs/outbox.ts';
import type { PackageReader } from '../packages/package-reader.ts';
import { analysisApiRoutes } from './analysis-api-routes.ts';
import { createAnalyzeBuild } from './analyze-build.ts';
import { createAnalyzeBuildsJob } from './analyze-builds.ts';
import { ruleApiRoutes } from './calendar/rule-api-routes.ts';
import { ruleCalendarRoutes } from './calendar/rule-calendar-routes.ts';
import { createRuleChanges } from './calendar/rule-changes.ts';
import { createRuleRoundJob } from './calendar/rule-reminders.ts';
import { resumeRuleRounds } from './calendar/rule-rounds.ts';
import { storeChecks } from './checks/build-checks.ts';
import { checkApiRoutes } from './checks/check-api-routes.ts';
import { createCheckBadges } from './checks/check-badge.tsx';
import { createCheckChanges } from './checks/check-changes.ts';
import { checkRoutes } from './checks/check-routes.ts';
import { dependencyRoutes } from './dependencies/dependency-routes.ts';
import { libraryQueries } from './dependencies/library-queries.ts';
import { createProvenanceChanges } from './provenance/provenance.ts';
import { provenanceApiRoutes } from './provenance/provenance-api-routes.ts';
import { provenanceRoutes } from './provenance/provenance-routes.ts';
import { type AttestationVerifier, createAttestationVerifier } from './provenance/verify-attestation.ts';
import { securityRoutes } from './security/security-routes.ts';
import { createBuildInsight } from './size/build-insight.ts';
import { sizeRoutes } from './size/size-routes.ts';
import { symbolApiRoutes } from './symbols/symbol-api-routes.ts';
import { createSymbolFiles } from './symbols/symbol-files.ts';
import { symbolRoutes } from './symbols/symbol-routes.ts';

interface InsightAreaDeps {
  config: Pick<Config, 'appSecrets' | 'trustedRoots' | 'limits'>;
  data: Data;
  packages: PackageReader;
  withLocalPackage: WithLocalPackage;
  storedFiles: StoredFiles;
  blobs: BlobStore;
  spool: Spool;
  access: RouteAccess;
  identify: Identify;
  appHeads: AppHeads;
  viewAccess: ViewAccess;
  now: () => number;
  wakeOutbox: () => void;
  log: { error(fields: object, message: string): void };
}

export interface InsightArea {
  routes: Route[];
  /** For pages of apps. */
  builds: BuildInsight;
  jobs: Pick<JobHandlers, 'analyze-build' | 'analyze-builds' | 'store-rule-round'>;
  /** For the pages of apps. */
  checkBadges: LoadCheckBadges;
  /** For uploads. */
  attestationVerifier: AttestationVerifier;
  /** Plans the analysis of builds that are older than the analyzer, and reminders of store rules. */
  start(): Promise<void>;
  close(): void;
}

/** What is inside builds, where they come from, and what their checks say. */
export function createInsightArea(deps: InsightAreaDeps): InsightArea {
  const analyzeBuild = createAnalyzeBuild({
    ...deps,
    onAnalyzed: async (tx, build, analysis, at) => {
      await storeChecks(tx, build, analysis, at);
      await libraryQueries(tx).replace(build.id, analysis.dependencies.libraries);
    },
  });
  const attestationVerifier = createAttestationVerifier(deps.config.trustedRoots);
  const earlier = createAnalyzeBuildsJob({ ...deps, analyzeBuild });
  const routeDeps = {
    ...deps,
    ...createVisibleAppAccess({ ...deps, appSecrets: deps.config.appSecrets }),
    ...createManagedAppAccess(deps),
    checkChanges: createCheckChanges(deps),
    provenanceChanges: createProvenanceChanges({ ...deps, attestationVerifier }),
    ruleChanges: createRuleChanges(deps),
    limits: deps.config.limits,
    symbolFiles: createSymbolFiles({ ...deps, limits: deps.config.limits }),
  };
  const routes = [
    analysisApiRoutes,
    sizeRoutes,
    checkRoutes,
    checkApiRoutes,
    dependencyRoutes,
    ruleCalendarRoutes,
    ruleApiRoutes,
    provenanceRoutes,
    provenanceApiRoutes,
    securityRoutes,
    symbolRoutes,
    symbolApiRoutes,
  ];
  return {
    routes: routes.flatMap((declare) => declare(routeDeps)),
    builds: createBuildInsight(deps.data),
    jobs: {
      'analyze-build': ({ buildId }, ownerId) => analyzeBuild(buildId, ownerId),
      'store-rule-round': createRuleRoundJob(deps),
      ...earlier.handlers,
    },
    checkBadges: createCheckBadges(deps),
    attestationVerifier,
    start: async () => {
      await earlier.resume();
      await resumeRuleRounds(deps.data, deps.now());
    },
    close: earlier.stop,
  };
}
