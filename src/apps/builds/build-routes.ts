import type { ComponentChildren } from 'preact';
import * as v from 'valibot';
import { type Person, sessionUserId } from '../../accounts/authorization/identify-http.ts';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { hintHeaders, hintsOf, requestHints } from '../../http/routes/client-hints.ts';
import { doneSentence, many } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { memberActivityQueries } from '../activity/member-activity-queries.ts';
import type { App, Build } from '../app.ts';
import type { AppHead } from '../app-head.tsx';
import type { AppHeads } from '../app-heads.ts';
import { appPageQueries } from '../app-page-queries.ts';
import { distributionPath, pageSettingsPath, platformAppPath, revisionPath } from '../app-paths.ts';
import type { LoadCheckBadges } from '../check-badges.ts';
import type { BuildDeletion } from '../deletion/build-deletion.ts';
import { buildDeletionQueries } from '../deletion/build-deletion-queries.ts';
import { renderBuildRefusal } from '../deletion/build-not-deletable-page.tsx';
import type { FileTokens } from '../files/file-token.ts';
import type { BuildInsight } from '../insight/build-insight.ts';
import type { LoadInstallPanel } from '../install-panel-http.ts';
import { type PageViewer, pageViewer } from '../listed-page.ts';
import type { ManagedAppAccess } from '../managed-app-access-http.ts';
import { appAddresses, type VisibleAppAccess } from '../visible-app-access-http.ts';
import type { BuildActions } from './build-actions.tsx';
import { type BuildChange, type BuildChanges, messageDigest } from './build-changes.ts';
import { renderBuildPage } from './build-page.tsx';
import { buildQueries } from './build-queries.ts';
import { buildLine, simulatorAddress, simulatorLink } from './build-rows.ts';
import { revisionText } from './build-selection.ts';
import { buildTexts } from './build-texts.ts';

export interface BuildRouteDeps {
  data: Data;
  fileTokens: FileTokens;
  visibleBuild: VisibleAppAccess['visibleBuild'];
  managedApp: ManagedAppAccess['managedApp'];
  appHeads: AppHeads;
  loadInstallPanel: LoadInstallPanel;
  loadCheckBadges: LoadCheckBadges;
  managedBuild: ManagedAppAccess['managedBuild'];
  buildChanges: BuildChanges;
  buildDeletion: BuildDeletion;
  insight: () => BuildInsight;
}

/** Form encoding can triple the length of a message of `maxMessageBytes`. Longer messages get a readable error. */
const maxMessageFormBytes = 512 * 1024;
const successMessages = () => ({
  protected: buildTexts.protectedNow,
  unprotected: buildTexts.protectionRemoved,
  saved: buildTexts.message.saved,
  restored: buildTexts.restoredOne,
});
const ownerPath = ({ owner, platform, packageName }: App, revision: number) =>
  revisionPath(owner, platform, packageName, revision);

/** Routes of the build page and of actions on one or several builds. */
export function buildRoutes(deps: BuildRouteDeps): Route[] {
  return [...buildPages(deps), ...buildForms(deps), ...selectionForms(deps)];
}

function buildPages(deps: BuildRouteDeps): Route[] {
  return appAddresses.map((address) =>
    defineRoute({
      method: 'GET',
      path: `${address}/binaries/:revision`,
      summary: 'Show a build',
      access: deps.visibleBuild,
      keyScope: 'read',
      params: { revision: revisionText() },
      query: { done: doneSentence(successMessages) },
      headers: hintHeaders,
      handle: async ({ caller, subject, frame, client, headers, query: { done } }) => {
        const { app, build, secret, manages } = subject;
        // The app secret opens the page, but simulator builds require membership.
        const simulator = caller && secret === null ? simulatorAddress(deps.fileTokens, app, build) : null;
        const management = manages ? await loadManagement(deps.data, app, build, { done }) : null;
        const head = await deps.appHeads.of(app, subject);
        const path = revisionPath(app.owner, app.platform, app.packageName, build.revision);
        const install =
          caller && secret === null
            ? await deps.loadInstallPanel({
                frame,
                app,
                build,
                leads: !manages,
                path,
                client,
                caller,
                hints: hintsOf(headers),
              })
            : null;
        const page = await renderBuild(deps, frame, {
          head,
          build,
          secret,
          simulator,
          management,
          viewer: pageViewer(secret === null ? caller : null, frame.now),
          install,
        });
        return html(page, {
          headers: {
            ...(install === null ? {} : requestHints({ model: sessionUserId(caller) !== null })),
            ...(simulator ? { Link: simulatorLink(simulator) } : {}),
          },
        });
      },
    }),
  );
}

function buildForms(deps: BuildRouteDeps): Route[] {
  const { data, fileTokens, buildChanges } = deps;
  const page = '/users/:owner/platforms/:platform/apps/:package/binaries/:revision';
  const form = {
    method: 'POST',
    access: deps.managedBuild,
    params: { revision: revisionText() },
    page,
    reauthentication: false,
  } as const;
  const back = ({ app, build }: BuildChange, done: keyof ReturnType<typeof successMessages>) =>
    redirect(`${ownerPath(app, build.revision)}?done=${done}`);
  return [
    defineRoute({
      ...form,
      path: `${page}/protect`,
      summary: 'Protect a build',
      form: {},
      handle: async ({ subject }) => {
        await buildChanges.edit(subject, { protected: true });
        return back(subject, 'protected');
      },
    }),
    defineRoute({
      ...form,
      path: `${page}/unprotect`,
      summary: 'Remove the protection of a build',
      form: {},
      handle: async ({ subject }) => {
        await buildChanges.edit(subject, { protected: false });
        return back(subject, 'unprotected');
      },
    }),
    defineRoute({
      ...form,
      path: `${page}/message`,
      summary: 'Save the message of a build',
      maxBodyBytes: maxMessageFormBytes,
      form: { message: v.string(), seen: v.string() },
      handle: async ({ subject, form: { message, seen } }) => {
        await buildChanges.edit(subject, { message }, seen);
        return back(subject, 'saved');
      },
      renderErrors: async ({ submitted, errors }, { subject: { app, build: shown }, frame }) => {
        // Someone else may just have saved a change.
        const build = await buildQueries(data).findBuild(shown.id);
        if (!build) throw new NotFound();
        const [messageError = null] = errors.message ?? [];
        const management = await loadManagement(data, app, build, {
          message: submitted.message,
          messageError,
        });
        const simulator = simulatorAddress(fileTokens, app, build);
        const head = await deps.appHeads.ofManaged(app);
        const viewer = { kind: 'manager' } as const;
        return renderBuild(deps, frame, { head, build, secret: null, simulator, management, viewer });
      },
    }),
    defineRoute({
      ...form,
      path: `${page}/delete`,
      summary: 'Delete a build',
      form: {},
      handle: ({ caller, subject: { app, build }, frame }) =>
        deleteBuilds(deps, { caller, subject: app, frame }, [build.revision]),
    }),
  ];
}

function selectionForms(deps: BuildRouteDeps): Route[] {
  const app = '/users/:owner/platforms/:platform/apps/:package';
  const form = {
    method: 'POST',
    access: deps.managedApp,
    page: app,
    reauthentication: false,
    form: { revision: many(revisionText()) },
  } as const;
  return [
    defineRoute({
      ...form,
      path: `${app}/binaries/delete`,
      summary: 'Delete builds',
      handle: (context) => deleteBuilds(deps, context, context.form.revision),
    }),
    defineRoute({
      ...form,
      path: `${app}/binaries/protect`,
      summary: 'Protect builds',
      handle: async ({ caller, subject, form: { revision } }) => {
        const revisions = await deps.buildChanges.protectAll(caller.actor, subject, revision);
        return backToApp(subject, 'protected', revisions);
      },
    }),
    defineRoute({
      ...form,
      path: `${app}/binaries/label`,
      summary: 'Change the label of builds',
      form: { ...form.form, label: v.string() },
      handle: async ({ caller, subject, form: { revision, label } }) => {
        const revisions = await deps.buildChanges.setLabel(caller.actor, subject, revision, label);
        return backToApp(subject, 'labeled', revisions);
      },
    }),
    defineRoute({
      ...form,
      path: `${app}/binaries/restore`,
      summary: 'Restore deleted builds',
      handle: ({ caller, subject, form: { revision } }) => restoreBuilds(deps, caller, subject, revision),
    }),
  ];
}

async function renderBuild(
  { data, fileTokens, loadCheckBadges, insight }: BuildRouteDeps,
  frame: PageFrame,
  shown: {
    head: AppHead;
    build: Build;
    secret: string | null;
    simulator: string | null;
    management: BuildActions | null;
    viewer: PageViewer;
    install?: ComponentChildren;
  },
): Promise<string> {
  const { head, build, secret, simulator, management, viewer, install = null } = shown;
  const { app } = head;
  const [older] = await buildQueries(data).listBuilds(app.id, { below: build.revision, limit: 1 });
  const [newer] = await buildQueries(data).listBuilds(app.id, { above: build.revision, limit: 1 });
  const pages = await appPageQueries(data).pagesOfBuild(viewer, build.id);
  return renderBuildPage({
    frame,
    app,
    head,
    appKey: secret,
    line: buildLine(fileTokens, app, build),
    checks: (await loadCheckBadges(app, [build])).get(build.id),
    size: (await insight().sizes([build])).get(build.id) ?? null,
    install,
    simulatorAddress: simulator,
    verification: build.verification,
    pages: pages
      .map((page) => ({ ...page, address: distributionPath(page.accessKey) }))
      .sort((one, other) => Number(other.current) - Number(one.current)),
    newerRevision: newer?.revision ?? null,
    olderRevision: older?.revision ?? null,
    management,
    activity: management ? await latestActivity(data, build, frame.now) : null,
  });
}

/** As long as the activity page can show. */
const activityMs = 90 * 24 * 60 * 60_000;
const listedActivity = 5;

function latestActivity(data: Data, { id, appId }: Build, now: number) {
  const filter = { appId, buildId: id, pageId: null, since: now - activityMs };
  return memberActivityQueries(data).list(filter, { limit: listedActivity });
}

/** `message`: the rejected input. */
async function loadManagement(
  data: Data,
  app: App,
  build: Build,
  {
    done = null,
    message,
    messageError = null,
  }: { done?: string | null; message?: string; messageError?: string | null },
): Promise<BuildActions> {
  const holding = await buildDeletionQueries(data).blockingPages([build.id]);
  return {
    address: ownerPath(app, build.revision),
    submittedMessage: message ?? build.message,
    seenMessage: messageDigest(build.message),
    messageError: messageError,
    done,
    holding: holding.map(({ name, accessKey }) => ({ name, settingsAddress: pageSettingsPath(accessKey) })),
  };
}

async function deleteBuilds(
  { buildDeletion }: BuildRouteDeps,
  { caller, subject: app, frame }: Pick<RouteContext<Person, App>, 'caller' | 'subject' | 'frame'>,
  revisions: readonly number[],
) {
  const deletion = await buildDeletion.remove(caller.actor, app, revisions);
  if (deletion.kind === 'refused')
    return html(renderBuildRefusal({ frame, app, ...deletion }), { status: 409 });
  return backToApp(app, 'deleted', deletion.revisions);
}

async function restoreBuilds(
  { buildDeletion }: BuildRouteDeps,
  { actor }: Person,
  app: App,
  revisions: readonly number[],
) {
  const restored = await buildDeletion.restore(actor, app, revisions);
  const [only] = restored;
  if (only !== undefined && restored.length === 1) return redirect(`${ownerPath(app, only)}?done=restored`);
  return backToApp(app, 'restored', restored);
}

function backToApp(
  app: App,
  done: 'deleted' | 'restored' | 'protected' | 'labeled',
  revisions: readonly number[],
) {
  const path = platformAppPath(app.owner, app.platform, app.packageName);
  return redirect(`${path}?${done}=${revisions.join(',')}`);
}
