import { invalid } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { accountTexts } from '../web/account-texts.ts';
import { sessionsPath } from './account-addresses.ts';
import type { AccountParts } from './account-routes.ts';
import { hashSessionToken } from './session.ts';
import { personOrSignIn, readSessionForm } from './session-form-http.ts';
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
        await data.access.deleteSessionOf(id, form.text('session'));
        return reply.redirect(`${sessionsPath}?done=ended`, 303);
      }
      if (act !== 'end-others') throw invalid('the form asks for nothing that is known here');
      await data.access.deleteSessionsOf(id, hashSessionToken(person.sessionToken));
      return reply.redirect(`${sessionsPath}?done=others`, 303);
    });
  };
}
