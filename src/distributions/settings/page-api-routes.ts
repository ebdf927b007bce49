/** Distribution pages in `/api/v1`. */
import * as v from 'valibot';
import type { KeyCaller } from '../../accounts/authorization/key-access-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { appApiPath } from '../../apps/app-api-routes.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { revisionText } from '../../apps/builds/build-selection.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import { FormInvalid, NotFound } from '../../core/errors.ts';
import { integerShape } from '../../core/json-shapes.ts';
import type { Data } from '../../db/data.ts';
import { listAnswer, listPage, listQuery } from '../../http/api/pagination.ts';
import { empty, json } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import type { Values } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { ManagedPage } from '../access/page-access-http.ts';
import {
  type DistributionPage,
  maxPasscodeLength,
  pageSettingInputs,
  pageSettingsOfJson,
} from '../distribution-page.ts';
import { distributionQueries } from '../distribution-queries.ts';
import { loadPagesJson } from '../load-shown-pages.ts';
import { historyEntryJson, historyEntryShape, pageShape } from '../page-json.ts';
import { maxReleaseNoteBytes, type PageChanges } from './page-settings.ts';
import type { PageChange, PageSettings } from './page-settings-change.ts';
import { pageSettingsQueries } from './page-settings-queries.ts';
import type { PublishToPage } from './publish-to-page.ts';

export interface PageApiRouteDeps {
  data: Data;
  access: RouteAccess;
  managedApp: ManagedAppAccess['managedApp'];
  managedPage: ManagedPage;
  pageSettings: PageSettings;
  publishToPage: PublishToPage;
  now: () => number;
}

const revision = integerShape('A build of the app.');
const noteText = v.pipe(
  v.string(),
  v.maxBytes(maxReleaseNoteBytes),
  v.description('Shown to testers with the build; empty: the message of the build.'),
);
const notify = v.pipe(v.boolean(), v.description('Whether people are emailed about the build.'));
const published = { revision, release_note: v.optional(noteText, ''), notify: v.optional(notify, false) };

const { active, access: whoOpens, name: nameInput, ...others } = pageSettingInputs;
const changes = {
  name: nameInput,
  revision: v.optional(revision),
  release_note: v.optional(v.pipe(v.string(), v.maxBytes(maxReleaseNoteBytes))),
  active,
  access: whoOpens,
  groups: v.optional(v.pipe(v.array(v.string()), v.maxLength(200))),
  passcode: v.optional(v.pipe(v.string(), v.maxLength(2 * maxPasscodeLength))),
  ...others,
  reset_installs: v.optional(v.pipe(v.boolean(), v.description('True: counts installs from 0 again.'))),
};

const changesOf = (given: Values<typeof changes>): PageChanges => ({
  ...pageSettingsOfJson(given),
  groupNames: given.groups,
  passcode: given.passcode,
  recount: given.reset_installs,
  note: given.release_note,
  revision: given.revision,
});

export function pageApiRoutes(deps: PageApiRouteDeps): Route[] {
  const { data, access, pageSettings } = deps;
  const path = '/api/v1/pages/:accessKey';
  const ofApp = `${appApiPath}/pages` as const;
  const byName = `${ofApp}/by-name/:name` as const;
  const params = { revision: revisionText() };
  const reading = { tag: 'Pages', access: access.byKey(deps.managedPage), keyScope: 'read' } as const;
  const changing = { tag: 'Pages', access: access.byKey(deps.managedPage), keyScope: 'manage' } as const;
  const show = async ({ app }: PageChange, page: DistributionPage | null, client: Client) => {
    const [shown] = page
      ? await loadPagesJson(data, app, [page], { origin: client.origin, now: deps.now() })
      : [];
    if (!shown) throw new NotFound();
    return shown;
  };
  const again = async (change: PageChange, client: Client) =>
    json(await show(change, await distributionQueries(data).findPageById(change.page.id), client));
  const publish = async (
    { actor: by }: KeyCaller,
    { app }: Pick<PageChange, 'app'>,
    name: string,
    given: { revision: number; release_note: string; notify: boolean },
  ) => {
    const build = await buildQueries(data).findBuildByRevision(app.id, given.revision);
    if (!build) throw new FormInvalid({ revision: ['There is no such build.'] });
    const submitted = { page: name, note: given.release_note, notify: given.notify };
    return deps.publishToPage({ by, app, build }, submitted);
  };
  return [
    defineRoute({
      method: 'GET',
      path: ofApp,
      operationId: 'listPages',
      summary: 'List the distribution pages of an app',
      description: 'By name.',
      tag: 'Pages',
      access: access.byKey(deps.managedApp),
      keyScope: 'read',
      query: listQuery(v.tuple([v.string()])),
      answer: listAnswer(pageShape),
      handle: async ({ subject: app, query: { limit, cursor }, client }) => {
        const found = await distributionQueries(data).listPagesByName(app.id, {
          after: cursor?.[0],
          limit: limit + 1,
        });
        const shown = await loadPagesJson(data, app, found, { origin: client.origin, now: deps.now() });
        return listPage(shown, { limit, client, positionOf: ({ name }) => [name], show: (page) => page });
      },
    }),
    defineRoute({
      method: 'POST',
      path: ofApp,
      operationId: 'createPage',
      summary: 'Create a distribution page',
      tag: 'Pages',
      access: access.byKey(deps.managedApp),
      keyScope: 'manage',
      json: { name: nameInput.wrapped, revision, release_note: v.optional(noteText, '') },
      status: 201,
      answer: pageShape,
      handle: async ({ caller, subject: app, json: given, client }) => {
        const submitted = { name: given.name, note: given.release_note, revision: given.revision };
        const page = await pageSettings.make(caller.actor, app, submitted);
        const shown = await show({ by: caller.actor, app, page }, page, client);
        return json(shown, { headers: { Location: `/api/v1/pages/${page.accessKey}` } });
      },
    }),
    defineRoute({
      method: 'GET',
      path: byName,
      operationId: 'getPageByName',
      summary: 'Show the distribution page with a name',
      tag: 'Pages',
      access: access.byKey(deps.managedApp),
      keyScope: 'read',
      answer: pageShape,
      handle: async ({ caller, subject: app, params: { name }, client }) => {
        const page = await distributionQueries(data).findPageByName(app.id, name);
        if (!page) throw new NotFound();
        return json(await show({ by: caller.actor, app, page }, page, client));
      },
    }),
    defineRoute({
      method: 'PUT',
      path: byName,
      operationId: 'publishByName',
      summary: 'Publish a build to the page with a name, which is created if there is none',
      tag: 'Pages',
      access: access.byKey(deps.managedApp),
      keyScope: 'manage',
      json: published,
      answer: pageShape,
      handle: async ({ caller, subject: app, params: { name }, json: given, client }) => {
        const page = await publish(caller, { app }, name, given);
        return json(await show({ by: caller.actor, app, page }, page, client));
      },
    }),
    defineRoute({
      ...reading,
      method: 'GET',
      path,
      operationId: 'getPage',
      summary: 'Show a distribution page',
      answer: pageShape,
      handle: async ({ subject, client }) => json(await show(subject, subject.page, client)),
    }),
    defineRoute({
      ...changing,
      method: 'PATCH',
      path,
      operationId: 'updatePage',
      summary: 'Change the settings, build or note of a distribution page',
      description: 'What is absent stays as it is.',
      json: changes,
      answer: pageShape,
      handle: async ({ subject, json: given, client }) => {
        await pageSettings.change(subject, changesOf(given));
        return again(subject, client);
      },
    }),
    defineRoute({
      ...changing,
      method: 'DELETE',
      path,
      operationId: 'deletePage',
      summary: 'Delete a distribution page',
      description: 'Its link stops working. Builds are not affected.',
      handle: async ({ subject }) => {
        await pageSettings.remove(subject, subject.page.name);
        return empty(204);
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${path}/publish`,
      operationId: 'publishBuild',
      summary: 'Publish a build to a distribution page',
      json: published,
      answer: pageShape,
      handle: async ({ caller, subject, json: given, client }) => {
        await publish(caller, subject, subject.page.name, given);
        return again(subject, client);
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${path}/roll-back`,
      operationId: 'rollBackPage',
      summary: 'Roll a distribution page back to an earlier build',
      description: 'The page serves the build with the note that it had.',
      json: { revision: integerShape('A build in the history of the page.') },
      answer: pageShape,
      handle: async ({ subject, json: given, client }) => {
        await pageSettings.rollBack(subject, given.revision);
        return again(subject, client);
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${path}/link/rotate`,
      operationId: 'rotatePageLink',
      summary: 'Rotate the link of a distribution page',
      description: 'The old link stops working.',
      json: {},
      answer: pageShape,
      handle: async ({ subject, client }) => {
        await pageSettings.rotateLink(subject);
        return again(subject, client);
      },
    }),
    defineRoute({
      ...reading,
      method: 'GET',
      path: `${path}/history`,
      operationId: 'listPageHistory',
      summary: 'List the builds that a distribution page has served',
      description: 'The newest comes first.',
      query: listQuery(v.tuple([v.string()])),
      answer: listAnswer(historyEntryShape),
      handle: async ({ subject: { page }, query: { limit, cursor }, client }) => {
        const served = await pageSettingsQueries(data).listServedBuilds(page.id, {
          limit: limit + 1,
          before: cursor?.[0] ?? null,
        });
        return listPage(served, { limit, client, positionOf: ({ id }) => [id], show: historyEntryJson });
      },
    }),
    ...(['withdraw', 'restore'] as const).map((action) =>
      defineRoute({
        ...changing,
        method: 'POST',
        path: `${path}/history/:revision/${action}`,
        operationId: `${action}PageBuild`,
        summary:
          action === 'withdraw'
            ? 'Withdraw a build from a distribution page'
            : 'Restore a withdrawn build to a distribution page',
        params,
        json: {},
        handle: async ({ subject, params: { revision: chosen } }) => {
          await pageSettings.setWithdrawn(subject, chosen, action === 'withdraw');
          return empty(204);
        },
      }),
    ),
  ];
}
