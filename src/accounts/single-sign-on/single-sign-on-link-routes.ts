import * as v from 'valibot';
import { conflict, NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { type Answer, html, redirect } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { User } from '../../owners/owner.ts';
import type { Caller } from '../authorization/identify-http.ts';
import { profilePath, type SignOnPaths, unlinkIdentityPath } from '../profile/account-paths.ts';
import { accountQueries } from '../profile/account-queries.ts';
import type { SingleSignOnAccess } from '../sign-in/sign-in-access-http.ts';
import { identityQueries } from './identity-queries.ts';
import type { UnlinkIdentity } from './single-sign-on.ts';
import type { PendingLink } from './single-sign-on-cookie-http.ts';
import type { SignOn } from './single-sign-on-deps-http.ts';
import { renderConfirmIdentityPage } from './single-sign-on-page.tsx';
import { singleSignOnTexts } from './single-sign-on-texts.ts';

interface LinkDeps {
  data: Data;
  passwords: boolean;
}

/** Links an identity from the provider to the signed-in account. */
export function linkIdentityRoutes(
  access: SingleSignOnAccess<SignOn>,
  paths: Pick<SignOnPaths, 'confirmIdentity' | 'confirmLink'>,
): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: paths.confirmIdentity,
      summary: 'Show the form that links an identity',
      access: access.person,
      handle: async ({ subject: { user, signOn }, client, frame }) => {
        const { label } = findProven(signOn, client, user).identity;
        return html(renderConfirmIdentityPage({ frame, signOn, label, userName: user.name }));
      },
    }),
    defineRoute({
      method: 'POST',
      path: paths.confirmLink,
      page: paths.confirmIdentity,
      summary: 'Link an identity',
      access: access.person,
      reauthentication: true,
      form: {},
      handle: async ({ caller: { sessionToken }, subject: { user, signOn }, client }) => {
        const { identity, to } = findProven(signOn, client, user);
        await signOn.people.link({ user, sessionToken }, identity);
        return redirect(to ?? `${profilePath}?done=linked`, { cookies: [signOn.clear(client)] });
      },
    }),
  ];
}

/** Unlinks an identity of any provider, configured or not. */
export function unlinkIdentityRoutes(
  deps: LinkDeps & { unlink: UnlinkIdentity },
  access: SingleSignOnAccess<unknown>,
): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: unlinkIdentityPath,
      page: profilePath,
      summary: 'Unlink an identity',
      access: access.person,
      reauthentication: false,
      form: { issuer: v.string(), subject: v.string() },
      handle: async ({ subject: { user }, form: identity }) => {
        const stays = await findUnlinkBlockedReason(deps, user.id);
        if (stays !== null) throw conflict(stays);
        if (!(await deps.unlink(user, identity))) throw new NotFound(singleSignOnTexts.notLinked);
        return redirect(`${profilePath}?done=unlinked`);
      },
    }),
  ];
}

/** Redirects a person who has signed in at the provider to the form that links the identity. If it can't be linked, returns the reason. */
export async function renderLinkConfirmation(
  { data }: Pick<LinkDeps, 'data'>,
  signOn: SignOn,
  { caller, client }: RouteContext<Caller | null>,
  proven: PendingLink,
): Promise<Answer | 'stale' | 'taken'> {
  const user = caller?.sessionToken && caller.actor.kind === 'user' ? caller.actor.user : null;
  if (user?.id !== proven.linkFor) return 'stale';
  const { issuer, subject } = proven.identity;
  const holder = await identityQueries(data).findUserOfIdentity(issuer, subject);
  if (holder?.id === user.id) return redirect(`${profilePath}?done=linked`);
  const linked = await identityQueries(data).listIdentities(user.id);
  if (holder || linked.some((one) => one.issuer === issuer)) return 'taken';
  return redirect(signOn.paths.confirmIdentity, { cookies: [signOn.proven.keep(client, proven)] });
}

/** Throws `NotFound` if this browser has no identity for the person to confirm. */
function findProven(signOn: SignOn, client: Client, user: User): PendingLink {
  const proven = signOn.proven.read(client);
  if (proven?.linkFor !== user.id) throw new NotFound(singleSignOnTexts.nothingToConfirm);
  return proven;
}

/** Null if the person has another way to sign in. */
export async function findUnlinkBlockedReason(
  { data, passwords }: LinkDeps,
  userId: string,
): Promise<string | null> {
  if (!passwords) return singleSignOnTexts.section.always;
  const account = await accountQueries(data).findAccount(userId);
  return account?.passwordHash == null ? singleSignOnTexts.section.onlyWay : null;
}
