import * as v from 'valibot';
import { type Answer, content, redirect } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Attempts } from '../../limits/attempts.ts';
import { networkOf } from '../../limits/client-network.ts';
import { sessionUserId } from '../authorization/identify-http.ts';
import type { RouteAccess } from '../authorization/route-access-http.ts';
import { samlPaths } from '../profile/account-paths.ts';
import { createSingleSignOnAccess } from '../sign-in/sign-in-access-http.ts';
import { beginSignOnRoutes } from '../single-sign-on/begin-sign-on-routes.ts';
import {
  clearSteps,
  type FinishSignOnDeps,
  finishSignOn,
  leaveFor,
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
import type { WorkspaceSignOns } from './workspace/workspace-sign-ons-http.ts';

export interface SamlRouteDeps extends FinishSignOnDeps {
  attempts: Attempts;
}

/** The form of a response, in which every character may be escaped by three. */
const maxFormBytes = 3 * maxResponseLength;
const maxRelayedTargetLength = 500;

/** The provider of the installation, null if none is configured, and those of Workspaces, null without a public address. */
export interface SamlSignOns {
  saml: SamlSignOn | null;
  workspaceSignOns: WorkspaceSignOns | null;
}

/** The addresses of the installation's provider, and of those of Workspaces. */
export function samlPlaces(deps: SamlSignOns & { access: RouteAccess }) {
  const { saml, workspaceSignOns: ofWorkspaces } = deps;
  const find =
    ofWorkspaces && ((params: unknown) => ofWorkspaces.find((params as { workspace: string }).workspace));
  return [
    {
      paths: samlPaths(null),
      access: createSingleSignOnAccess(deps.access, saml && (async () => saml)),
      provider: 'SAML identity provider',
    },
    {
      paths: samlPaths(':workspace'),
      access: createSingleSignOnAccess(deps.access, find),
      provider: 'SAML identity provider of a Workspace',
    },
  ];
}

export function samlRoutes(deps: SamlRouteDeps & SamlSignOns & { access: RouteAccess }): Route[] {
  return samlPlaces(deps).flatMap((place) => samlRoutesAt(deps, place));
}

function samlRoutesAt(
  deps: SamlRouteDeps,
  { access, paths, provider }: ReturnType<typeof samlPlaces>[number],
): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: `${paths.base}/metadata`,
      summary: `Download the SAML metadata of this server for the ${provider}`,
      access: access.anyone,
      handle: async ({ subject: signOn }) =>
        content('application/samlmetadata+xml; charset=utf-8', await signOn.service.metadata()),
    }),
    ...beginSignOnRoutes({
      access,
      paths,
      provider,
      enter: (signOn, context, to) => enter(deps, signOn, context, to),
      begin: (signOn, context, way) => begin(deps, signOn, context, way),
    }),
    defineRoute({
      method: 'POST',
      path: paths.returns,
      summary: `Receive a response of the ${provider}`,
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
      summary: `Finish a sign-in at the ${provider}`,
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

/** A session that began elsewhere can also be signed in at the provider of a Workspace. */
async function enter(
  deps: SamlRouteDeps,
  signOn: SamlSignOn,
  context: SignOnContext,
  to: string | null,
  isSecondTry = false,
): Promise<Answer> {
  const { caller } = context;
  const userId = sessionUserId(caller);
  if (userId === null) return begin(deps, signOn, context, { to, purpose: { kind: 'sign in' } }, isSecondTry);
  const isSignedOn = caller?.actor.gate?.signOns.some(signOn.isIssuer) === true;
  if (!signOn.workspace || isSignedOn) return redirect(to ?? '/');
  return begin(deps, signOn, context, { to, purpose: { kind: 'join', userId } }, isSecondTry);
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
    return leaveFor({ frame: context.frame, provider: signOn.name, way: 'in', address }, cookies);
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
    groupIds: await deps.groups.assigned(signOn.claimant, assertion.groups),
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
  const { client } = context;
  const answer = signOn.answered.read(client);
  const way = signOn.begun.read(client);
  if (!answer) return renderSignOnFailure(deps, signOn, context, { way, failure: 'stale' });
  const { requestId, identity } = answer;
  if (requestId === null) {
    if (way?.checks.isSecondTry)
      return refuse(deps, signOn, context, 'request', 'the provider answers requests without InResponseTo');
    return enter(deps, signOn, context, answer.to, true);
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
    groupIds: answer.groupIds,
    record: (tx, sessionId) =>
      samlQueries(tx).recordSession({
        sessionId,
        issuer: identity.issuer,
        nameId: answer.nameId.value,
        nameIdFormat: answer.nameId.format,
        sessionIndex: answer.sessionIndex,
        signedInAt: deps.now(),
        isJoined: way.purpose.kind === 'join',
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
