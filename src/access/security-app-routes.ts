import * as v from 'valibot';
import { AppError, FormRefused } from '../errors.ts';
import { html, redirect } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { localPath } from '../web/safe-address.ts';
import { securityTexts } from '../web/security-texts.ts';
import { securityPath } from './account-addresses.ts';
import { renderSecurityAppPage, type SecurityAppPageProps } from './security-app-page.tsx';
import type { SecurityParts } from './security-area-routes.ts';
import { renderSecurity, type SecurityVisit, securityQuery } from './security-routes.ts';
import { hashSessionToken } from './session.ts';

const words = securityTexts.app;

/** Setting up an authenticator app: nothing is stored until a code of it was right. */
export function securityAppRoutes(parts: SecurityParts): Route[] {
  const { changes, secondFactors, accountAccess } = parts;
  const page = {
    path: '/settings/security/app',
    access: accountAccess.enrolling,
    query: securityQuery,
  } as const;
  const secretOf = ({ caller, subject: user }: SecurityVisit, pending: string) =>
    changes.pendingApp(user.id, hashSessionToken(caller.sessionToken), pending);
  return [
    defineRoute({
      ...page,
      method: 'GET',
      summary: 'Show the setup of an authenticator app',
      handle: async (visit) => {
        const { caller, subject: user, query } = visit;
        const { app } = await secondFactors.of(user.id);
        if (app) return redirect(securityPath(localPath(query.to ?? null)));
        return html(renderApp(visit, changes.newApp(user.id, hashSessionToken(caller.sessionToken)), {}));
      },
    }),
    defineRoute({
      ...page,
      method: 'POST',
      page: '/settings/security/app',
      summary: 'Turn on an authenticator app',
      reauthentication: true,
      form: { pending: v.string(), code: v.string() },
      handle: async (visit) => {
        const { caller, subject: user, form } = visit;
        const keep = hashSessionToken(caller.sessionToken);
        const change = { user, keep, secret: secretOf(visit, form.pending), code: form.code };
        const done = await changes.switchOnApp(change).catch((error: unknown) => {
          if (error instanceof AppError && error.kind === 'conflict')
            throw new FormRefused({ code: [words.alreadyOn] });
          throw error;
        });
        if (done === 'wrong') throw new FormRefused({ code: [words.wrong] });
        return html(await renderSecurity(parts, visit, { done: words.on, codes: done.codes }));
      },
      refused: async ({ faults, typed }, visit) =>
        renderApp(visit, { secret: secretOf(visit, typed.pending), pending: typed.pending }, faults),
    }),
  ];
}

function renderApp(
  { caller, subject: user, query, frame }: SecurityVisit,
  given: { secret: Uint8Array; pending: string },
  faults: SecurityAppPageProps['faults'],
): string {
  const account = `${user.name} (${new URL(frame.origin).host})`;
  const to = localPath(query.to ?? null);
  return renderSecurityAppPage({ frame, ...given, account, required: caller.mustEnrollFactor, to, faults });
}
