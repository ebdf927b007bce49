import * as v from 'valibot';
import type { Connection } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { AccountDeps } from '../account-deps-http.ts';
import { accountTexts } from '../account-texts.ts';
import { sessionsPath } from '../profile/account-paths.ts';
import type { Person } from '../sign-in/identify-http.ts';
import { hashSessionToken } from './session.ts';
import { sessionQueries } from './session-queries.ts';
import { renderSessionsPage } from './sessions-page.tsx';

const t = accountTexts.sessions;
const successMessages = () => ({ ended: t.ended, others: t.othersEnded });

/** Lists and ends a person's sessions. */
export function sessionRoutes(deps: AccountDeps): Route[] {
  const { data, now, access } = deps;
  const form = {
    method: 'POST',
    access: access.signedIn,
    page: '/settings/sessions',
    reauthentication: false,
    form: {},
  } as const;
  return [
    defineRoute({
      method: 'GET',
      path: '/settings/sessions',
      summary: 'List your sessions',
      access: access.signedIn,
      query: { done: lenient(v.picklist(['ended', 'others'])) },
      handle: async ({ caller, subject: user, query, frame }) =>
        html(
          renderSessionsPage({
            frame,
            sessions: await sessionQueries(data).listSessions(
              user.id,
              hashSessionToken(caller.sessionToken),
              now(),
            ),
            done: query.done ? successMessages()[query.done] : null,
          }),
        ),
    }),
    defineRoute({
      ...form,
      path: '/settings/sessions/:session/end',
      summary: 'End one of your sessions',
      handle: async ({ caller, subject: user, params }) => {
        await endSessions(deps, caller, async (tx) =>
          Number(await sessionQueries(tx).deleteSessionOf(user.id, params.session)),
        );
        return redirect(`${sessionsPath}?done=ended`);
      },
    }),
    defineRoute({
      ...form,
      path: '/settings/sessions/end-others',
      summary: 'End all your other sessions',
      handle: async ({ caller, subject: user }) => {
        await endSessions(deps, caller, (tx) =>
          sessionQueries(tx).deleteSessionsOf(user.id, hashSessionToken(caller.sessionToken)),
        );
        return redirect(`${sessionsPath}?done=others`);
      },
    }),
  ];
}

/** `end` returns the number of sessions that it ended. */
async function endSessions(
  { data, now }: AccountDeps,
  { actor }: Person,
  end: (tx: Connection) => Promise<number>,
): Promise<void> {
  const { id, name } = actor.user;
  await data.transaction(async (tx) => {
    const sessions = await end(tx);
    if (sessions === 0) return;
    const entry = { at: now(), actor, action: 'sessions.ended', ownerId: id, subject: name };
    await auditQueries(tx).record({ ...entry, details: { sessions } });
  });
}
