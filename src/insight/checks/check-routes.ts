import * as v from 'valibot';
import type { AppHeads } from '../../apps/app-heads.ts';
import { buildChecksPath, checkSettingsPath } from '../../apps/app-paths.ts';
import type { BuildChange } from '../../apps/builds/build-changes.ts';
import { revisionText } from '../../apps/builds/build-selection.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import { appAddresses, type VisibleAppAccess } from '../../apps/visible-app-access-http.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient, many } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { loadAnalysis } from '../analyses.ts';
import { loadCheckSettings, loadChecks } from './build-checks.ts';
import { type CheckChanges, maxReasonCharacters } from './check-changes.ts';
import { leveledChecks } from './check-settings.ts';
import {
  levelField,
  readSettings,
  type SettingsValues,
  settingsValues,
  textFields,
} from './check-settings-form.ts';
import { renderCheckSettings } from './check-settings-page.tsx';
import { checkTexts } from './check-texts.ts';
import { type ChecksPageProps, renderChecksPage } from './checks-page.tsx';
import { destinations } from './store-rules.ts';

export interface CheckRouteDeps {
  data: Data;
  appHeads: AppHeads;
  visibleBuild: VisibleAppAccess['visibleBuild'];
  managedApp: ManagedAppAccess['managedApp'];
  managedBuild: ManagedAppAccess['managedBuild'];
  checkChanges: CheckChanges;
  now: () => number;
}

const app = '/users/:owner/platforms/:platform/apps/:package';
export const checkIdText = () => v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,80}$/));
const done = { accepted: () => checkTexts.accepted, revoked: () => checkTexts.revoked };

export function checkRoutes(deps: CheckRouteDeps): Route[] {
  return [...checkPages(deps), ...acceptanceForms(deps), ...settingsRoutes(deps)];
}

function checkPages(deps: CheckRouteDeps): Route[] {
  return appAddresses.map((address) =>
    defineRoute({
      method: 'GET',
      path: `${address}/binaries/:revision/checks`,
      summary: 'Show the checks of a build',
      access: deps.visibleBuild,
      keyScope: 'read',
      params: { revision: revisionText() },
      query: { done: lenient(v.picklist(['accepted', 'revoked'])) },
      handle: async ({ subject, frame, query }) =>
        html(
          await renderChecks(deps, frame, subject, {
            head: await deps.appHeads.of(subject.app, subject),
            manages: subject.manages,
            done: query.done ? done[query.done]() : null,
          }),
        ),
    }),
  );
}

async function renderChecks(
  { data, now }: CheckRouteDeps,
  frame: PageFrame,
  { app, build }: Pick<BuildChange, 'app' | 'build'>,
  shown: Pick<ChecksPageProps, 'head' | 'manages' | 'done' | 'refused'>,
): Promise<string> {
  const results = (await loadChecks(data, app, [build.id], now())).get(build.id) ?? null;
  const { destinations } = await loadCheckSettings(data, app);
  const hasDestination = destinations.length > 0;
  const hasFailed = results === null && (await loadAnalysis(data, build.id)).state === 'failed';
  return renderChecksPage({ frame, app, build, results, hasFailed, hasDestination, ...shown });
}

function acceptanceForms(deps: CheckRouteDeps): Route[] {
  const { managedBuild, checkChanges } = deps;
  const page = `${app}/binaries/:revision/checks` as const;
  const form = {
    method: 'POST',
    access: managedBuild,
    params: { revision: revisionText(), check: checkIdText() },
    page,
    reauthentication: false,
  } as const;
  const back = ({ app, build }: BuildChange, what: keyof typeof done) =>
    redirect(`${buildChecksPath(app, build.revision)}?done=${what}`);
  return [
    defineRoute({
      ...form,
      path: `${page}/:check/accept`,
      summary: 'Accept the result of a check',
      form: { reason: v.pipe(v.string(), v.maxLength(maxReasonCharacters)) },
      handle: async ({ subject, params: { check }, form: { reason } }) => {
        await checkChanges.accept(subject, check, reason, true);
        return back(subject, 'accepted');
      },
      renderErrors: async ({ submitted, errors }, { subject, params, frame }) =>
        renderChecks(deps, frame, subject, {
          head: await deps.appHeads.ofManaged(subject.app),
          manages: true,
          done: null,
          refused: { checkId: params.check, reason: submitted.reason, errors: errors.reason ?? [] },
        }),
    }),
    defineRoute({
      ...form,
      path: `${page}/:check/revoke`,
      summary: 'Revoke the acceptance of the result of a check',
      form: {},
      handle: async ({ subject, params: { check } }) => {
        await checkChanges.revoke(subject, check, true);
        return back(subject, 'revoked');
      },
    }),
  ];
}

/** Not every browser sends a field that the form of another platform has. */
const settingsFields = {
  destination: many(v.picklist(destinations)),
  ...(Object.fromEntries(
    [...textFields, ...leveledChecks.map(levelField)].map((name) => [name, v.string()]),
  ) as Record<Exclude<keyof SettingsValues, 'destination'>, v.StringSchema<undefined>>),
};

function settingsRoutes({ data, appHeads, managedApp, checkChanges }: CheckRouteDeps): Route[] {
  const page = `${app}/settings/checks` as const;
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show the settings of the checks of an app',
      access: managedApp,
      query: { done: lenient(v.literal('saved')) },
      handle: async ({ subject, frame, query }) =>
        html(
          renderCheckSettings({
            frame,
            head: await appHeads.ofManaged(subject),
            values: settingsValues(await loadCheckSettings(data, subject)),
            errors: {},
            done: query.done ? checkTexts.form.saved : null,
          }),
        ),
    }),
    defineRoute({
      method: 'POST',
      path: `${page}/save`,
      summary: 'Save the settings of the checks of an app',
      access: managedApp,
      page,
      reauthentication: false,
      form: settingsFields,
      handle: async ({ caller, subject, form }) => {
        const before = await loadCheckSettings(data, subject);
        const sent = { ...form, destination: form.destination.join('\n') };
        await checkChanges.set(caller.actor, subject, readSettings(sent, before));
        return redirect(`${checkSettingsPath(subject)}?done=saved`);
      },
      renderErrors: async ({ submitted, errors }, { subject, frame }) =>
        renderCheckSettings({
          frame,
          head: await appHeads.ofManaged(subject),
          values: submitted,
          errors,
          done: null,
        }),
    }),
  ];
}
