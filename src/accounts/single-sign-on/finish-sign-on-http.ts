/** The last steps of a sign-in at a provider, which do not depend on its protocol. */
import type { AppError } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { errorRenderingOf } from '../../http/error-body.ts';
import { type Answer, asciiAddress, type CookieChange, html, redirect } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import type { RouteContext } from '../../http/routes/route.ts';
import { localPath } from '../../web/components/safe-address.ts';
import { type Caller, sessionUserId } from '../authorization/identify-http.ts';
import { hashInvitationToken, type Invitation } from '../invitations/invitation.ts';
import { invitedToPath } from '../invitations/invitation-accept-routes.ts';
import { invitationQueries } from '../invitations/invitation-queries.ts';
import { withTarget } from '../profile/account-paths.ts';
import { requireSession } from '../sessions/require-session.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { sessionQueries } from '../sessions/session-queries.ts';
import type { StartSession } from '../sessions/start-session-http.ts';
import type { SignInLog } from '../sign-in/sign-in-log-http.ts';
import type { GroupClaims } from './group-claims.ts';
import { identityQueries } from './identity-queries.ts';
import { type LeavingPageProps, renderLeavingPage } from './leaving-page.tsx';
import { ProviderError } from './oidc-provider.ts';
import type { ProviderIdentity } from './provider-identity.ts';
import type { PendingSignIn } from './single-sign-on-cookie-http.ts';
import type { SignOn } from './single-sign-on-deps-http.ts';
import { renderLinkConfirmation } from './single-sign-on-link-routes.ts';
import { renderSingleSignOnFailure, type SingleSignOnFailure } from './single-sign-on-page.tsx';

export interface FinishSignOnDeps {
  data: Data;
  signIns: SignInLog;
  startSession: StartSession;
  groups: GroupClaims;
  /** Whether people can also sign in with a password of this server. */
  passwords: boolean;
  now: () => number;
}

export type SignOnContext = RouteContext<Caller | null, unknown>;
export type Way = Omit<PendingSignIn, 'checks'>;

/** Limited because each visit may cause a request to the provider. */
export const visitsPerNetwork = {
  limit: 300,
  windowMs: 15 * 60_000,
  refusal: 'signInsFromNetwork',
} as const;
export const signOnNoStore = { 'Cache-Control': 'no-store' };
/**
 * Leads to the provider. A page, not a redirect: in Chromium, the content security policy lets forms lead to this origin only,
 * redirects included, and the chain may have begun with any form, such as those of sign-in and sign-out.
 */
export function leaveFor(props: LeavingPageProps, cookies: readonly CookieChange[]): Answer {
  const headers = { ...signOnNoStore, Refresh: `0; url=${asciiAddress(props.address)}` };
  return html(renderLeavingPage(props), { headers, cookies });
}

/** The target must fit into the cookie together with everything else. */
const maxTargetLength = 1500;

export function targetOf(to: string | undefined): string | null {
  const path = localPath(to);
  return path !== null && path.length <= maxTargetLength ? path : null;
}

export interface Identified {
  way: Way;
  identity: ProviderIdentity;
  /** If they are known already. */
  groupIds?: string[] | null;
  /** Called in the transaction that creates the session, with its ID. */
  record?: (tx: Connection, sessionId: string) => Promise<void>;
}

export async function finishSignOn(
  deps: FinishSignOnDeps,
  signOn: SignOn,
  context: SignOnContext,
  identified: Identified,
): Promise<Answer> {
  const { way } = identified;
  const { purpose } = way;
  if (purpose.kind === 'sign in') return enter(deps, signOn, context, identified);
  const next = await continueAs(deps, signOn, context, { ...identified, userId: purpose.userId });
  return typeof next === 'string' ? renderSignOnFailure(deps, signOn, context, { way, failure: next }) : next;
}

/** For a person who is signed in here. Returns the page, or why there is none. */
function continueAs(
  deps: FinishSignOnDeps,
  signOn: SignOn,
  context: SignOnContext,
  identified: Identified & { userId: string },
) {
  const { way, identity, userId } = identified;
  const { purpose, to } = way;
  if (purpose.kind === 'confirm access')
    return confirmAccess(deps, signOn, context, { identity, userId, to });
  if (purpose.kind === 'join') return join(deps, signOn, context, identified);
  return renderLinkConfirmation(deps, signOn, context, { identity, linkFor: userId, to: null });
}

/** The session of the person counts as signed in at the provider, which they link first if necessary. */
async function join(
  { data, now, groups }: FinishSignOnDeps,
  signOn: SignOn,
  context: SignOnContext,
  { way: { to }, identity, userId, groupIds = null, record }: Identified & { userId: string },
): Promise<Answer | 'stale' | 'taken' | 'other-account'> {
  const { caller } = context;
  const token = caller?.sessionToken ?? null;
  if (token === null || sessionUserId(caller) !== userId) return 'stale';
  const holder = await identityQueries(data).findUserOfIdentity(identity.issuer, identity.subject);
  if (!holder) {
    const again = withTarget(signOn.paths.signIn, to);
    return renderLinkConfirmation({ data }, signOn, context, { identity, linkFor: userId, to: again });
  }
  if (holder.id !== userId) return 'other-account';
  await data.transaction(async (tx) => {
    await requireSession(tx, hashSessionToken(token), now());
    const session = await sessionQueries(tx).findSession(hashSessionToken(token), now());
    if (session) await record?.(tx, session.id);
  });
  await groups.apply(holder, signOn.claimant, groupIds);
  return redirect(to ?? '/');
}

/** Returns the kind of a provider error and logs it; rethrows anything else. */
export function toFailure(client: Client, error: unknown): SingleSignOnFailure {
  if (!(error instanceof ProviderError)) throw error;
  const { kind, message } = error;
  if (kind !== 'cancelled')
    client.log.warn({ kind, reason: message }, 'single sign-on failed at the provider');
  return kind;
}

async function enter(
  deps: FinishSignOnDeps,
  signOn: SignOn,
  context: SignOnContext,
  { way, identity, groupIds, record }: Identified,
): Promise<Answer> {
  const invitation = await invitationAt(deps, way.to);
  const admission = await signOn.people.admit(identity, invitation);
  if (admission.kind === 'refused')
    return renderSignOnFailure(deps, signOn, context, { way, failure: admission.why });
  const { claimant } = signOn;
  const ids = groupIds ?? (await deps.groups.assigned(claimant, identity.groups ?? null));
  await deps.groups.apply(admission.user, claimant, ids);
  const joined = admission.kind === 'made' ? admission.joined : null;
  // New people continue to the place they were invited to; existing users decide on the invitation page.
  const to = joined ? invitedToPath(joined) : way.to;
  const { issuer, subject } = identity;
  const proof = { kind: 'identity', issuer, subject } as const;
  const start = { userId: admission.user.id, to, way: 'single sign-on', proof } as const;
  return deps.startSession(context.client, { ...start, record });
}
/**
 * Returns the invitation on which the sign-in started; null if it started elsewhere or the invitation is not valid.
 */
export async function invitationAt(
  deps: Pick<FinishSignOnDeps, 'data' | 'now'>,
  to: string | null,
): Promise<Invitation | null> {
  const token = /^\/invitation\/([\w-]{1,128})$/.exec(to ?? '')?.[1];
  if (token === undefined) return null;
  return invitationQueries(deps.data).findInvitation(hashInvitationToken(token), deps.now());
}

/**
 * Records that the person has just signed in at the provider again, which counts like a password if that identity is linked to
 * this account. Otherwise returns the reason why not.
 */
async function confirmAccess(
  { data, now }: FinishSignOnDeps,
  signOn: SignOn,
  { caller }: SignOnContext,
  { identity, userId, to }: { identity: ProviderIdentity; userId: string; to: string | null },
): Promise<Answer | 'stale' | 'other-account'> {
  const actor = caller?.actor;
  if (!caller?.sessionToken || actor?.kind !== 'user' || actor.user.id !== userId) return 'stale';
  const holder = await identityQueries(data).findUserOfIdentity(identity.issuer, identity.subject);
  if (holder?.id !== userId || !(await signOn.people.vouchesFor(holder))) return 'other-account';
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
  unmanaged: 'forbidden',
  full: 'forbidden',
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
  'unmanaged',
  'full',
]);

export function renderSignOnFailure(
  { passwords, signIns }: Pick<FinishSignOnDeps, 'passwords' | 'signIns'>,
  signOn: SignOn,
  { client, frame }: Pick<SignOnContext, 'client' | 'frame'>,
  { way, failure, detail = null }: { way: Way | null; failure: SingleSignOnFailure; detail?: string | null },
): Answer {
  const purpose = way?.purpose.kind ?? 'sign in';
  if (way && purpose === 'sign in' && refusals.has(failure))
    signIns.refused(client, { way: 'single sign-on', why: failure, claimed: null });
  const page = renderSingleSignOnFailure({
    frame,
    passwords,
    failure,
    detail,
    purpose,
    provider: signOn.name,
    paths: signOn.paths,
    isOfWorkspace: signOn.claimant.source === 'workspace',
    to: way?.to ?? null,
  });
  return html(page, { status: errorRenderingOf(statuses[failure]).status });
}

/** Clears the cookies of the sign-in, unless the answer sets one of them for the next step. */
export function clearSteps(answer: Answer, cleared: readonly CookieChange[]): Answer {
  const { cookies = [], headers } = answer;
  const left = cleared.filter(({ name }) => !cookies.some((one) => one.name === name));
  return { ...answer, headers: { ...headers, ...signOnNoStore }, cookies: [...left, ...cookies] };
}
