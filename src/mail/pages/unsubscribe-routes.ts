import type { Caller } from '../../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { type App, appName } from '../../apps/app.ts';
import { appQueries } from '../../apps/app-queries.ts';
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

/** The person of the token, and the app or the Owner of apps. */
interface Subscription {
  user: Owner;
  subject: { kind: 'app'; app: App } | { kind: 'owner'; owner: Owner };
}

type TokenContext = RouteContext<unknown, Subscription> & { params: { token: string } };

/**
 * Unsubscribes anyone who has the link from one app, or from the apps of an Owner. GET changes nothing, because scanners follow every link in an email. POST
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
      summary: 'Show your subscription to emails about apps',
      access,
      handle: (context) => answer(deps, context, null),
    }),
    defineRoute({
      ...form,
      path: page,
      summary: 'Unsubscribe from emails about apps',
      csrfExempt:
        'sent by email clients for one-click unsubscribe (RFC 8058); the token in the URL is signed',
      handle: (context) => answer(deps, context, false),
    }),
    defineRoute({
      ...form,
      path: '/unsubscribe/:token/undo',
      summary: 'Subscribe to emails about apps again',
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
      const app = subscription && (await appQueries(data).findAppById(subscription.subjectId));
      if (user && app) return { user, subject: { kind: 'app', app } };
      const owner = subscription && (await ownerQueries(data).findOwnerById(subscription.subjectId));
      if (!user || !owner) throw new NotFound();
      return { user, subject: { kind: 'owner', owner } };
    },
  };
}

/** Null if the person has not chosen. For an Owner, the answer depends on each app. */
const isWanted = (data: Data, user: Owner, subject: Subscription['subject']) =>
  subject.kind === 'app' ? mailChoiceQueries(data).findChoice(user.id, subject.app.id) : null;

async function answer(
  { data, now }: UnsubscribeRouteDeps,
  { frame, params: { token }, subject: { user, subject } }: TokenContext,
  wanted: boolean | null,
) {
  const choices = mailChoiceQueries(data);
  if (wanted !== null && subject.kind === 'app')
    await choices.setChoice(user.id, subject.app.id, wanted, now());
  if (wanted !== null && subject.kind === 'owner')
    await choices.setChoicesOfOwner(user.id, subject.owner.id, wanted, now());
  return html(
    renderUnsubscribePage({
      frame,
      token,
      userName: user.name,
      about:
        subject.kind === 'app'
          ? { app: appName(subject.app), platform: subject.app.platform }
          : { owner: subject.owner.name },
      state: (wanted ?? (await isWanted(data, user, subject))) === false ? 'off' : wanted ? 'on' : 'ask',
    }),
  );
}
