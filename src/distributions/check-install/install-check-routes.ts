import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import type { AppHeads } from '../../apps/app-heads.ts';
import { checkInstallPath } from '../../apps/app-paths.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { listAppPeople } from '../../apps/testers/list-app-people-http.ts';
import { FormInvalid, NotFound } from '../../core/errors.ts';
import { deviceQueries } from '../../devices/device-queries.ts';
import { readSearch } from '../../http/list-request.ts';
import { html, json } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { maxLoginLength } from '../../owners/owner.ts';
import { type NameListRequest, nameListQuery } from '../../projects/lists/list-by-name-http.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { ManagedPage } from '../access/page-access-http.ts';
import type { PageWithApp } from '../distribution-queries.ts';
import { type InstallChoicesProps, renderInstallChoices } from './install-check-choices.tsx';
import { installCheckJson, installCheckShape } from './install-check-json.ts';
import { renderInstallCheckPage } from './install-check-page.tsx';
import { installCheckTexts } from './install-check-texts.ts';
import { type InstallCheckDeps, loadInstallCheck } from './load-install-check.ts';
import { refusedVisitQueries } from './refused-visit-queries.ts';

export interface InstallCheckRouteDeps extends InstallCheckDeps {
  access: RouteAccess;
  managedPage: ManagedPage;
  appHeads: AppHeads;
  now: () => number;
}

const maxRefusals = 10;
const maxDevices = 20;
const name = v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(maxLoginLength));
const deviceId = v.pipe(v.string(), v.regex(/^[0-9a-z]{26}$/));

/** Explains to people who manage a page why someone can or cannot install from it. */
export function installCheckRoutes(deps: InstallCheckRouteDeps): Route[] {
  const { data, access, managedPage } = deps;
  return [
    defineRoute({
      method: 'GET',
      path: '/distributions/:accessKey/settings/check-install',
      summary: 'Check why someone can or cannot install from a distribution page',
      access: managedPage,
      query: {
        ...nameListQuery,
        part: lenient(v.literal('choices')),
        person: lenient(name),
        device: lenient(deviceId),
      },
      handle: async ({ subject, frame, query }) => {
        const { page, app } = subject;
        if (query.part) return html(renderInstallChoices(await loadChoices(deps, subject, frame, query)));
        const isChosen = query.person !== undefined || query.device !== undefined;
        const loaded = isChosen ? await loadInstallCheck(deps, subject, query, frame) : null;
        const choices = loaded ? null : await loadChoices(deps, subject, frame, query);
        const build = await buildQueries(data).findBuild(page.buildId);
        const head = await deps.appHeads.ofManaged(app);
        const revision = build?.revision ?? 0;
        return html(renderInstallCheckPage({ frame, head, app, page, revision, loaded, choices }));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/pages/:accessKey/install-check',
      operationId: 'checkInstall',
      summary: 'Check why someone can or cannot install from a distribution page',
      description:
        'The rules that the page itself applies. A user without access to the app is answered like a name that nobody has.',
      tag: 'Pages',
      access: access.byKey(managedPage),
      keyScope: 'read',
      query: {
        user: v.optional(v.pipe(name, v.description('Name of a user.'))),
        device: v.optional(
          v.pipe(deviceId, v.description('Id of a device that is registered with the owner of the app.')),
        ),
      },
      answer: installCheckShape,
      handle: async ({ subject, query: { user, device }, client }) => {
        if (user === undefined && device === undefined)
          throw new FormInvalid({ user: [installCheckTexts.nobodyNamed] });
        const at = { origin: client.origin, now: deps.now() };
        const build = await buildQueries(data).findBuild(subject.page.buildId);
        if (!build) throw new NotFound();
        const loaded = await loadInstallCheck(deps, subject, { person: user, device }, at);
        return json(installCheckJson(loaded, build.revision));
      },
    }),
  ];
}

async function loadChoices(
  { data }: InstallCheckRouteDeps,
  { page, app }: PageWithApp,
  frame: PageFrame,
  asked: NameListRequest,
): Promise<InstallChoicesProps> {
  const address = checkInstallPath(page.accessKey);
  const { words } = readSearch(asked.q);
  return {
    frame,
    address,
    refused: await refusedVisitQueries(data).listRefused(page.id, maxRefusals),
    people: await listAppPeople(data, app, asked, address),
    devices:
      app.platform === 'ios'
        ? await deviceQueries(data).searchOwnedDevices(app.owner.id, words, maxDevices)
        : [],
  };
}
