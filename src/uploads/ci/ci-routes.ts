import * as v from 'valibot';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { type IssueKey, maxKeyNameLength, newKeyLimit } from '../../accounts/keys/issue-key.ts';
import { requireSession } from '../../accounts/sessions/require-session.ts';
import { hashSessionToken } from '../../accounts/sessions/session.ts';
import type { App } from '../../apps/app.ts';
import { appQueries } from '../../apps/app-queries.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import type { ViewAccess, VisibleOwner } from '../../apps/view-access.ts';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { events, html } from '../../http/routes/answer.ts';
import { lenient, lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import type { EventStreams } from '../../http/sending/event-streams.ts';
import type { Owner } from '../../owners/owner.ts';
import { type CiPageProps, renderCiPage } from './ci-page.tsx';
import { ciPageQueries } from './ci-page-queries.ts';
import { type CiSystem, ciSystems, pageForSnippet } from './ci-snippets.ts';
import { ciTexts } from './ci-texts.ts';

export interface CiRouteDeps {
  data: Data;
  access: RouteAccess;
  viewAccess: ViewAccess;
  issueKey: IssueKey;
  streams: EventStreams;
}

/** Equal to the default in the form for keys. */
const keyLifetimeDays = 90;

/** Routes of the page for uploads from CI, for people who can upload to the owner. */
export function ciRoutes({ data, access, viewAccess, issueKey, streams }: CiRouteDeps): Route[] {
  const uploader: Access<{ owner: string }, Person, VisibleOwner> = {
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
  const query = { system: lenient(v.picklist(ciSystems)), app: lenientText() };
  type Asked = { subject: VisibleOwner; query: { system?: CiSystem | undefined; app?: string | undefined } };
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
  const choose = async ({ subject: { owner }, query: { system = 'github', app: asked } }: Asked) => {
    const app = await findApp(owner, asked);
    const pages = await ciPageQueries(data).listPageNames(owner.id, app?.id ?? null);
    return { system, app, page: pageForSnippet(pages), latest: await findLatest(owner, app) };
  };
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show how to upload from CI',
      access: uploader,
      query,
      handle: async ({ subject, frame, query: asked }) =>
        html(renderCiPage({ frame, ...subject, ...(await choose({ subject, query: asked })), key: null })),
    }),
    defineRoute({
      method: 'POST',
      path: `${page}/create-key`,
      summary: 'Create an API key for uploads from CI',
      access: uploader,
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
      method: 'GET',
      path: `${page}/live`,
      summary: 'Stream the newest upload to an owner as server-sent events',
      access: uploader,
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
              return { revision: build?.revision ?? null, digest: build?.id ?? '' };
            },
            reauthorize,
          }),
        );
      },
    }),
  ];
}
