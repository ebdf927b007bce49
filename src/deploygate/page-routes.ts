/** Distribution pages. */

import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { App, Build } from '../apps/app.ts';
import { buildQueries } from '../apps/builds/build-queries.ts';
import type { FileTokens } from '../apps/files/file-token.ts';
import type { ManagedAppAccess } from '../apps/managed-app-access-http.ts';
import { FormInvalid, NotFound } from '../core/errors.ts';
import { normalizeName } from '../core/name-text.ts';
import type { Data } from '../db/data.ts';
import type { ManagedPage } from '../distributions/access/page-access-http.ts';
import {
  type DistributionPage,
  maxDistributionNameLength,
  maxPasscodeLength,
} from '../distributions/distribution-page.ts';
import { distributionQueries } from '../distributions/distribution-queries.ts';
import type { PageChanges } from '../distributions/settings/page-settings.ts';
import type { PageChange, PageSettings } from '../distributions/settings/page-settings-change.ts';
import type { PublishToPage } from '../distributions/settings/publish-to-page.ts';
import { json } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { appPath, change, noApp, noBuild, noPage, read, saying } from './deploygate-access-http.ts';
import { deploygatePage, noError } from './deploygate-json.ts';

export interface PageRouteDeps {
  data: Data;
  access: RouteAccess;
  appAccess: ManagedAppAccess;
  managedPage: ManagedPage;
  fileTokens: FileTokens;
  pageSettings: PageSettings;
  publishToPage: PublishToPage;
}

const maxListedPages = 1000;
const nameText = v.pipe(v.string(), v.maxLength(2 * maxDistributionNameLength));
const flagText = v.pipe(
  v.string(),
  v.regex(/^(?:true|false|1|0)$/i, 'must be true or false'),
  v.transform((text) => /^(?:true|1)$/i.test(text)),
);
const revisionField = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,14}$/, 'must be a revision'),
  v.transform(Number),
);
/** `public` pages become `unlisted`, because Slipway has no directory of pages. */
const scopes = {
  public: 'unlisted',
  unlisted: 'unlisted',
  passcode: 'passcode',
  authorized_only: 'members',
} as const;
const scopeField = v.pipe(
  v.picklist(['public', 'unlisted', 'passcode', 'authorized_only']),
  v.transform((scope) => scopes[scope]),
);

/** Throws a refusal with the field names of this interface. */
function refuse(error: unknown): never {
  if (!(error instanceof FormInvalid)) throw error;
  const { name: title, networks, ...others } = error.errors;
  throw new FormInvalid({
    ...(title && { title }),
    ...(networks && { ip_restriction: networks }),
    ...others,
  });
}

export function deploygatePageRoutes(deps: PageRouteDeps): Route[] {
  const { data, access, fileTokens, pageSettings } = deps;
  const path = '/api/distributions/:accessKey';
  const ofApp = `${appPath}/distributions` as const;
  const managedApp = saying(noApp, access.byKey(deps.appAccess.managedApp));
  const managedPage = saying(noPage, access.byKey(deps.managedPage));
  const show = async (app: App, page: DistributionPage | null, origin: string) => {
    const build = page && (await buildQueries(data).findBuild(page.buildId));
    if (!page || !build) throw new NotFound(noPage);
    return deploygatePage(app, page, build, { origin, fileTokens });
  };
  const again = async ({ app, page }: PageChange, origin: string) =>
    json({
      ...noError,
      results: await show(app, await distributionQueries(data).findPageById(page.id), origin),
    });
  const findBuild = async (app: App, revision: number | undefined): Promise<Build> => {
    const build =
      revision === undefined
        ? (await buildQueries(data).listBuilds(app.id, { limit: 1 }))[0]
        : await buildQueries(data).findBuildByRevision(app.id, revision);
    if (!build) throw new NotFound(noBuild);
    return build;
  };
  const save = (subject: PageChange, changes: PageChanges) =>
    pageSettings.change(subject, changes).catch(refuse);
  return [
    defineRoute({
      ...read,
      path: ofApp,
      summary: 'List the distribution pages of an app',
      access: managedApp,
      handle: async ({ subject: app, client }) => {
        const pages = await distributionQueries(data).listPagesByName(app.id, { limit: maxListedPages });
        const distributions = [];
        for (const page of pages) distributions.push(await show(app, page, client.origin));
        return json({ ...noError, results: { distributions } });
      },
    }),
    defineRoute({
      ...change,
      method: 'POST',
      path: ofApp,
      summary: 'Create a distribution page',
      access: managedApp,
      form: {
        title: nameText,
        revision: v.optional(revisionField),
        release_note: v.optional(v.string(), ''),
        active: v.optional(flagText, 'true'),
      },
      handle: async ({ caller, subject: app, form, client }) => {
        const { revision } = await findBuild(app, form.revision);
        const submitted = { name: form.title, note: form.release_note, revision };
        const page = await pageSettings.make(caller.actor, app, submitted).catch(refuse);
        const subject = { by: caller.actor, app, page };
        if (!form.active) await save(subject, { active: false });
        return again(subject, client.origin);
      },
    }),
    defineRoute({
      ...change,
      method: 'DELETE',
      path: ofApp,
      summary: 'Delete the distribution page with a name',
      access: managedApp,
      form: { distribution_name: nameText },
      handle: async ({ caller, subject: app, form }) => {
        const name = normalizeName(form.distribution_name);
        const page = await distributionQueries(data).findPageByName(app.id, name);
        if (!page) throw new NotFound(noPage);
        await pageSettings.remove({ by: caller.actor, app, page }, page.name);
        return json({ ...noError, results: { message: 'deleted successfully' } });
      },
    }),
    defineRoute({
      ...read,
      path,
      summary: 'Show a distribution page',
      access: managedPage,
      handle: async ({ subject: { app, page }, client }) =>
        json({ ...noError, results: await show(app, page, client.origin) }),
    }),
    defineRoute({
      ...change,
      method: 'PUT',
      path,
      summary: 'Change the settings of a distribution page',
      access: managedPage,
      form: {
        active: flagText,
        release_scope: scopeField,
        passcode: v.optional(v.pipe(v.string(), v.maxLength(2 * maxPasscodeLength))),
        title: v.optional(nameText),
        release_note: v.optional(v.string()),
        ip_restriction_enable: v.optional(flagText),
        ip_restriction: v.optional(v.string()),
      },
      handle: async ({ subject, form, client }) => {
        const { access: before } = subject.page;
        const {
          release_scope: scope,
          ip_restriction_enable: limitsNetworks,
          ip_restriction: networks,
        } = form;
        await save(subject, {
          active: form.active,
          access: scope === 'members' && before === 'groups' ? before : scope,
          passcode: form.passcode,
          name: form.title,
          note: form.release_note,
          networks: limitsNetworks === false ? [] : networks?.split(',').map((network) => network.trim()),
        });
        return again(subject, client.origin);
      },
    }),
    defineRoute({
      ...change,
      method: 'DELETE',
      path,
      summary: 'Delete a distribution page',
      access: managedPage,
      form: {},
      handle: async ({ subject }) => {
        await pageSettings.remove(subject, subject.page.name);
        return json({ ...noError, results: { message: 'deleted' } });
      },
    }),
    defineRoute({
      ...change,
      method: 'POST',
      path: `${path}/packages`,
      summary: 'Publish a build to a distribution page',
      access: managedPage,
      form: { revision: revisionField, release_note: v.optional(v.string(), '') },
      handle: async ({ subject, form, client }) => {
        const build = await findBuild(subject.app, form.revision);
        const submitted = { page: subject.page.name, note: form.release_note, notify: false };
        await deps.publishToPage({ ...subject, build }, submitted).catch(refuse);
        return again(subject, client.origin);
      },
    }),
  ];
}
