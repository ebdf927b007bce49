import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { appApiPath } from '../../apps/app-api-routes.ts';
import type { BuildChange } from '../../apps/builds/build-changes.ts';
import { revisionText } from '../../apps/builds/build-selection.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { loadAnalysis } from '../analyses.ts';
import { securityFactsJson } from '../security/security-json.ts';
import { loadCheckSettings, loadChecks } from './build-checks.ts';
import { type CheckChanges, maxReasonCharacters } from './check-changes.ts';
import {
  buildChecksJson,
  buildChecksShape,
  checkJson,
  checkSettingsInput,
  checkSettingsJson,
  checkSettingsShape,
  checkShape,
  readCheckSettings,
} from './check-json.ts';
import { checkIdText } from './check-routes.ts';

export interface CheckApiRouteDeps {
  data: Data;
  access: RouteAccess;
  readableApp: ManagedAppAccess['readableApp'];
  managedApp: ManagedAppAccess['managedApp'];
  readableBuild: ManagedAppAccess['readableBuild'];
  managedBuild: ManagedAppAccess['managedBuild'];
  checkChanges: CheckChanges;
  now: () => number;
}

const tag = 'Checks';

export function checkApiRoutes(deps: CheckApiRouteDeps): Route[] {
  const { data, access, checkChanges, now } = deps;
  const build = `${appApiPath}/builds/:revision` as const;
  const changing = {
    method: 'POST',
    tag,
    access: access.byKey(deps.managedBuild),
    keyScope: 'manage',
    params: { revision: revisionText(), check: checkIdText() },
    answer: checkShape,
  } as const;
  const shown = async ({ app, build }: BuildChange, check: string) => {
    const results = await loadChecks(data, app, [build.id], now());
    const result = results.get(build.id)?.find(({ id }) => id === check);
    if (!result) throw new NotFound();
    return json(checkJson(result));
  };
  return [
    defineRoute({
      method: 'GET',
      path: `${build}/checks`,
      operationId: 'getBuildChecks',
      summary: 'Show the checks of a build',
      description:
        'Judged by today’s rules and by the current settings of the app. A check whose part of the package could not be read is `not_analyzed`, never `passed`.',
      tag,
      access: access.byKey(deps.readableBuild),
      // A key of CI may only upload, and its job waits for the result.
      keyScope: ['upload', 'read'],
      params: { revision: revisionText() },
      answer: buildChecksShape,
      handle: async ({ subject: { app, build } }) => {
        const results = (await loadChecks(data, app, [build.id], now())).get(build.id);
        const found = await loadAnalysis(data, build.id);
        const facts = found.state === 'analyzed' ? securityFactsJson(found.analysis) : null;
        return json(buildChecksJson(results ? 'analyzed' : found.state, results ?? [], facts));
      },
    }),
    defineRoute({
      ...changing,
      path: `${build}/checks/:check/accept`,
      operationId: 'acceptCheck',
      summary: 'Accept a failed check or a warning',
      description: 'It no longer counts as failed. Fails with 409 for a check that passed.',
      json: {
        reason: v.pipe(v.string(), v.trim(), v.nonEmpty('is empty'), v.maxLength(maxReasonCharacters)),
      },
      handle: async ({ subject, params: { check }, json: { reason } }) => {
        await checkChanges.accept(subject, check, reason);
        return shown(subject, check);
      },
    }),
    defineRoute({
      ...changing,
      path: `${build}/checks/:check/revoke`,
      operationId: 'revokeAcceptance',
      summary: 'Revoke the acceptance of a check',
      json: {},
      handle: async ({ subject, params: { check } }) => {
        await checkChanges.revoke(subject, check);
        return shown(subject, check);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${appApiPath}/check-settings`,
      operationId: 'getCheckSettings',
      summary: 'Show the settings of the checks of an app',
      tag,
      access: access.byKey(deps.readableApp),
      keyScope: 'read',
      answer: checkSettingsShape,
      handle: async ({ subject }) => json(checkSettingsJson(await loadCheckSettings(data, subject))),
    }),
    defineRoute({
      method: 'PATCH',
      path: `${appApiPath}/check-settings`,
      operationId: 'updateCheckSettings',
      summary: 'Change the settings of the checks of an app',
      description:
        'Fields that are absent stay as they are. Earlier builds are judged by the new settings, too.',
      tag,
      access: access.byKey(deps.managedApp),
      keyScope: 'manage',
      json: checkSettingsInput,
      answer: checkSettingsShape,
      handle: async ({ caller, subject, json: given }) => {
        const changes = readCheckSettings(given, await loadCheckSettings(data, subject));
        return json(checkSettingsJson(await checkChanges.set(caller.actor, subject, changes)));
      },
    }),
  ];
}
