import type { Caller } from '../../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import type { App } from '../../apps/app.ts';
import { appQueries } from '../../apps/app-queries.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { html } from '../../http/routes/answer.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import type { Owner } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { mailChoiceQueries } from './mail-choice-queries.ts';
import { renderUnsubscribePage } from './unsubscribe-page.tsx';
import type { UnsubscribeTokens } from './unsubscribe-token.ts';

export interface UnsubscribeRouteDeps {
  data: Data;
  access: RouteAccess;
  tokens: UnsubscribeTokens;
  now: () => number;
}

/** The person and app of the token. */
interface Subscription {
  user: Owner;
  app: App;
}

type TokenContext = RouteContext<unknown, Subscription> & { params: { token: string } };

/**
 * Unsubscribes anyone who has the link from one app. GET changes nothing, because scanners follow every link in an email. POST
 * does, regardless of its body; email clients send `List-Unsubscribe=One-Click` and must not be redirected (RFC 8058, section
 * 3.1).
 */
export function unsubscribeRoutes(deps: UnsubscribeRouteDeps): Route[] {
  const page = '/unsubscribe/:token';
  const access = createTokenAccess(deps);
  const form = { method: 'POST', access, page, reauthentication: false, form: {} } as const;
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show your subscription to emails about an app',
      access,
      handle: (context) => answer(deps, context, null),
    }),
    defineRoute({
      ...form,
      path: page,
      summary: 'Unsubscribe from emails about an app',
      csrfExempt:
        'sent by email clients for one-click unsubscribe (RFC 8058); the token in the URL is signed',
      handle: (context) => answer(deps, context, false),
    }),
    defineRoute({
      ...form,
      path: '/unsubscribe/:token/undo',
      summary: 'Subscribe to emails about an app again',
      handle: (context) => answer(deps, context, true),
    }),
  ];
}

function createTokenAccess({
  data,
  access,
  tokens,
}: UnsubscribeRouteDeps): Access<{ token: string }, Caller | null, Subscription> {
  return {
    roles: ['link holder'],
    credentials: ['link', 'session'],
    others: 'missing',
    // Only used for the page header.
    identify: access.anyone.identify,
    authorize: async (_caller, { token }) => {
      const subscription = tokens.readExpired(token);
      const user = subscription && (await ownerQueries(data).findOwnerById(subscription.userId));
      const app = subscription && (await appQueries(data).findAppById(subscription.appId));
      if (!user || !app) throw new NotFound();
      return { user, app };
    },
  };
}

async function answer(
  { data, now }: UnsubscribeRouteDeps,
  { frame, params: { token }, subject: { user, app } }: TokenContext,
  wanted: boolean | null,
) {
  if (wanted !== null) await mailChoiceQueries(data).setChoice(user.id, app.id, wanted, now());
  const [latest] = await buildQueries(data).listBuilds(app.id, { limit: 1 });
  const chosen = wanted ?? (await mailChoiceQueries(data).findChoice(user.id, app.id));
  return html(
    renderUnsubscribePage({
      frame,
      token,
      userName: user.name,
      appName: latest?.info.name ?? app.packageName,
      platform: app.platform,
      state: chosen === false ? 'off' : wanted === true ? 'on' : 'ask',
    }),
  );
}
