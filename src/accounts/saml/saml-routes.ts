import * as v from 'valibot';
import { type Answer, content, redirect } from '../../http/routes/answer.ts';
import { lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Attempts } from '../../limits/attempts.ts';
import { networkOf } from '../../limits/client-network.ts';
import type { RouteAccess } from '../authorization/route-access-http.ts';
import { samlPaths } from '../profile/account-paths.ts';
import { createSingleSignOnAccess, type SingleSignOnAccess } from '../sign-in/sign-in-access-http.ts';
import {
  clearSteps,
  type FinishSignOnDeps,
  finishSignOn,
  renderSignOnFailure,
  type SignOnContext,
  signOnNoStore,
  targetOf,
  toFailure,
  visitsPerNetwork,
  type Way,
} from '../single-sign-on/finish-sign-on-http.ts';
import { recentSignInMs } from '../single-sign-on/oidc-provider.ts';
import { singleSignOnLifetimeMs } from '../single-sign-on/single-sign-on-cookie-http.ts';
import { linkIdentityRoutes } from '../single-sign-on/single-sign-on-link-routes.ts';
import { clockSkewMs } from './saml-assertion.ts';
import { samlQueries } from './saml-queries.ts';
import { type SamlProblem, SamlRefused } from './saml-refused.ts';
import type { SamlAnswer, SamlSignOn } from './saml-sign-on-http.ts';
import { samlTexts } from './saml-texts.ts';
import { type AcceptedResponse, maxResponseLength, usedKey } from './service-provider.ts';

export interface SamlRouteDeps extends FinishSignOnDeps {
  attempts: Attempts;
}

/** The form of a response, in which every character may be escaped by three. */
const maxFormBytes = 3 * maxResponseLength;
const maxRelayedTargetLength = 500;

/** Sign-in at the SAML provider of the installation; `saml` is null if none is configured. */
export function samlRoutes(deps: SamlRouteDeps & { access: RouteAccess; saml: SamlSignOn | null }): Route[] {
  const { saml } = deps;
  return samlRoutesAt(deps, createSingleSignOnAccess(deps.access, saml && (async () => saml)), null);
}

function samlRoutesAt(
  deps: SamlRouteDeps,
  access: SingleSignOnAccess<SamlSignOn>,
  workspace: ':workspace' | null,
): Route[] {
  const paths = samlPaths(workspace);
  return [
    defineRoute({
      method: 'GET',
      path: `${paths.base}/metadata`,
      summary: 'Download the SAML metadata of this server',
      access: access.anyone,
      handle: async ({ subject: signOn }) =>
        content('application/samlmetadata+xml; charset=utf-8', await signOn.service.metadata()),
    }),
    defineRoute({
      method: 'GET',
      path: paths.signIn,
      summary: 'Sign in at the SAML identity provider',
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
      path: paths.link,
      summary: 'Sign in at the SAML identity provider to link an identity',
      access: access.person,
      handle: async (context) => {
        const { user, signOn } = context.subject;
        return begin(deps, signOn, context, { to: null, purpose: { kind: 'link', userId: user.id } });
      },
    }),
    defineRoute({
      method: 'GET',
      path: paths.confirmAccess,
      summary: 'Sign in at the SAML identity provider again to confirm access',
      access: access.person,
      query: { to: lenientText() },
      handle: async (context) => {
        const { user, signOn } = context.subject;
        const to = targetOf(context.query.to);
        return begin(deps, signOn, context, { to, purpose: { kind: 'confirm access', userId: user.id } });
      },
    }),
    defineRoute({
      method: 'POST',
      path: paths.returns,
      summary: 'Receive a response of the SAML identity provider',
      access: access.anyone,
      reauthentication: false,
      csrfExempt:
        'The provider’s page submits it. It only stores what the signed response says; the next page requires the cookie of the browser that asked.',
      maxBodyBytes: maxFormBytes,
      form: { SAMLResponse: v.string(), RelayState: v.optional(v.string(), '') },
      handle: (context) => receive(deps, context.subject, context, context.form),
    }),
    defineRoute({
      method: 'GET',
      path: `${paths.base}/finish`,
      summary: 'Finish a sign-in at the SAML identity provider',
      access: access.anyone,
      handle: async (context) => {
        const { subject: signOn, client } = context;
        const cleared = [signOn.clear(client), signOn.answered.clear(client)];
        return clearSteps(await finish(deps, signOn, context), cleared);
      },
    }),
    ...linkIdentityRoutes(access, paths),
  ];
}

async function begin(
  deps: SamlRouteDeps,
  signOn: SamlSignOn,
  context: SignOnContext,
  way: Way,
  isSecondTry = false,
): Promise<Answer> {
  const { client } = context;
  await deps.attempts.countFrom(networkOf(client.address), ['single sign-on'], visitsPerNetwork);
  try {
    const isFresh = way.purpose.kind === 'confirm access';
    const { address, requestId } = await signOn.service.begin({ isFresh });
    const cookies = [signOn.begun.keep(client, { ...way, checks: { requestId, isSecondTry } })];
    return redirect(address, { headers: signOnNoStore, cookies });
  } catch (error) {
    return renderSignOnFailure(deps, signOn, context, { way, failure: toFailure(client, error) });
  }
}

/**
 * The browser sends no cookies with a form of another site, so the answer goes into another cookie, and a redirect brings it
 * together with the cookie that the sign-in began with.
 */
async function receive(
  deps: SamlRouteDeps,
  signOn: SamlSignOn,
  context: SignOnContext,
  { SAMLResponse, RelayState }: { SAMLResponse: string; RelayState: string },
): Promise<Answer> {
  const { client } = context;
  const { now } = deps;
  await deps.attempts.countFrom(networkOf(client.address), ['single sign-on'], visitsPerNetwork);
  let accepted: AcceptedResponse;
  try {
    accepted = await signOn.service.accept(SAMLResponse);
  } catch (error) {
    if (error instanceof SamlRefused) return refuse(deps, signOn, context, error.problem, error.message);
    return renderSignOnFailure(deps, signOn, context, { way: null, failure: toFailure(client, error) });
  }
  const { assertion, provider } = accepted;
  const key = usedKey('assertion', signOn.service.addresses.entityId + provider.entityId, assertion.id);
  if (!(await samlQueries(deps.data).useOnce(key, assertion.usedUntil, now())))
    return refuse(deps, signOn, context, 'used', 'the assertion has been used before');
  const relayed = RelayState.length > maxRelayedTargetLength ? null : targetOf(RelayState);
  const answer: SamlAnswer = {
    identity: signOn.identityOf(provider.entityId, assertion),
    requestId: assertion.inResponseTo,
    authenticatedAt: assertion.authenticatedAt,
    nameId: assertion.nameId,
    sessionIndex: assertion.sessionIndex,
    to: relayed,
  };
  const cookies = [signOn.answered.keep(client, answer)];
  return redirect(signOn.finishPath, { headers: signOnNoStore, cookies });
}

async function finish(deps: SamlRouteDeps, signOn: SamlSignOn, context: SignOnContext): Promise<Answer> {
  const { client, caller } = context;
  const answer = signOn.answered.read(client);
  const way = signOn.begun.read(client);
  if (!answer) return renderSignOnFailure(deps, signOn, context, { way, failure: 'stale' });
  const { requestId, identity } = answer;
  if (requestId === null) {
    if (caller?.sessionToken) return redirect(answer.to ?? '/');
    if (way?.checks.isSecondTry)
      return refuse(deps, signOn, context, 'request', 'the provider answers requests without InResponseTo');
    return begin(deps, signOn, context, { to: answer.to, purpose: { kind: 'sign in' } }, true);
  }
  const isOwn = way?.checks.requestId === requestId;
  const key = usedKey('request', signOn.service.addresses.entityId, requestId);
  const usedUntil = deps.now() + singleSignOnLifetimeMs;
  if (!way || !isOwn || !(await samlQueries(deps.data).useOnce(key, usedUntil, deps.now())))
    return renderSignOnFailure(deps, signOn, context, { way, failure: 'stale' });
  if (way.purpose.kind === 'confirm access' && !isRecent(answer.authenticatedAt, deps.now()))
    return renderSignOnFailure(deps, signOn, context, { way, failure: 'not-recent' });
  return finishSignOn(deps, signOn, context, {
    way,
    identity,
    record: (tx, sessionId) =>
      samlQueries(tx).recordSession({
        sessionId,
        issuer: identity.issuer,
        nameId: answer.nameId.value,
        nameIdFormat: answer.nameId.format,
        sessionIndex: answer.sessionIndex,
        signedInAt: deps.now(),
      }),
  });
}

function isRecent(authenticatedAt: number | null, now: number): boolean {
  if (authenticatedAt === null) return false;
  const age = now - authenticatedAt;
  return age >= -clockSkewMs && age <= recentSignInMs + clockSkewMs;
}

/** `reason`: for operators. */
export function refuse(
  deps: SamlRouteDeps,
  signOn: SamlSignOn,
  context: SignOnContext,
  problem: SamlProblem,
  reason: string,
): Answer {
  context.client.log.warn({ problem, reason }, 'a SAML response was refused');
  const failure = problem === 'declined' ? 'cancelled' : 'refused';
  const detail = samlTexts.problems[problem];
  return renderSignOnFailure(deps, signOn, context, { way: null, failure, detail });
}
