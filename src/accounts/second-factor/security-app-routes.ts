import * as v from 'valibot';
import { AppError, FormInvalid } from '../../core/errors.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { securityPath } from '../profile/account-paths.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { renderSecurityAppPage, type SecurityAppPageProps } from './security-app-page.tsx';
import type { SecurityDeps } from './security-deps-http.ts';
import { renderSecurity, type SecurityContext, targetOf } from './security-routes.ts';
import { securityTexts } from './security-texts.ts';

const t = securityTexts.app;

/** Sets up an authenticator app. Nothing is stored until a correct code was entered. */
export function securityAppRoutes(deps: SecurityDeps): Route[] {
  const { changes, secondFactors } = deps;
  const shared = { access: deps.accountAccess.enrolling, query: { to: lenientText() } };
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/settings/security/app',
      summary: 'Show how to set up an authenticator app',
      handle: async (context) => {
        const { caller, subject: user, query } = context;
        if ((await secondFactors.of(user.id)).app) return redirect(securityPath(targetOf(query)));
        const fresh = changes.newApp(user.id, hashSessionToken(caller.sessionToken));
        return html(renderApp(context, fresh, {}));
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/settings/security/app/enable',
      page: '/settings/security/app',
      summary: 'Enable an authenticator app',
      reauthentication: true,
      form: { pending: v.string(), code: v.string() },
      handle: async (context) => {
        const { caller, subject: user, form } = context;
        const keep = hashSessionToken(caller.sessionToken);
        const secret = changes.pendingApp(user.id, keep, form.pending);
        const done = await changes
          .enableApp({ user, keep, secret, code: form.code })
          .catch((error: unknown) => {
            if (error instanceof AppError && error.kind === 'conflict')
              throw new FormInvalid({ code: [t.alreadyOn] });
            throw error;
          });
        if (done === 'wrong') throw new FormInvalid({ code: [t.wrong] });
        return html(await renderSecurity(deps, context, { done: t.on, codes: done.codes }));
      },
      renderErrors: async ({ submitted: { pending }, errors }, context) => {
        const { caller, subject: user } = context;
        const secret = changes.pendingApp(user.id, hashSessionToken(caller.sessionToken), pending);
        return renderApp(context, { secret, pending }, errors);
      },
    }),
  ];
}

function renderApp(
  { caller, subject: user, query, frame }: SecurityContext,
  { secret, pending }: Pick<SecurityAppPageProps, 'secret' | 'pending'>,
  errors: SecurityAppPageProps['errors'],
): string {
  const account = `${user.name} (${new URL(frame.origin).host})`;
  const required = caller.mustEnrollFactor;
  return renderSecurityAppPage({ frame, secret, pending, account, required, errors, to: targetOf(query) });
}
