import * as v from 'valibot';
import type { Person } from '../../accounts/sign-in/identify-http.ts';
import { memberActivityQueries } from '../../apps/activity/member-activity-queries.ts';
import type { AppHeads } from '../../apps/app-heads.ts';
import { pageSettingsPath, platformAppPath } from '../../apps/app-paths.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { servingState } from '../../apps/pages/page-state.ts';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { flag, lenient, many, wholeNumber } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import { loadPermissions } from '../../owners/owner-permissions.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import type { ManagedPage } from '../access/page-access-http.ts';
import { buildBlockers, pageBlockers } from '../install/install-blockers.ts';
import {
  chosenRevision,
  readRevision,
  SettingsRefused,
  type SettingsValues,
  settingsFormValues,
} from './page-settings.ts';
import { loadBuildChoices } from './page-settings-builds.ts';
import type { PageChange, PageSettings } from './page-settings-change.ts';
import { renderPageSettings } from './page-settings-page.tsx';
import { pageSettingsQueries } from './page-settings-queries.ts';
import { pageSettingsTexts } from './page-settings-texts.ts';

export interface PageSettingsRouteDeps {
  data: Data;
  managedPage: ManagedPage;
  appHeads: AppHeads;
  pageSettings: PageSettings;
}

type SettingsContext = RouteContext<Person, PageChange>;

/** Form encoding can triple the length of a note of `maxReleaseNoteBytes`, in addition to the other fields. */
export const maxSettingsFormBytes = 256 * 1024;
const historyEntriesPerPage = 20;
const successMessages = () => ({
  saved: pageSettingsTexts.saved,
  made: pageSettingsTexts.made,
  readdressed: pageSettingsTexts.moved,
  withdrawn: pageSettingsTexts.withdrawnNow,
  offered: pageSettingsTexts.offeredNow,
  'rolled-back': pageSettingsTexts.rolledBack,
  published: pageSettingsTexts.published,
});
const done = v.picklist(['saved', 'made', 'readdressed', 'withdrawn', 'offered', 'rolled-back', 'published']);

/** Raw fields. `page-settings.ts` validates them against the current page with its row locked. */
const settingsFields = {
  name: v.string(),
  active: flag(),
  access: v.optional(v.string(), ''),
  groups: many(v.string()),
  passcode: v.string(),
  expiry: v.optional(v.string(), ''),
  expires: v.string(),
  'limits-installs': flag(),
  'limits-networks': flag(),
  installs: v.string(),
  recount: flag(),
  networks: v.string(),
  note: v.string(),
  feedback: flag(),
  'mandatory-from': v.optional(v.string(), ''),
  revision: v.string(),
  'other-revision': v.optional(v.string(), ''),
  'seen-revision': v.string(),
  'seen-note': v.string(),
};

/** Routes of the page settings. Page rules do not apply to people who manage the page. */
export function pageSettingsRoutes(deps: PageSettingsRouteDeps): Route[] {
  const { managedPage, pageSettings } = deps;
  const page = '/distributions/:accessKey/settings';
  const form = {
    method: 'POST',
    access: managedPage,
    reauthentication: false,
    page,
    maxBodyBytes: maxSettingsFormBytes,
  } as const;
  const back = (accessKey: string, what: keyof ReturnType<typeof successMessages>) =>
    redirect(`${pageSettingsPath(accessKey)}?done=${what}`);
  const oneBuild = { form: { revision: wholeNumber(() => pageSettingsTexts.errors.noRevision) } };
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show the settings of a distribution page',
      access: managedPage,
      query: { before: lenient(v.pipe(v.string(), v.regex(/^[0-9a-z]{26}$/))), done: lenient(done) },
      handle: async (context) => html(await renderSettings(deps, context, context.query)),
    }),
    defineRoute({
      ...form,
      path: '/distributions/:accessKey/settings/save',
      summary: 'Save the settings of a distribution page',
      form: settingsFields,
      handle: async ({ subject, form: given }) => {
        const { 'seen-revision': seenRevision, 'seen-note': seenNote, ...submitted } = given;
        const revision = chosenRevision(given);
        const limits = {
          limitsInstalls: submitted['limits-installs'],
          limitsNetworks: submitted['limits-networks'],
        };
        const mandatoryFrom = submitted['mandatory-from'];
        await pageSettings.save(subject, {
          ...submitted,
          ...limits,
          mandatoryFrom,
          revision,
          seenRevision,
          seenNote,
        });
        return back(subject.page.accessKey, 'saved');
      },
      renderErrors: async ({ errors, submitted: sent, error }, context) => {
        const { 'seen-revision': seenRevision, 'seen-note': seenNote, ...texts } = sent;
        const boxes = {
          active: texts.active !== '',
          recount: texts.recount !== '',
          feedback: texts.feedback !== '',
          limitsInstalls: texts['limits-installs'] !== '',
          limitsNetworks: texts['limits-networks'] !== '',
        };
        const submitted = (error instanceof SettingsRefused && error.submitted) || {
          ...texts,
          ...boxes,
          groups: texts.groups.split('\n').filter(Boolean),
          mandatoryFrom: texts['mandatory-from'],
          revision: chosenRevision(sent),
          seenRevision,
          seenNote,
        };
        return renderSettings(deps, context, { errors, submitted });
      },
    }),
    defineRoute({
      ...form,
      ...oneBuild,
      path: '/distributions/:accessKey/settings/withdraw',
      summary: 'Withdraw a build from a distribution page',
      handle: async ({ subject, form: { revision } }) => {
        await pageSettings.setWithdrawn(subject, revision, true);
        return redirect(`${pageSettingsPath(subject.page.accessKey)}?done=withdrawn#served`);
      },
    }),
    defineRoute({
      ...form,
      ...oneBuild,
      path: '/distributions/:accessKey/settings/restore',
      summary: 'Restore a withdrawn build to a distribution page',
      handle: async ({ subject, form: { revision } }) => {
        await pageSettings.setWithdrawn(subject, revision, false);
        return redirect(`${pageSettingsPath(subject.page.accessKey)}?done=offered#served`);
      },
    }),
    defineRoute({
      ...form,
      ...oneBuild,
      path: '/distributions/:accessKey/settings/roll-back',
      summary: 'Roll a distribution page back to an earlier build',
      handle: async ({ subject, form: { revision } }) => {
        await pageSettings.rollBack(subject, revision);
        return redirect(`${pageSettingsPath(subject.page.accessKey)}?done=rolled-back#served`);
      },
    }),
    defineRoute({
      ...form,
      path: '/distributions/:accessKey/settings/rotate-link',
      summary: 'Rotate the link of a distribution page',
      form: {},
      handle: async ({ subject }) => back(await pageSettings.rotateLink(subject), 'readdressed'),
    }),
    defineRoute({
      ...form,
      path: '/distributions/:accessKey/settings/delete',
      summary: 'Delete a distribution page',
      form: { confirmation: v.string() },
      handle: async ({ subject, form: { confirmation } }) => {
        await pageSettings.remove(subject, confirmation);
        const { owner, platform, packageName } = subject.app;
        return redirect(platformAppPath(owner, platform, packageName));
      },
      renderErrors: ({ errors, submitted: { confirmation } }, context) =>
        renderSettings(deps, context, { errors, confirmation }),
    }),
  ];
}

async function renderSettings(
  { data, appHeads }: PageSettingsRouteDeps,
  { frame, caller, subject: { app, page } }: SettingsContext,
  shown: {
    before?: string | undefined;
    done?: keyof ReturnType<typeof successMessages> | undefined;
    submitted?: SettingsValues;
    errors?: SettingsRefused['errors'];
    confirmation?: string;
  },
): Promise<string> {
  const current = await buildQueries(data).findBuild(page.buildId);
  if (!current) throw new NotFound();
  const chosen = (await groupQueries(data).groupsOfPage(page.id)).map(({ id }) => id);
  const submitted = shown.submitted ?? settingsFormValues(page, current.revision, chosen);
  const found = await pageSettingsQueries(data).listServedBuilds(page.id, {
    limit: historyEntriesPerPage + 1,
    before: shown.before ?? null,
  });
  const served = found.slice(0, historyEntriesPerPage);
  const last = found.length > historyEntriesPerPage ? served.at(-1)?.id : undefined;
  const owner = await ownerQueries(data).findOwnerById(app.owner.id);
  const { origin, now } = frame;
  const ofPage = pageBlockers({ page, update: null, build: current, origin, now });
  const installers = await memberActivityQueries(data).installersOf(app, [page]);
  return renderPageSettings({
    frame,
    app,
    head: await appHeads.ofManaged(app),
    page,
    state: servingState(page, current, now),
    submitted,
    groups: await groupQueries(data).listGroups(app.owner.id),
    managesGroups: owner !== null && (await loadPermissions(data, caller.actor, owner)).administers,
    errors: shown.errors ?? {},
    choices: await loadBuildChoices(data, app.id, [current.revision, readRevision(submitted.revision)]),
    served,
    blockers: [...ofPage, ...buildBlockers(current, now)],
    olderAddress: last === undefined ? null : `${pageSettingsPath(page.accessKey)}?before=${last}#served`,
    installers: installers.get(page.id) ?? { installed: 0, allowed: null },
    done: shown.done ? successMessages()[shown.done] : null,
    confirmation: shown.confirmation ?? '',
  });
}
