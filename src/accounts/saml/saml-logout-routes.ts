import { type Answer, redirect } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { networkOf } from '../../limits/client-network.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { RouteAccess } from '../authorization/route-access-http.ts';
import { hashSessionToken } from '../sessions/session.ts';
import {
  clearSteps,
  leaveFor,
  renderSignOnFailure,
  type SignOnContext,
  toFailure,
  visitsPerNetwork,
} from '../single-sign-on/finish-sign-on-http.ts';
import { samlQueries } from './saml-queries.ts';
import { SamlRefused } from './saml-refused.ts';
import { refuse, type SamlRouteDeps, type SamlSignOns, samlPlaces } from './saml-routes.ts';
import type { SamlSignOn } from './saml-sign-on-http.ts';
import { usedKey } from './service-provider.ts';
import { XmlRefused } from './xml-document.ts';

/** Single logout with a provider, begun by either side. */
export function samlLogoutRoutes(deps: SamlRouteDeps & SamlSignOns & { access: RouteAccess }): Route[] {
  return samlPlaces(deps).flatMap(({ access, paths, provider }) => [
    defineRoute({
      method: 'GET',
      path: `${paths.base}/sign-out`,
      summary: `Sign out at the ${provider}`,
      access: access.anyone,
      handle: (context) => leave(deps, context.subject, context),
    }),
    defineRoute({
      method: 'GET',
      path: `${paths.base}/logout`,
      summary: `Receive a message about single logout of the ${provider}`,
      access: access.anyone,
      handle: async (context) => {
        const { subject: signOn, client } = context;
        return clearSteps(await receive(deps, signOn, context), [signOn.leaving.clear(client)]);
      },
    }),
  ]);
}

/**
 * Called before the session ends. Returns where the browser continues so that the session at the provider ends too; null if the
 * session began elsewhere, or the provider has no single logout.
 */
export async function continueSignOut(
  { data }: Pick<SamlRouteDeps, 'data'>,
  { saml, workspaceSignOns }: SamlSignOns,
  client: Client,
  sessionToken: string,
): Promise<Answer | null> {
  const session = await samlQueries(data).findSession(hashSessionToken(sessionToken));
  if (!session) return null;
  const { issuer } = session;
  const [began] = saml?.isIssuer(issuer) ? [saml] : ((await workspaceSignOns?.listOf([issuer])) ?? []);
  if (!began) return null;
  const { nameId, nameIdFormat, sessionIndex } = session;
  const leaving = { nameId: { value: nameId, format: nameIdFormat }, sessionIndex };
  return redirect(`${began.paths.base}/sign-out`, {
    cookies: [began.leaving.keep(client, { ...leaving, requestId: null })],
  });
}

async function leave(deps: SamlRouteDeps, signOn: SamlSignOn, context: SignOnContext): Promise<Answer> {
  const { client, frame } = context;
  const leaving = signOn.leaving.read(client);
  if (!leaving) return redirect('/');
  await deps.attempts.countFrom(networkOf(client.address), ['single sign-on'], visitsPerNetwork);
  try {
    const begun = await signOn.service.beginLogout(leaving);
    if (!begun) return redirect('/', { cookies: [signOn.leaving.clear(client)] });
    const { address, requestId } = begun;
    const cookies = [signOn.leaving.keep(client, { ...leaving, requestId })];
    return leaveFor({ frame, provider: signOn.name, way: 'out', address }, cookies);
  } catch (error) {
    return renderSignOnFailure(deps, signOn, context, { way: null, failure: toFailure(client, error) });
  }
}

async function receive(deps: SamlRouteDeps, signOn: SamlSignOn, context: SignOnContext): Promise<Answer> {
  const { client } = context;
  const { now, data } = deps;
  await deps.attempts.countFrom(networkOf(client.address), ['single sign-on'], visitsPerNetwork);
  try {
    const search = client.target.replace(/^[^?]*\??/, '');
    const { message, provider } = await signOn.service.acceptLogout(search);
    if (message.kind === 'response') {
      if (message.inResponseTo === null || signOn.leaving.read(client)?.requestId !== message.inResponseTo)
        throw new SamlRefused('request', 'the answer is about another sign-out');
      return redirect('/');
    }
    const key = usedKey('request', provider.entityId, message.id);
    if (!(await samlQueries(data).useOnce(key, message.usedUntil, now())))
      throw new SamlRefused('used', 'the request has been used before');
    const person = { issuer: signOn.issuerOf(provider.entityId), nameId: message.nameId };
    await data.transaction(async (tx) => {
      const ended = await samlQueries(tx).endSessions(person, message.sessionIndexes);
      const details = { network: networkOf(client.address) };
      const entry = { at: now(), actor: 'single-sign-on', action: 'sign-in.ended', details } as const;
      for (const { userId, name } of ended)
        await auditQueries(tx).record({ ...entry, ownerId: userId, subject: name });
    });
    const relayState = new URLSearchParams(search).get('RelayState') ?? '';
    return redirect((await signOn.service.answerLogout(message.id, relayState)) ?? '/');
  } catch (error) {
    if (error instanceof SamlRefused) return refuse(deps, signOn, context, error.problem, error.message);
    if (error instanceof XmlRefused) return refuse(deps, signOn, context, 'malformed', error.message);
    return renderSignOnFailure(deps, signOn, context, { way: null, failure: toFailure(client, error) });
  }
}
