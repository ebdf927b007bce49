/** Renders an error page or, for `ReauthenticationRequired`, the reauthentication page. */
import type { FastifyRequest } from 'fastify';
import type { Data } from '../../db/data.ts';
import type { ErrorAnswerDeps } from '../../http/error-response.ts';
import { ReauthenticationRequired } from '../../http/routes/guard-errors.ts';
import { fillPath } from '../../http/routes/register-routes.ts';
import { WorkspaceBarred } from '../../owners/gate/workspace-gate.ts';
import { renderErrorPage } from '../../web/shell/error-page.tsx';
import { relyingPartyOf } from '../passkeys/passkey.ts';
import { withTarget } from '../profile/account-paths.ts';
import { renderConfirmAccess } from '../reauthentication/confirm-access-page.tsx';
import type { Reauthentication } from '../reauthentication/reauthentication.ts';
import { renderBarredPage } from '../saml/workspace/barred-page.tsx';
import type { WorkspaceSignOns } from '../saml/workspace/workspace-sign-ons-http.ts';
import { identityQueries } from '../single-sign-on/identity-queries.ts';
import type { SignOn } from '../single-sign-on/single-sign-on-deps-http.ts';
import type { EnrollingPerson } from './account-access-http.ts';
import type { Person } from './identify-http.ts';
import type { PageFrames } from './page-frames-http.ts';
import { policyAction } from './policy-action.tsx';

interface ErrorPageDeps {
  data: Data;
  frames: PageFrames;
  reauthentication: Reauthentication;
  signOns: readonly SignOn[];
  workspaceSignOns: WorkspaceSignOns | null;
}

export function createRenderErrorPage(deps: ErrorPageDeps): ErrorAnswerDeps['renderErrorPage'] {
  const renderConfirmation = createRenderConfirmation(deps);
  return async (request, refusal) => {
    if (refusal.error instanceof ReauthenticationRequired) return renderConfirmation(request, refusal.error);
    const frame = await deps.frames.ofErrorPage(request);
    if (refusal.error instanceof WorkspaceBarred) {
      const { page } = request.declared ?? {};
      const back = page === undefined ? request.url : fillPath(page, request.params);
      return renderBarredPage({ frame, bar: refusal.error.bar, back });
    }
    return renderErrorPage({
      frame,
      ...refusal,
      ...policyAction(frame, refusal.error),
      reference: request.id,
    });
  };
}

function createRenderConfirmation(deps: ErrorPageDeps) {
  const { data, frames, reauthentication, workspaceSignOns } = deps;
  /** The providers that the account is linked to. Not available to people who must set up a factor. */
  const providersOf = async (person: Person, back: string) => {
    if ((person as EnrollingPerson).mustEnrollFactor) return [];
    const { user } = person.actor;
    const issuers = (await identityQueries(data).listIdentities(user.id)).map(({ issuer }) => issuer);
    const known: readonly SignOn[] = [
      ...deps.signOns.filter(({ isIssuer }) => issuers.some(isIssuer)),
      ...((await workspaceSignOns?.listOf(issuers)) ?? []),
    ];
    const vouching = await Promise.all(known.map(({ people }) => people.vouchesFor(user)));
    return known
      .filter((_, index) => vouching[index])
      .map(({ name, paths }) => ({ name, path: withTarget(paths.confirmAccess, back) }));
  };
  return async (request: FastifyRequest, { caller, fields, wrong }: ReauthenticationRequired) => {
    const person = caller as Person;
    const { user } = person.actor;
    const { declared } = request;
    if (!declared) throw new Error('only declared routes require a proof of identity');
    const { path, page = path, confirmation } = declared;
    const queryAt = request.url.indexOf('?');
    const search = queryAt === -1 ? '' : request.url.slice(queryAt);
    const frame = frames.of(request, person);
    const ways = await reauthentication.methodsOf(user.id);
    const back = fillPath(page, request.params);
    const action = confirmation
      ? fillPath(confirmation, request.params)
      : `${fillPath(path, request.params)}${search}`;
    return renderConfirmAccess({
      frame,
      userName: user.name,
      action,
      fields,
      wrong,
      path,
      back,
      ways: { ...ways, passkey: ways.passkey && relyingPartyOf(frame.origin) !== null },
      providers: await providersOf(person, back),
    });
  };
}
