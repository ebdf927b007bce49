/** Builds in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { AppError, NotFound } from '../../core/errors.ts';
import { integerShape, textShape } from '../../core/json-shapes.ts';
import type { Data } from '../../db/data.ts';
import { listAnswer, listPage, listQuery, positionNumber } from '../../http/api/pagination.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Actor } from '../../owners/actor.ts';
import { absolute } from '../../owners/owner-paths.ts';
import type { App } from '../app.ts';
import { appApiPath } from '../app-api-routes.ts';
import { buildJson, buildShape } from '../app-json.ts';
import { apkPath, filePath, iconPath, simulatorPath } from '../app-paths.ts';
import { comparisonJson, comparisonShape } from '../compare/comparison-json.ts';
import {
  type BuildDeletion,
  maxBuildsPerRequest,
  type UndeletableBuild,
  undoHours,
} from '../deletion/build-deletion.ts';
import type { FileTokenPurpose, FileTokens } from '../files/file-token.ts';
import type { ManagedAppAccess } from '../managed-app-access-http.ts';
import type { BuildChanges } from './build-changes.ts';
import { buildFactsJson, buildFactsShape } from './build-facts-json.ts';
import { readBuildFilters } from './build-filters.ts';
import { buildQueries } from './build-queries.ts';
import { revisionText } from './build-selection.ts';

export interface BuildApiRouteDeps {
  data: Data;
  access: RouteAccess;
  readableApp: ManagedAppAccess['readableApp'];
  readableBuild: ManagedAppAccess['readableBuild'];
  managedApp: ManagedAppAccess['managedApp'];
  managedBuild: ManagedAppAccess['managedBuild'];
  fileTokens: FileTokens;
  buildDeletion: BuildDeletion;
  buildChanges: BuildChanges;
}

const maxFilterLength = 255;
const filterText = v.pipe(v.string(), v.maxLength(maxFilterLength));
const filter = v.optional(filterText);
const revisions = v.pipe(
  v.array(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(999_999_999_999_999))),
  v.minLength(1),
  v.maxLength(maxBuildsPerRequest),
);
const changedShape = v.object({
  revisions: v.pipe(v.array(v.number()), v.description('The builds that exist and were meant.')),
});
const fileShape = v.object({
  url: textShape('Works without headers until the build is deleted or the secret of the app is rotated.'),
  size: integerShape('Bytes.'),
  sha256: v.nullable(v.string()),
});

export function buildApiRoutes(deps: BuildApiRouteDeps): Route[] {
  const { data, access, buildChanges } = deps;
  const path = `${appApiPath}/builds/:revision` as const;
  const remove = async (by: Actor, app: App, chosen: readonly number[]) => {
    const deletion = await deps.buildDeletion.remove(by, app, chosen);
    if (deletion.kind === 'refused')
      throw new AppError('conflict', describeKept(deletion.kept), { code: 'build_in_use' });
    return deletion.revisions;
  };
  const changing = {
    method: 'POST',
    tag: 'Builds',
    access: access.byKey(deps.managedApp),
    keyScope: 'manage',
    answer: changedShape,
  } as const;
  return [
    defineRoute({
      method: 'GET',
      path: `${appApiPath}/builds`,
      operationId: 'listBuilds',
      summary: 'List the builds of an app',
      description: 'The newest build comes first.',
      tag: 'Builds',
      access: access.byKey(deps.readableApp),
      keyScope: 'read',
      query: {
        ...listQuery(v.tuple([positionNumber])),
        branch: filter,
        label: filter,
        uploader: filter,
        signer: v.optional(v.pipe(filterText, v.description('SHA-256 of a certificate.'))),
        commit: filter,
        version_name: filter,
        version_code: filter,
        sha256: filter,
      },
      answer: listAnswer(buildShape),
      handle: async ({ subject: app, query: { limit, cursor, ...given }, client }) => {
        const { commit, sha256, version_name: versionName, version_code: versionCode } = given;
        const builds = await buildQueries(data).listBuilds(app.id, {
          below: cursor?.[0],
          limit: limit + 1,
          filters: readBuildFilters(given),
          origin: { commit, sha256, versionName, versionCode },
        });
        return listPage(builds, {
          limit,
          client,
          positionOf: ({ revision }) => [revision],
          show: (build) => buildJson(app, build, client.origin),
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path,
      operationId: 'getBuild',
      summary: 'Show a build',
      tag: 'Builds',
      access: access.byKey(deps.readableBuild),
      keyScope: 'read',
      params: { revision: revisionText() },
      answer: buildShape,
      handle: async ({ subject: { app, build }, client }) => json(buildJson(app, build, client.origin)),
    }),
    defineRoute({
      method: 'PATCH',
      path,
      operationId: 'updateBuild',
      summary: 'Change the message, label or protection of a build',
      tag: 'Builds',
      access: access.byKey(deps.managedBuild),
      keyScope: 'manage',
      params: { revision: revisionText() },
      json: {
        message: v.optional(v.string()),
        label: v.optional(v.string()),
        protected: v.optional(v.boolean()),
      },
      answer: buildShape,
      handle: async ({ subject, json: changes, client }) => {
        const { app, build } = subject;
        await buildChanges.edit(subject, changes);
        const changed = await buildQueries(data).findBuild(build.id);
        if (!changed) throw new NotFound();
        return json(buildJson(app, changed, client.origin));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path,
      operationId: 'deleteBuild',
      summary: 'Delete a build',
      description: `It can be restored for ${undoHours} hours. Fails for a protected build, and while a page serves it.`,
      tag: 'Builds',
      access: access.byKey(deps.managedBuild),
      keyScope: 'manage',
      params: { revision: revisionText() },
      handle: async ({ caller, subject: { app, build } }) => {
        await remove(caller.actor, app, [build.revision]);
        return empty(204);
      },
    }),
    defineRoute({
      ...changing,
      path: `${appApiPath}/builds/delete`,
      operationId: 'deleteBuilds',
      summary: 'Delete builds',
      description: 'All of them or, if one of them is protected or a page serves it, none.',
      json: { revisions },
      handle: async ({ caller, subject, json: given }) =>
        json({ revisions: await remove(caller.actor, subject, given.revisions) }),
    }),
    defineRoute({
      ...changing,
      path: `${appApiPath}/builds/restore`,
      operationId: 'restoreBuilds',
      summary: 'Restore deleted builds',
      description: `Within ${undoHours} hours of the deletion; all of them or none.`,
      json: { revisions },
      handle: async ({ caller, subject, json: given }) =>
        json({ revisions: await deps.buildDeletion.restore(caller.actor, subject, given.revisions) }),
    }),
    defineRoute({
      ...changing,
      path: `${appApiPath}/builds/label`,
      operationId: 'labelBuilds',
      summary: 'Change the label of builds',
      json: { revisions, label: v.string() },
      handle: async ({ caller, subject, json: given }) =>
        json({
          revisions: await buildChanges.setLabel(caller.actor, subject, given.revisions, given.label),
        }),
    }),
    defineRoute({
      ...changing,
      path: `${appApiPath}/builds/protect`,
      operationId: 'protectBuilds',
      summary: 'Protect builds from deletion',
      json: { revisions },
      handle: async ({ caller, subject, json: given }) =>
        json({ revisions: await buildChanges.protectAll(caller.actor, subject, given.revisions) }),
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/facts`,
      operationId: 'getBuildFacts',
      summary: 'Show what Slipway read from the package of a build',
      tag: 'Builds',
      access: access.byKey(deps.readableBuild),
      keyScope: 'read',
      params: { revision: revisionText() },
      answer: buildFactsShape,
      handle: async ({ subject: { build } }) => json(buildFactsJson(build.info, build.verification)),
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/files`,
      operationId: 'getBuildFiles',
      summary: 'Show where the files of a build can be downloaded',
      tag: 'Builds',
      access: access.byKey(deps.readableBuild),
      keyScope: 'read',
      params: { revision: revisionText() },
      answer: v.object({
        package: fileShape,
        apk: v.nullable(fileShape),
        simulator: v.nullable(fileShape),
        icon_url: textShape('A PNG.'),
      }),
      handle: async ({ subject: { app, build }, client: { origin } }) => {
        const keyed = (address: string, purpose: FileTokenPurpose) =>
          `${absolute(origin, address)}?key=${deps.fileTokens.issueLasting(purpose, app, build.id)}`;
        return json({
          package: {
            url: keyed(filePath(build.id), 'file'),
            size: build.sizeBytes,
            sha256: build.sha256,
          },
          apk:
            build.apk?.state === 'ready'
              ? {
                  url: keyed(apkPath(build.id), 'file'),
                  size: build.apk.sizeBytes,
                  sha256: build.apk.sha256,
                }
              : null,
          simulator:
            build.simulatorBlob === null
              ? null
              : {
                  url: keyed(simulatorPath(build.id), 'simulator'),
                  size: build.simulatorBytes ?? 0,
                  sha256: build.simulatorSha256,
                },
          icon_url: keyed(iconPath(build.id), 'icon'),
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${appApiPath}/compare`,
      operationId: 'compareBuilds',
      summary: 'Compare two builds of an app',
      tag: 'Builds',
      access: access.byKey(deps.readableApp),
      keyScope: 'read',
      query: { from: revisionText(), to: revisionText() },
      answer: comparisonShape,
      handle: async ({ subject: app, query }) => {
        const [from, to] = [
          await buildQueries(data).findBuildByRevision(app.id, query.from),
          await buildQueries(data).findBuildByRevision(app.id, query.to),
        ];
        if (!from || !to) throw new NotFound();
        return json(comparisonJson(from, to));
      },
    }),
  ];
}

/** States which builds cannot be deleted, and why. */
function describeKept(kept: readonly UndeletableBuild[]): string {
  return kept
    .map(({ revision, protected: isProtected, pages }) => {
      const reasons = [
        ...(isProtected ? ['is protected'] : []),
        ...(pages.length > 0 ? [`is served by ${pages.map(({ name }) => name).join(', ')}`] : []),
      ];
      return `build ${revision} ${reasons.join(' and ')}`;
    })
    .join('; ');
}
