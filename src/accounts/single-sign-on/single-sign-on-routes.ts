import type { AppError } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { errorRenderingOf } from '../../http/error-body.ts';
import { type Answer, html, redirect } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { Attempts } from '../../limits/attempts.ts';
import { networkOf } from '../../limits/client-network.ts';
import { localPath } from '../../web/components/safe-address.ts';
import type { Caller } from '../authorization/identify-http.ts';
import type { RouteAccess } from '../authorization/route-access-http.ts';
import { hashInvitationToken, type Invitation } from '../invitations/invitation.ts';
import { invitedToPath } from '../invitations/invitation-accept-routes.ts';
import { invitationQueries } from '../invitations/invitation-queries.ts';
import { confirmAccessPath, linkIdentityPath, singleSignOnReturnPath } from '../profile/account-paths.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { sessionQueries } from '../sessions/session-queries.ts';
import type { StartSession } from '../sessions/start-session-http.ts';
import { createSingleSignOnAccess } from '../sign-in/sign-in-access-http.ts';
import type { SignInLog } from '../sign-in/sign-in-log-http.ts';
import { identityQueries } from './identity-queries.ts';
import { ProviderError } from './oidc-provider.ts';
import type { ProviderIdentity } from './provider-identity.ts';
import type { PendingSignIn } from './single-sign-on-cookie-http.ts';
import type { SingleSignOnDeps } from './single-sign-on-deps-http.ts';
import { linkIdentityRoutes, renderLinkConfirmation } from './single-sign-on-link-routes.ts';
import { renderSingleSignOnFailure, type SingleSignOnFailure } from './single-sign-on-page.tsx';

export interface SingleSignOnRouteDeps {
  data: Data;
  access: RouteAccess;
  attempts: Attempts;
  signIns: SignInLog;
  startSession: StartSession;
  /** Whether people can also sign in with a password of this server. */
  passwords: boolean;
  /** Null if no provider is configured; these addresses then do not exist. */
  singleSignOn: SingleSignOnDeps | null;
  now: () => number;
}

/** Limited because each visit may cause a request to the provider. */
const visits = {
  limit: 300,
  windowMs: 15 * 60_000,
  refusal: 'signInsFromNetwork',
} as const;
/** The target must fit into the cookie together with everything else. */
const maxTargetLength = 1500;
const noStore = { 'Cache-Control': 'no-store' };

type SignOnContext = RouteContext<Caller | null, unknown>;

/** Sign-in at the provider. */
export function singleSignOnRoutes(deps: SingleSignOnRouteDeps): Route[] {
  const access = createSingleSignOnAccess(deps.access, deps.singleSignOn);
  return [
    defineRoute({
      method: 'GET',
      path: '/sign-in/sso',
      summary: 'Sign in at the identity provider',
      access: access.anyone,
      query: { to: lenientText() },
      handle: async (context) => {
        const to = targetOf(context.query.to);
        if (context.caller?.sessionToken) return redirect(to ?? '/');
        return begin(deps, context.subject, context, { to, purpose: { kind: 'sign in' } });
      },
    }),
    defineRoute({
      method: 'GET',
      path: linkIdentityPath,
      summary: 'Sign in at the identity provider to link an identity',
      access: access.person,
      handle: async (context) => {
        const { user, signOn } = context.subject;
        return begin(deps, signOn, context, { to: null, purpose: { kind: 'link', userId: user.id } });
      },
    }),
    defineRoute({
      method: 'GET',
      path: confirmAccessPath,
      summary: 'Sign in at the identity provider again to confirm access',
      access: access.person,
      query: { to: lenientText() },
      handle: async (context) => {
        const { user, signOn } = context.subject;
        const to = targetOf(context.query.to);
        return begin(deps, signOn, context, { to, purpose: { kind: 'confirm access', userId: user.id } });
      },
    }),
    defineRoute({
      method: 'GET',
      path: singleSignOnReturnPath,
      summary: 'Receive the response of the identity provider',
      access: access.anyone,
      handle: async (context) => {
        const { subject: signOn, client } = context;
        const answer = await handleCallback(deps, signOn, context);
        const { cookies = [], headers } = answer;
        const isKept = cookies.some(({ name }) => name === signOn.cookies.clear(client).name);
        return {
          ...answer,
          headers: { ...headers, ...noStore },
          cookies: isKept ? cookies : [signOn.cookies.clear(client), ...cookies],
        };
      },
    }),
    ...linkIdentityRoutes(deps, access),
  ];
}

function targetOf(to: string | undefined): string | null {
  const path = localPath(to);
  return path !== null && path.length <= maxTargetLength ? path : null;
}

type Way = Omit<PendingSignIn, 'checks'>;

async function begin(
  deps: SingleSignOnRouteDeps,
  signOn: SingleSignOnDeps,
  context: SignOnContext,
  way: Way,
): Promise<Answer> {
  const { client } = context;
  await deps.attempts.countFrom(networkOf(client.address), ['single sign-on'], visits);
  const isFresh = way.purpose.kind === 'confirm access';
  try {
    const { address, checks } = await signOn.provider.begin(`${client.origin}${singleSignOnReturnPath}`, {
      isFresh,
    });
    return redirect(address, {
      headers: noStore,
      cookies: [signOn.cookies.begun.keep(client, { ...way, checks })],
    });
  } catch (error) {
    return renderFailure(deps, signOn, context, { way, failure: toFailure(client, error) });
  }
}

async function handleCallback(
  deps: SingleSignOnRouteDeps,
  signOn: SingleSignOnDeps,
  context: SignOnContext,
): Promise<Answer> {
  const { client } = context;
  const way = signOn.cookies.begun.read(client);
  const answer = new URL(client.target.replace(/^[^?]*/, singleSignOnReturnPath), client.origin);
  if (!way || answer.searchParams.get('state') !== way.checks.state)
    return renderFailure(deps, signOn, context, { way, failure: 'stale' });
  await deps.attempts.countFrom(networkOf(client.address), ['single sign-on'], visits);
  const { purpose } = way;
  let identity: ProviderIdentity;
  try {
    const isFresh = purpose.kind === 'confirm access';
    identity = await signOn.provider.finish(answer, way.checks, { isFresh });
  } catch (error) {
    return renderFailure(deps, signOn, context, { way, failure: toFailure(client, error) });
  }
  if (purpose.kind === 'sign in') return enter(deps, signOn, context, { way, identity });
  const next =
    purpose.kind === 'link'
      ? await renderLinkConfirmation(deps, signOn, context, { identity, linkFor: purpose.userId })
      : await confirmAccess(deps, context, { identity, userId: purpose.userId, to: way.to });
  return typeof next === 'string' ? renderFailure(deps, signOn, context, { way, failure: next }) : next;
}

/** Returns the kind of a provider error and logs it; rethrows anything else. */
function toFailure(client: Client, error: unknown): SingleSignOnFailure {
  if (!(error instanceof ProviderError)) throw error;
  const { kind, message } = error;
  if (kind !== 'cancelled')
    client.log.warn({ kind, reason: message }, 'single sign-on failed at the provider');
  return kind;
}

async function enter(
  deps: SingleSignOnRouteDeps,
  signOn: SingleSignOnDeps,
  context: SignOnContext,
  { way, identity }: { way: Way; identity: ProviderIdentity },
): Promise<Answer> {
  const invitation = await invitationAt(deps, way.to);
  const admission = await signOn.people.admit(identity, invitation);
  if (admission.kind === 'refused')
    return renderFailure(deps, signOn, context, { way, failure: admission.why });
  const joined = admission.kind === 'made' ? admission.joined : null;
  // New people continue to the place they were invited to; existing users decide on the invitation page.
  const to = joined ? invitedToPath(joined) : way.to;
  const { issuer, subject } = identity;
  const proof = { kind: 'identity', issuer, subject } as const;
  return deps.startSession(context.client, { userId: admission.user.id, to, way: 'single sign-on', proof });
}

/**
 * Returns the invitation on which the sign-in started; null if it started elsewhere or the invitation is not valid.
 */
async function invitationAt(deps: SingleSignOnRouteDeps, to: string | null): Promise<Invitation | null> {
  const token = /^\/invitation\/([\w-]{1,128})$/.exec(to ?? '')?.[1];
  if (token === undefined) return null;
  return invitationQueries(deps.data).findInvitation(hashInvitationToken(token), deps.now());
}

/**
 * Records that the person has just signed in at the provider again, which counts like a password if that identity is linked to
 * this account. Otherwise returns the reason why not.
 */
async function confirmAccess(
  { data, now }: SingleSignOnRouteDeps,
  { caller }: SignOnContext,
  { identity, userId, to }: { identity: ProviderIdentity; userId: string; to: string | null },
): Promise<Answer | 'stale' | 'other-account'> {
  const actor = caller?.actor;
  if (!caller?.sessionToken || actor?.kind !== 'user' || actor.user.id !== userId) return 'stale';
  const holder = await identityQueries(data).findUserOfIdentity(identity.issuer, identity.subject);
  if (holder?.id !== userId) return 'other-account';
  await sessionQueries(data).recordProof(hashSessionToken(caller.sessionToken), now());
  return redirect(to ?? '/');
}

const statuses: Readonly<Record<SingleSignOnFailure, AppError['kind']>> = {
  unreachable: 'unavailable',
  stale: 'invalid',
  refused: 'invalid',
  'not-recent': 'forbidden',
  cancelled: 'forbidden',
  uninvited: 'forbidden',
  domain: 'forbidden',
  unconfirmed: 'forbidden',
  'other-identity': 'forbidden',
  'other-account': 'forbidden',
  taken: 'conflict',
};

/** Errors that identify a refused person; the others do not reveal who it was. */
const refusals: ReadonlySet<SingleSignOnFailure> = new Set([
  'refused',
  'uninvited',
  'domain',
  'unconfirmed',
  'other-identity',
]);

function renderFailure(
  { passwords, signIns }: SingleSignOnRouteDeps,
  signOn: SingleSignOnDeps,
  { client, frame }: SignOnContext,
  { way, failure }: { way: Way | null; failure: SingleSignOnFailure },
): Answer {
  const purpose = way?.purpose.kind ?? 'sign in';
  if (way && purpose === 'sign in' && refusals.has(failure))
    signIns.refused(client, { way: 'single sign-on', why: failure, claimed: null });
  const page = renderSingleSignOnFailure({
    frame,
    passwords,
    failure,
    purpose,
    provider: signOn.name,
    to: way?.to ?? null,
  });
  return html(page, { status: errorRenderingOf(statuses[failure]).status });
}
