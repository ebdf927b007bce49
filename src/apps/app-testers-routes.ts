import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Attempts } from '../access/attempts.ts';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type Person, personOrSignIn, readSessionForm } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { invalid } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { peopleTexts } from '../web/page-settings-texts.ts';
import { peoplePath } from './addresses.ts';
import type { App } from './app.ts';
import { loadPeople } from './app-halves.ts';
import { type AccessGiven, type AppTesters, maxTestersOfApp } from './app-testers.ts';
import { renderPeoplePage } from './app-testers-page.tsx';
import { findManagedApp, type PlatformAppAddress } from './managed-app-http.ts';
import type { ViewAccess } from './view-access.ts';

export interface AppTesterRouteParts {
  data: Data;
  frames: PageFrames;
  viewAccess: ViewAccess;
  appTesters: AppTesters;
  attempts: Attempts;
}

interface PeopleAddress {
  Params: PlatformAppAddress;
  Querystring: { done?: unknown };
}

type PeopleRequest = FastifyRequest<PeopleAddress>;

/** The answer tells whether somebody has an account here: enough for a team, too slow for a list of addresses. */
const addLimit = { most: 60, windowMs: 15 * 60_000, refusal: peopleTexts.faults.tooMany };

/** Who is given access to a User's App: for the owner alone. Of a Project's App it says that the teams decide. */
export function appTesterRoutes(parts: AppTesterRouteParts): RouteModule {
  const address = '/users/:owner/platforms/:platform/apps/:package/people';
  return (server) => {
    server.get<PeopleAddress>(address, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      return answerPeople(
        parts,
        request,
        reply,
        person,
        await findManagedApp(parts, person.actor, request.params),
      );
    });
    server.post<PeopleAddress>(address, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      const form = readSessionForm(person, request.body);
      const app = await findManagedApp(parts, person.actor, request.params);
      const act = form.text('act');
      if (act === 'remove') {
        const changed = await parts.appTesters.take(person.actor.user, app, form.text('user'));
        return reply.redirect(`${pathOf(app)}${changed ? '?done=taken' : ''}`, 303);
      }
      if (act !== 'add') throw invalid('the form asks for nothing that is known here');
      const login = form.text('login').trim();
      await parts.attempts.count(['give access', person.actor.user.id], addLimit);
      const outcome = await parts.appTesters.give(person.actor.user, app, login);
      if (outcome === 'given' || outcome === 'already') {
        return reply.redirect(`${pathOf(app)}?done=${outcome}`, 303);
      }
      return answerPeople(parts, request, reply, person, app, { login, fault: faultOf(outcome) });
    });
  };
}

const pathOf = (app: App) => peoplePath(app.owner, app.platform, app.packageName);

function faultOf(outcome: Exclude<AccessGiven, 'given' | 'already'>): string {
  return outcome === 'full' ? peopleTexts.faults.full(maxTestersOfApp) : peopleTexts.faults[outcome];
}

const doneSentences: ReadonlyMap<unknown, string> = new Map([
  ['given', peopleTexts.given],
  ['already', peopleTexts.already],
  ['taken', peopleTexts.taken],
]);

async function answerPeople(
  parts: AppTesterRouteParts,
  request: PeopleRequest,
  reply: FastifyReply,
  person: Person,
  app: App,
  refused: { login: string; fault: string } | null = null,
) {
  const { data, frames } = parts;
  const html = renderPeoplePage({
    frame: frames.of(request, person),
    app,
    people: await loadPeople(data, app, maxTestersOfApp),
    done: refused ? null : (doneSentences.get(request.query.done) ?? null),
    typed: refused?.login ?? '',
    fault: refused?.fault ?? null,
  });
  return frames.send(refused ? reply.code(400) : reply, html);
}
