import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import type { App, Build } from '../../apps/app.ts';
import { appApiPath } from '../../apps/app-api-routes.ts';
import type { AppHeads } from '../../apps/app-heads.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { revisionText } from '../../apps/builds/build-selection.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import { appAddresses, type VisibleAppAccess } from '../../apps/visible-app-access-http.ts';
import { conflict, NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { content, html, json } from '../../http/routes/answer.ts';
import { lenient, lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { loadAnalysis } from '../analyses.ts';
import { renderDependenciesPage } from './dependencies-page.tsx';
import { dependencyTexts } from './dependency-texts.ts';
import { libraryChangesJson, libraryChangesShape } from './library-changes-json.ts';
import { createSbom, sbomContentType } from './sbom.ts';

export interface DependencyRouteDeps {
  data: Data;
  access: RouteAccess;
  appHeads: AppHeads;
  visibleBuild: VisibleAppAccess['visibleBuild'];
  readableBuild: ManagedAppAccess['readableBuild'];
  readableApp: ManagedAppAccess['readableApp'];
}

const maxQueryLength = 200;

const sbomShape = v.pipe(
  v.looseObject({
    bomFormat: v.literal('CycloneDX'),
    specVersion: v.literal('1.6'),
    serialNumber: v.string(),
    version: v.number(),
  }),
  v.title('Sbom'),
  v.description('See cyclonedx.org.'),
);

export function dependencyRoutes(deps: DependencyRouteDeps): Route[] {
  const { data, access } = deps;
  return [
    ...appAddresses.flatMap((address) => [dependenciesPage(deps, address), sbomDownload(deps, address)]),
    defineRoute({
      method: 'GET',
      path: `${appApiPath}/builds/:revision/sbom`,
      operationId: 'getBuildSbom',
      summary: 'Get the software bill of materials of a build',
      description:
        'CycloneDX 1.6: libraries with package URLs, digests and their graph, as declared by an app bundle. For other packages, those that files in the package show, marked as `evidence`. Fails with 409 until the build is analyzed.',
      tag: 'Builds',
      access: access.byKey(deps.readableBuild),
      keyScope: 'read',
      params: { revision: revisionText() },
      answer: sbomShape,
      handle: async ({ subject: { app, build } }) =>
        json((await loadSbom(data, app, build)) as v.InferOutput<typeof sbomShape>),
    }),
    defineRoute({
      method: 'GET',
      path: `${appApiPath}/compare/dependencies`,
      operationId: 'compareDependencies',
      summary: 'Compare the libraries of two builds of an app',
      description:
        'Of several versions of a library in a build, the newest counts. Fails with 409 until both builds are analyzed.',
      tag: 'Builds',
      access: access.byKey(deps.readableApp),
      keyScope: 'read',
      query: { from: revisionText(), to: revisionText() },
      answer: libraryChangesShape,
      handle: async ({ subject: app, query }) => {
        const [from, to] = [
          await buildQueries(data).findBuildByRevision(app.id, query.from),
          await buildQueries(data).findBuildByRevision(app.id, query.to),
        ];
        if (!from || !to) throw new NotFound();
        return json(
          libraryChangesJson(
            (await requireAnalyzed(data, from)).analysis.dependencies,
            (await requireAnalyzed(data, to)).analysis.dependencies,
          ),
        );
      },
    }),
  ];
}

async function loadSbom(data: Data, app: App, build: Build): Promise<Record<string, unknown>> {
  const { analysis, analyzedAt } = await requireAnalyzed(data, build);
  return createSbom(app, build, analysis.dependencies, analyzedAt);
}

/** @throws a conflict if the build is not analyzed */
async function requireAnalyzed(data: Data, build: Build) {
  const found = await loadAnalysis(data, build.id);
  if (found.state === 'waiting') throw conflict(dependencyTexts.conflict.waiting);
  if (found.state === 'failed') throw conflict(dependencyTexts.conflict.failed({ failure: found.failure }));
  return found;
}

function dependenciesPage(
  { data, appHeads, visibleBuild }: DependencyRouteDeps,
  address: (typeof appAddresses)[number],
): Route {
  return defineRoute({
    method: 'GET',
    path: `${address}/binaries/:revision/dependencies`,
    summary: 'Show the libraries of a build',
    access: visibleBuild,
    keyScope: 'read',
    params: { revision: revisionText() },
    query: { q: lenientText(), compare: lenient(revisionText()) },
    handle: async ({ subject, frame, query }) => {
      const { app, build } = subject;
      return html(
        renderDependenciesPage({
          frame,
          head: await appHeads.of(app, subject),
          build,
          found: await loadAnalysis(data, build.id),
          query: (query.q ?? '').trim().slice(0, maxQueryLength),
          compared: query.compare === undefined ? null : await findCompared(data, app, query.compare),
        }),
      );
    },
  });
}

async function findCompared(data: Data, app: App, revision: number) {
  const build = await buildQueries(data).findBuildByRevision(app.id, revision);
  const found = build && (await loadAnalysis(data, build.id));
  return {
    revision,
    exists: build !== null,
    analysis: found?.state === 'analyzed' ? found.analysis : null,
  };
}

function sbomDownload(
  { data, visibleBuild }: DependencyRouteDeps,
  address: (typeof appAddresses)[number],
): Route {
  return defineRoute({
    method: 'GET',
    path: `${address}/binaries/:revision/sbom`,
    summary: 'Download the software bill of materials of a build',
    access: visibleBuild,
    keyScope: 'read',
    params: { revision: revisionText() },
    handle: async ({ subject: { app, build } }) => ({
      ...content(sbomContentType, JSON.stringify(await loadSbom(data, app, build), null, 2)),
      headers: {
        // Names of packages on iOS can have letters that a header cannot.
        'Content-Disposition': `attachment; filename="${app.packageName.replace(/[^\w.-]/g, '_')}-${build.revision}.cdx.json"`,
      },
    }),
  });
}
