import type { DataQueries } from '../data.ts';
import { invalid } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { accountTexts } from '../web/account-texts.ts';
import { sessionsPath } from './account-addresses.ts';
import type { AccountParts } from './account-routes.ts';
import { hashSessionToken } from './session.ts';
import { type Person, personOrSignIn, readSessionForm } from './session-form-http.ts';
import { renderSessionsPage } from './sessions-page.tsx';

const words = accountTexts.sessions;
const doneSentences: ReadonlyMap<unknown, string> = new Map([
  ['ended', words.ended],
  ['others', words.othersEnded],
]);

/** The browsers in which I am signed in. */
export function sessionRoutes(parts: AccountParts): RouteModule {
  const { data, frames, now } = parts;
  return (server) => {
    server.get<{ Querystring: { done?: unknown } }>(sessionsPath, async (request, reply) => {
      const person = await personOrSignIn(frames, request, reply);
      if (!person) return reply;
      const html = renderSessionsPage({
        frame: frames.of(request, person),
        sessions: await data.access.listSessions(
          person.actor.user.id,
          hashSessionToken(person.sessionToken),
          now(),
        ),
        done: doneSentences.get(request.query.done) ?? null,
      });
      return frames.send(reply, html);
    });
    server.post(sessionsPath, async (request, reply) => {
      const person = await personOrSignIn(frames, request, reply);
      if (!person) return reply;
      const form = readSessionForm(person, request.body);
      const act = form.text('act');
      const { id } = person.actor.user;
      if (act === 'end') {
        await endSessions(parts, person, async (inside) =>
          Number(await inside.access.deleteSessionOf(id, form.text('session'))),
        );
        return reply.redirect(`${sessionsPath}?done=ended`, 303);
      }
      if (act !== 'end-others') throw invalid('the form asks for nothing that is known here');
      await endSessions(parts, person, (inside) =>
        inside.access.deleteSessionsOf(id, hashSessionToken(person.sessionToken)),
      );
      return reply.redirect(`${sessionsPath}?done=others`, 303);
    });
  };
}

/** `end` answers how many there were. */
async function endSessions(
  { data, now }: AccountParts,
  { actor }: Person,
  end: (inside: DataQueries) => Promise<number>,
): Promise<void> {
  const { id, name } = actor.user;
  await data.transaction(async (inside) => {
    const sessions = await end(inside);
    if (sessions === 0) return;
    const entry = { at: now(), actor, action: 'sessions.ended', ownerId: id, subject: name };
    await inside.audit.record({ ...entry, details: { sessions } });
  });
}
