import { type Answer, redirect } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Attempts } from '../../limits/attempts.ts';
import { networkOf } from '../../limits/client-network.ts';
import type { RouteAccess } from '../authorization/route-access-http.ts';
import { oidcPaths } from '../profile/account-paths.ts';
import { createSingleSignOnAccess } from '../sign-in/sign-in-access-http.ts';
import { beginSignOnRoutes } from './begin-sign-on-routes.ts';
import {
  clearSteps,
  type FinishSignOnDeps,
  finishSignOn,
  leaveFor,
  renderSignOnFailure,
  type SignOnContext,
  toFailure,
  visitsPerNetwork,
  type Way,
} from './finish-sign-on-http.ts';
import type { ProviderIdentity } from './provider-identity.ts';
import type { OidcSignOn } from './single-sign-on-deps-http.ts';
import { linkIdentityRoutes } from './single-sign-on-link-routes.ts';

export interface SingleSignOnRouteDeps extends FinishSignOnDeps {
  access: RouteAccess;
  attempts: Attempts;
  /** Null if no provider is configured; these addresses then do not exist. */
  oidc: OidcSignOn | null;
}

/** Sign-in at the provider of OpenID Connect. */
export function singleSignOnRoutes(deps: SingleSignOnRouteDeps): Route[] {
  const access = createSingleSignOnAccess(deps.access, deps.oidc && (async () => deps.oidc));
  return [
    ...beginSignOnRoutes({
      access,
      paths: oidcPaths,
      provider: 'identity provider',
      enter: async (signOn, context, to) =>
        context.caller?.sessionToken
          ? redirect(to ?? '/')
          : begin(deps, signOn, context, { to, purpose: { kind: 'sign in' } }),
      begin: (signOn, context, way) => begin(deps, signOn, context, way),
    }),
    defineRoute({
      method: 'GET',
      path: oidcPaths.returns,
      summary: 'Receive the response of the identity provider',
      access: access.anyone,
      handle: async (context) => {
        const { subject: signOn, client } = context;
        return clearSteps(await handleCallback(deps, signOn, context), [signOn.clear(client)]);
      },
    }),
    ...linkIdentityRoutes(access, oidcPaths),
  ];
}

async function begin(
  deps: SingleSignOnRouteDeps,
  signOn: OidcSignOn,
  context: SignOnContext,
  way: Way,
): Promise<Answer> {
  const { client } = context;
  await deps.attempts.countFrom(networkOf(client.address), ['single sign-on'], visitsPerNetwork);
  const isFresh = way.purpose.kind === 'confirm access';
  try {
    const { address, checks } = await signOn.provider.begin(`${client.origin}${oidcPaths.returns}`, {
      isFresh,
    });
    const cookies = [signOn.begun.keep(client, { ...way, checks })];
    return leaveFor({ frame: context.frame, provider: signOn.name, way: 'in', address }, cookies);
  } catch (error) {
    return renderSignOnFailure(deps, signOn, context, { way, failure: toFailure(client, error) });
  }
}

async function handleCallback(
  deps: SingleSignOnRouteDeps,
  signOn: OidcSignOn,
  context: SignOnContext,
): Promise<Answer> {
  const { client } = context;
  const way = signOn.begun.read(client);
  const answer = new URL(client.target.replace(/^[^?]*/, oidcPaths.returns), client.origin);
  if (!way || answer.searchParams.get('state') !== way.checks.state)
    return renderSignOnFailure(deps, signOn, context, { way, failure: 'stale' });
  await deps.attempts.countFrom(networkOf(client.address), ['single sign-on'], visitsPerNetwork);
  let identity: ProviderIdentity;
  try {
    const isFresh = way.purpose.kind === 'confirm access';
    identity = await signOn.provider.finish(answer, way.checks, { isFresh });
  } catch (error) {
    return renderSignOnFailure(deps, signOn, context, { way, failure: toFailure(client, error) });
  }
  return finishSignOn(deps, signOn, context, { way, identity });
}
