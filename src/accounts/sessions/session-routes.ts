import { html, redirect } from '../../http/routes/answer.ts';
import { doneSentence } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { type AccessEnd, endAccess } from '../access/end-access.ts';
import type { AccountDeps } from '../account-deps-http.ts';
import { accountTexts } from '../account-texts.ts';
import type { Person } from '../authorization/identify-http.ts';
import { sessionsPath } from '../profile/account-paths.ts';
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
      query: { done: doneSentence(successMessages) },
      handle: async ({ caller, subject: user, query, frame }) =>
        html(
          renderSessionsPage({
            frame,
            sessions: await sessionQueries(data).listSessions(
              user.id,
              hashSessionToken(caller.sessionToken),
              now(),
            ),
            done: query.done,
          }),
        ),
    }),
    defineRoute({
      ...form,
      path: '/settings/sessions/:session/end',
      summary: 'End one of your sessions',
      handle: async ({ caller, params }) => {
        await endSessions(deps, caller, { only: params.session });
        return redirect(`${sessionsPath}?done=ended`);
      },
    }),
    defineRoute({
      ...form,
      path: '/settings/sessions/end-others',
      summary: 'End all your other sessions',
      handle: async ({ caller }) => {
        await endSessions(deps, caller, { except: hashSessionToken(caller.sessionToken) });
        return redirect(`${sessionsPath}?done=others`);
      },
    }),
  ];
}

async function endSessions(
  { data, now }: AccountDeps,
  { actor }: Person,
  sessions: NonNullable<AccessEnd['sessions']>,
): Promise<void> {
  const { id, name } = actor.user;
  const at = now();
  await data.transaction(async (tx) => {
    const ended = await endAccess(tx, id, { sessions, at });
    if (ended.sessions === 0) return;
    const entry = { at, actor, action: 'sessions.ended', ownerId: id, subject: name };
    await auditQueries(tx).record({ ...entry, details: { sessions: ended.sessions } });
  });
}
