import type { AppError } from '../../core/errors.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { doneSentence, lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { User } from '../../owners/owner.ts';
import { localPath } from '../../web/components/safe-address.ts';
import type { EnrollingPerson } from '../authorization/account-access-http.ts';
import { relyingPartyOf } from '../passkeys/passkey.ts';
import { securityPath } from '../profile/account-paths.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { readBrowserWords } from '../sessions/user-agent-label.ts';
import type { NewCodes } from './second-factor-changes.ts';
import { secondFactorQueries } from './second-factor-queries.ts';
import type { SecurityDeps } from './security-deps-http.ts';
import { renderSecurityPage } from './security-page.tsx';
import type { SecurityPageProps } from './security-page-props.ts';
import { securityTexts } from './security-texts.ts';

export type SecurityContext = RouteContext<EnrollingPerson, User> & { query: { to?: string | undefined } };

const t = securityTexts;
const successMessages = () => ({
  'app-off': t.app.off,
  'passkey-added': t.passkeys.added,
  'passkey-renamed': t.passkeys.renamed,
  'passkey-removed': t.passkeys.removed,
});
type SuccessMessage = keyof ReturnType<typeof successMessages>;

/** The security settings: a person's second factors. */
export function securityRoutes(deps: SecurityDeps): Route[] {
  const { changes } = deps;
  const access = deps.accountAccess.enrolling;
  const form = {
    method: 'POST',
    access,
    page: '/settings/security',
    reauthentication: true,
    query: { to: lenientText() },
    form: {},
    renderErrors: async ({ error }: { error: AppError }, context: SecurityContext) =>
      renderSecurity(deps, context, { error: { form: null, passkey: null, sentence: error.sentence } }),
    renderedErrorKinds: ['conflict'],
  } as const;
  return [
    defineRoute({
      method: 'GET',
      path: '/settings/security',
      summary: 'Show your second factors',
      access,
      query: { to: lenientText(), done: doneSentence(successMessages) },
      handle: async (context) => {
        const { done } = context.query;
        return html(await renderSecurity(deps, context, { done }));
      },
    }),
    defineRoute({
      ...form,
      path: '/settings/security/app/disable',
      summary: 'Disable the authenticator app',
      handle: async (context) => {
        const { caller, subject: user } = context;
        await changes.disableApp({ user, keep: hashSessionToken(caller.sessionToken) });
        return redirect(securityDonePath(context, 'app-off'));
      },
    }),
    defineRoute({
      ...form,
      path: '/settings/security/recovery-codes/create',
      summary: 'Create new recovery codes',
      handle: async (context) => {
        const { caller, subject: user } = context;
        const keep = hashSessionToken(caller.sessionToken);
        const codes = await changes.createRecoveryCodes({ user, keep });
        return html(await renderSecurity(deps, context, { done: t.codes.made, codes }));
      },
    }),
  ];
}

/** Where to continue after a required setup; a path on this server. */
export function targetOf({ to }: SecurityContext['query']): string | null {
  return localPath(to ?? null);
}

export function securityDonePath({ query }: SecurityContext, what: SuccessMessage): string {
  const path = securityPath(targetOf(query));
  return `${path}${path.includes('?') ? '&' : '?'}done=${what}`;
}

export async function renderSecurity(
  deps: SecurityDeps,
  { caller, subject: user, client, query, frame }: SecurityContext,
  shown: Partial<Pick<SecurityPageProps, 'done' | 'error'>> & { codes?: NewCodes },
): Promise<string> {
  const factors = await deps.secondFactors.of(user.id);
  const { browser, system } = readBrowserWords(client.userAgent);
  const to = targetOf(query);
  const { mustEnrollFactor } = caller;
  return renderSecurityPage({
    frame,
    factors,
    passkeys: await secondFactorQueries(deps.data).listPasskeys(user.id),
    supportsPasskeys: relyingPartyOf(frame.origin) !== null,
    suggestedName: [browser, system].filter((word) => word !== null).join(', '),
    // The factor may have been set up just now.
    required: mustEnrollFactor && !factors.any,
    to: mustEnrollFactor ? to : null,
    continueTo: mustEnrollFactor && factors.any ? (to ?? '/') : null,
    done: null,
    codes: null,
    error: null,
    ...shown,
  });
}
