import * as v from 'valibot';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { type IssueKey, maxKeyNameLength, newKeyLimit } from '../../accounts/keys/issue-key.ts';
import { requireSession } from '../../accounts/sessions/require-session.ts';
import { hashSessionToken } from '../../accounts/sessions/session.ts';
import {
  type TrustedPublisherChanges,
  trustedPublisherLimit,
} from '../../accounts/trusted-publishing/trusted-publisher-changes.ts';
import { trustedPublisherQueries } from '../../accounts/trusted-publishing/trusted-publisher-queries.ts';
import type { App } from '../../apps/app.ts';
import { appQueries } from '../../apps/app-queries.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import type { ViewAccess, VisibleOwner } from '../../apps/view-access.ts';
import type { Config } from '../../config.ts';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { events, html, redirect } from '../../http/routes/answer.ts';
import { lenient, lenientText, type Values } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import type { EventStreams } from '../../http/sending/event-streams.ts';
import type { Owner } from '../../owners/owner.ts';
import { ciPath } from '../../owners/owner-paths.ts';
import { renameErrors } from '../../projects/trusted-publishing/publisher-form.ts';
import { uploaderSha256 } from '../uploader-file.ts';
import { type CiPageProps, ciLink, renderCiPage } from './ci-page.tsx';
import { ciPageQueries } from './ci-page-queries.ts';
import { ciSystems, isTrustedSystem, pageForSnippet } from './ci-snippets.ts';
import { ciTexts } from './ci-texts.ts';
import { type TrustField, trustInput } from './ci-trust.ts';

export interface CiRouteDeps {
  data: Data;
  access: RouteAccess;
  viewAccess: ViewAccess;
  issueKey: IssueKey;
  streams: EventStreams;
  trustedPublisherChanges: TrustedPublisherChanges;
  config: Pick<Config, 'publicUrl'>;
}

const trimmed = () => v.optional(v.pipe(v.string(), v.trim()), '');
const trustForm = {
  organization: trimmed(),
  workspace: trimmed(),
  repository: trimmed(),
  project: trimmed(),
} satisfies Record<TrustField, unknown>;

/** Equal to the default in the form for keys. */
const keyLifetimeDays = 90;

/** Routes of the page for uploads from CI, for people who can upload to the owner. */
export function ciRoutes(deps: CiRouteDeps): Route[] {
  const { data, access, viewAccess, issueKey, streams, trustedPublisherChanges, config } = deps;
  const developer: Access<{ owner: string }, Person, VisibleOwner> = {
    roles: ['developer'],
    credentials: ['session'],
    others: 'missing',
    identify: access.person,
    authorize: async ({ actor }, { owner }) => {
      const visible = await viewAccess.owner(actor, owner);
      if (!visible?.permissions.uploads) throw new NotFound();
      return visible;
    },
  };
  const page = '/users/:owner/ci';
  const query = {
    system: lenient(v.picklist(ciSystems)),
    app: lenientText(),
    key: lenient(v.literal('stored')),
  };
  type Asked = { subject: Pick<VisibleOwner, 'owner'>; query: Values<typeof query> };
  const findApp = async (owner: Owner, asked = '') => {
    const [platform = '', packageName = ''] = asked.split('/');
    const isPlatform = platform === 'android' || platform === 'ios';
    return isPlatform ? appQueries(data).findApp(owner.id, platform, packageName) : null;
  };
  const findLatest = async (owner: Owner, app: App | null): Promise<CiPageProps['latest']> => {
    const listed = app
      ? { app, latest: (await buildQueries(data).listBuilds(app.id, { limit: 1 }))[0] }
      : (await appQueries(data).listApps({ ownerIds: [owner.id] }, { limit: 1 }))[0];
    return listed?.latest ? { app: listed.app, build: listed.latest } : null;
  };
  const choose = async ({ subject: { owner }, query: { system = 'github', app: asked, key } }: Asked) => {
    const app = await findApp(owner, asked);
    const pages = await ciPageQueries(data).listPageNames(owner.id, app?.id ?? null);
    // Tokens are issued for the address in the settings of the server.
    const keyless = isTrustedSystem(system) && config.publicUrl !== null && key === undefined;
    const publishers = keyless ? await trustedPublisherQueries(data).list(owner.id) : [];
    return {
      system,
      app,
      page: pageForSnippet(pages),
      latest: await findLatest(owner, app),
      canBeKeyless: isTrustedSystem(system) && config.publicUrl !== null,
      trusted: keyless
        ? publishers.filter((one) => one.provider === system && (!one.app || isSameApp(one.app, app)))
        : null,
      uploaderSha256: await uploaderSha256(),
    };
  };
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show how to upload from CI',
      access: developer,
      query,
      handle: async ({ subject, frame, query: asked }) =>
        html(renderCiPage({ frame, ...subject, ...(await choose({ subject, query: asked })), key: null })),
    }),
    defineRoute({
      method: 'POST',
      path: `${page}/create-key`,
      summary: 'Create an API key for uploads from CI',
      access: developer,
      page,
      query,
      reauthentication: true,
      rateLimit: newKeyLimit,
      form: {},
      handle: async ({ caller, subject, frame, query: asked }) => {
        const { owner } = subject;
        const chosen = await choose({ subject, query: asked });
        const { app } = chosen;
        const { user } = caller.actor;
        const { key } = await issueKey({
          ownerName: user.name,
          ownerKind: 'user',
          name: ciTexts.keyName({ owner: app ? app.packageName : owner.name }).slice(0, maxKeyNameLength),
          expiresAt: frame.now + keyLifetimeDays * 86_400_000,
          scopes: ['upload'],
          restriction: app
            ? {
                owners: [],
                apps: [{ ownerId: owner.id, platform: app.platform, packageName: app.packageName }],
              }
            : { owners: [owner.id], apps: [] },
          by: caller.actor,
          recheck: (tx) => requireSession(tx, hashSessionToken(caller.sessionToken), frame.now),
        });
        return html(renderCiPage({ frame, ...subject, ...chosen, key }));
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${page}/trust-repository`,
      summary: 'Add a trusted publisher for a repository',
      access: access.managedOwner,
      page,
      query,
      reauthentication: true,
      rateLimit: trustedPublisherLimit,
      form: trustForm,
      handle: async ({ caller, subject: owner, query: asked, form }) => {
        const { system = 'github' } = asked;
        if (!isTrustedSystem(system)) throw new NotFound();
        const app = await findApp(owner, asked.app);
        const only = app && { platform: app.platform, packageName: app.packageName };
        const input = trustInput(system, form, only);
        await trustedPublisherChanges.create(caller.actor, owner, input).catch((error: unknown) => {
          throw renameErrors(system, error);
        });
        return redirect(ciLink(ciPath(owner), system, app));
      },
      renderedErrorKinds: ['conflict'],
      renderErrors: async ({ errors, submitted }, { caller, subject: owner, frame, query: asked }) => {
        const visible = await viewAccess.owner(caller.actor, owner.name);
        if (!visible) throw new NotFound();
        const chosen = await choose({ subject: visible, query: asked });
        return renderCiPage({
          frame,
          ...visible,
          ...chosen,
          key: null,
          refused: { values: submitted, errors },
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${page}/live`,
      summary: 'Stream the newest upload to an owner, or refused ID token, as server-sent events',
      access: developer,
      eventStream: true,
      query: { app: query.app },
      handle: async ({ caller, subject: { owner }, query: asked, reauthorize }) => {
        const app = await findApp(owner, asked.app);
        return events(() =>
          streams.open({
            holder: `user ${caller.actor.user.id}`,
            topic: `uploads of ${app?.id ?? owner.id}`,
            read: async () => {
              const build = (await findLatest(owner, app))?.build ?? null;
              const refusedAt = (await trustedPublisherQueries(data).list(owner.id)).map(
                ({ lastRefusedAt }) => lastRefusedAt ?? 0,
              );
              const digest = [build?.id ?? '', Math.max(0, ...refusedAt) || ''].join(' ').trim();
              return { revision: build?.revision ?? null, digest };
            },
            reauthorize,
          }),
        );
      },
    }),
  ];
}

const isSameApp = (one: { platform: string; packageName: string }, app: App | null) =>
  app !== null && one.platform === app.platform && one.packageName === app.packageName;
