import * as v from 'valibot';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import { memberActivityQueries } from '../../apps/activity/member-activity-queries.ts';
import type { Build } from '../../apps/app.ts';
import type { AppHeads } from '../../apps/app-heads.ts';
import { pageAccessSettingsPath, pageSettingsPath, platformAppPath } from '../../apps/app-paths.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { servingState } from '../../apps/distributions/page-state.ts';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient, many, wholeNumber } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import { loadPermissions } from '../../owners/owner-permissions.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { policyQueries } from '../../owners/policies/policy-queries.ts';
import type { ManagedPage } from '../access/page-access-http.ts';
import { buildBlockers, isWithdrawn, pageBlockers } from '../install/install-blockers.ts';
import { SettingsRefused } from './page-settings.ts';
import { renderPageAccess } from './page-settings-access.tsx';
import { renderPageAppearance } from './page-settings-appearance.tsx';
import { loadBuildChoices } from './page-settings-builds.ts';
import type { PageChange, PageSettings } from './page-settings-change.ts';
import { renderPageDeletion } from './page-settings-deletion.tsx';
import {
  accessChanges,
  accessFields,
  appearanceChanges,
  appearanceFields,
  chosenRevision,
  overviewChanges,
  overviewFields,
  readRevision,
  type SettingsValues,
  settingsFormValues,
} from './page-settings-form.ts';
import { pageAppearancePath, pageHistoryPath, type SettingsPlace } from './page-settings-frame.tsx';
import { renderPageHistory } from './page-settings-history.tsx';
import { renderPageOverview } from './page-settings-overview.tsx';
import { pageSettingsQueries } from './page-settings-queries.ts';
import { pageSettingsTexts } from './page-settings-texts.ts';

export interface PageSettingsRouteDeps {
  data: Data;
  managedPage: ManagedPage;
  appHeads: AppHeads;
  pageSettings: PageSettings;
}

type SettingsContext = RouteContext<Person, PageChange>;

/** Form encoding can triple the length of a note of `maxReleaseNoteBytes`; the other fields also need space. */
export const maxSettingsFormBytes = 256 * 1024;
const historyEntriesPerPage = 20;
const historyEntriesOnOverview = 3;
const successMessages = () => ({
  saved: pageSettingsTexts.saved,
  made: pageSettingsTexts.made,
  readdressed: pageSettingsTexts.moved,
  withdrawn: pageSettingsTexts.withdrawnNow,
  offered: pageSettingsTexts.offeredNow,
  'rolled-back': pageSettingsTexts.rolledBack,
  published: pageSettingsTexts.published,
});
type Done = keyof ReturnType<typeof successMessages>;

/** Contents of a part that are not in the stored page. */
interface Shown {
  done?: Done | undefined;
  /** The refused values of the form. */
  submitted?: Partial<SettingsValues>;
  errors?: SettingsRefused['errors'];
}

/** Routes of the page settings. Page rules do not apply to people who manage the page. */
export function pageSettingsRoutes(deps: PageSettingsRouteDeps): Route[] {
  const { managedPage, pageSettings } = deps;
  const path = '/distributions/:accessKey/settings';
  const form = {
    method: 'POST',
    access: managedPage,
    reauthentication: false,
    maxBodyBytes: maxSettingsFormBytes,
  } as const;
  const overview = { ...form, page: path } as const;
  const access = { ...form, page: `${path}/access` } as const;
  const appearance = { ...form, page: `${path}/appearance` } as const;
  const history = { ...form, page: `${path}/history` } as const;
  const back = (address: string, done: Done) => redirect(`${address}?done=${done}`);
  const oneBuild = { form: { revision: wholeNumber(() => pageSettingsTexts.errors.noRevision) } };
  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'Show the settings of a distribution page',
      access: managedPage,
      query: { done: lenient(v.picklist(['made', 'saved', 'rolled-back', 'published'])) },
      handle: async (context) => html(await renderOverview(deps, context, context.query)),
    }),
    defineRoute({
      ...overview,
      path: `${path}/save`,
      summary: 'Save the live build of a distribution page, its note and the required updates',
      form: overviewFields,
      handle: async ({ subject, form: sent }) => {
        await pageSettings.change(subject, overviewChanges(sent));
        return back(pageSettingsPath(subject.page.accessKey), 'saved');
      },
      renderErrors: ({ errors, submitted, error }, context) =>
        renderOverview(deps, context, {
          errors,
          submitted: {
            ...submitted,
            ...(error instanceof SettingsRefused && servedNow(error)),
          },
        }),
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/access`,
      summary: 'Show who can open a distribution page, and how long',
      access: managedPage,
      query: { done: lenient(v.picklist(['saved', 'readdressed'])) },
      handle: async (context) => html(await renderAccess(deps, context, context.query)),
    }),
    defineRoute({
      ...access,
      path: `${path}/access/save`,
      summary: 'Save who can open a distribution page, and how long',
      form: { ...accessFields, groups: many(v.string()) },
      handle: async ({ subject, form: sent, frame }) => {
        const lines = { ...sent, groups: sent.groups.join('\n') };
        await pageSettings.change(subject, accessChanges(lines, subject.page, frame.now));
        return back(pageAccessSettingsPath(subject.page.accessKey), 'saved');
      },
      renderErrors: ({ errors, submitted }, context) => renderAccess(deps, context, { errors, submitted }),
    }),
    defineRoute({
      ...access,
      path: `${path}/rotate-link`,
      summary: 'Rotate the link of a distribution page',
      form: {},
      handle: async ({ subject }) =>
        back(pageAccessSettingsPath(await pageSettings.rotateLink(subject)), 'readdressed'),
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/appearance`,
      summary: 'Show what visitors of a distribution page see',
      access: managedPage,
      query: { done: lenient(v.literal('saved')) },
      handle: async (context) => html(await renderAppearance(deps, context, context.query)),
    }),
    defineRoute({
      ...appearance,
      path: `${path}/appearance/save`,
      summary: 'Save what visitors of a distribution page see',
      form: appearanceFields,
      handle: async ({ subject, form: sent }) => {
        await pageSettings.change(subject, appearanceChanges(sent));
        return back(pageAppearancePath(subject.page.accessKey), 'saved');
      },
      renderErrors: ({ errors, submitted }, context) =>
        renderAppearance(deps, context, { errors, submitted }),
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/history`,
      summary: 'List the builds that a distribution page has served',
      access: managedPage,
      query: {
        before: lenient(v.pipe(v.string(), v.regex(/^[0-9a-z]{26}$/))),
        done: lenient(v.picklist(['withdrawn', 'offered'])),
      },
      handle: async (context) => html(await renderHistory(deps, context, context.query)),
    }),
    ...([false, true] as const).map((isRestored) =>
      defineRoute({
        ...history,
        ...oneBuild,
        path: isRestored ? `${path}/restore` : `${path}/withdraw`,
        summary: isRestored
          ? 'Restore a withdrawn build to a distribution page'
          : 'Withdraw a build from a distribution page',
        handle: async ({ subject, form: { revision } }) => {
          await pageSettings.setWithdrawn(subject, revision, !isRestored);
          return back(pageHistoryPath(subject.page.accessKey), isRestored ? 'offered' : 'withdrawn');
        },
      }),
    ),
    defineRoute({
      ...overview,
      ...oneBuild,
      path: `${path}/roll-back`,
      summary: 'Roll a distribution page back to an earlier build',
      handle: async ({ subject, form: { revision } }) => {
        await pageSettings.rollBack(subject, revision);
        return back(pageSettingsPath(subject.page.accessKey), 'rolled-back');
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/delete`,
      summary: 'Show what deleting a distribution page deletes',
      access: managedPage,
      handle: async (context) => html(await renderDeletion(deps, context, '', {})),
    }),
    defineRoute({
      ...form,
      page: `${path}/delete`,
      path: `${path}/delete`,
      summary: 'Delete a distribution page',
      form: { confirmation: v.string() },
      handle: async ({ subject, form: { confirmation } }) => {
        await pageSettings.remove(subject, confirmation);
        const { owner, platform, packageName } = subject.app;
        return redirect(platformAppPath(owner, platform, packageName));
      },
      renderErrors: ({ errors, submitted: { confirmation } }, context) =>
        renderDeletion(deps, context, confirmation, errors),
    }),
  ];
}

/** The build and the note to show in the form if the page got another build while it was edited. */
const servedNow = ({ meanwhile }: SettingsRefused) =>
  meanwhile && {
    revision: String(meanwhile.revision),
    'other-revision': '',
    'seen-revision': String(meanwhile.revision),
    'seen-note': meanwhile.note,
  };

async function renderOverview(
  deps: PageSettingsRouteDeps,
  context: SettingsContext,
  shown: Shown,
): Promise<string> {
  const { data } = deps;
  const { app, page } = context.subject;
  const { build, ...place } = await loadPlace(deps, context, shown);
  const { origin, now } = context.frame;
  const ofPage = pageBlockers({ page, update: null, build, origin, now });
  const served = await pageSettingsQueries(data).listServedBuilds(page.id, { limit: historyEntriesPerPage });
  const installers = await memberActivityQueries(data).installersOf(app, [page]);
  return renderPageOverview({
    ...place,
    choices: await loadBuildChoices(data, app.id, [
      build.revision,
      readRevision(chosenRevision(place.submitted)),
    ]),
    served: served.slice(0, historyEntriesOnOverview),
    hasMore: served.length > historyEntriesOnOverview,
    withdrawn: served.filter((update) => isWithdrawn(page, update)).map(({ revision }) => revision),
    blockers: [...ofPage, ...buildBlockers(build, now)],
    installers: installers.get(page.id) ?? { installed: 0, allowed: null },
  });
}

async function renderAccess(
  deps: PageSettingsRouteDeps,
  context: SettingsContext,
  shown: Shown,
): Promise<string> {
  const { data } = deps;
  const { caller, subject } = context;
  const owner = await ownerQueries(data).findOwnerById(subject.app.owner.id);
  return renderPageAccess({
    ...(await loadPlace(deps, context, shown)),
    groups: await groupQueries(data).listGroups(subject.app.owner.id),
    floor: (await policyQueries(data).ofOwner(subject.app.owner.id)).pageAccess,
    managesGroups: owner !== null && (await loadPermissions(data, caller.actor, owner)).administers,
  });
}

async function renderAppearance(
  deps: PageSettingsRouteDeps,
  context: SettingsContext,
  shown: Shown,
): Promise<string> {
  return renderPageAppearance(await loadPlace(deps, context, shown));
}

async function renderHistory(
  deps: PageSettingsRouteDeps,
  context: SettingsContext,
  { before, done }: { before?: string | undefined; done?: Done | undefined },
): Promise<string> {
  const { page } = context.subject;
  const found = await pageSettingsQueries(deps.data).listServedBuilds(page.id, {
    limit: historyEntriesPerPage + 1,
    before: before ?? null,
  });
  const served = found.slice(0, historyEntriesPerPage);
  const last = found.length > historyEntriesPerPage ? served.at(-1)?.id : undefined;
  const address = pageHistoryPath(page.accessKey);
  return renderPageHistory({
    ...(await loadPlace(deps, context, { done })),
    served,
    paging: {
      newer: before ? address : null,
      older: last === undefined ? null : `${address}?before=${last}`,
    },
  });
}

async function renderDeletion(
  deps: PageSettingsRouteDeps,
  context: SettingsContext,
  confirmation: string,
  errors: SettingsRefused['errors'],
): Promise<string> {
  return renderPageDeletion({ ...(await loadPlace(deps, context, { errors })), confirmation });
}

/** Loads the contents that all parts share, and the live build. */
async function loadPlace(
  { data, appHeads }: PageSettingsRouteDeps,
  { frame, subject: { app, page } }: SettingsContext,
  { done, submitted, errors = {} }: Shown,
): Promise<SettingsPlace & { submitted: SettingsValues; build: Build }> {
  const build = await buildQueries(data).findBuild(page.buildId);
  if (!build) throw new NotFound();
  const groups = (await groupQueries(data).groupsOfPage(page.id)).map(({ id }) => id);
  return {
    frame,
    head: await appHeads.ofManaged(app),
    page,
    build,
    state: servingState(page, build, frame.now),
    submitted: { ...settingsFormValues(page, build.revision, groups), ...submitted },
    errors,
    done: done ? successMessages()[done] : null,
  };
}
