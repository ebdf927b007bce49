import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type Person, personOrSignIn, readSessionForm } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { invalid, NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { ownerPath } from './addresses.ts';
import type { App } from './app.ts';
import type { DeleteApp } from './app-deletion.ts';
import { renderAppDeletion } from './app-deletion-page.tsx';
import { findManagedApp, type PlatformAppAddress } from './managed-app-http.ts';
import type { ViewAccess } from './view-access.ts';

export interface AppDeletionRouteParts {
  data: Data;
  frames: PageFrames;
  viewAccess: ViewAccess;
  deleteApp: DeleteApp;
}

interface DeletionAddress {
  Params: PlatformAppAddress;
}

const shownPages = 20;

/** Where an App is deleted with everything in it, by those who manage it. */
export function appDeletionRoutes(parts: AppDeletionRouteParts): RouteModule {
  const address = '/users/:owner/platforms/:platform/apps/:package/delete';
  return (server) => {
    server.get<DeletionAddress>(address, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      const app = await findManagedApp(parts, person.actor, request.params);
      return answerPage(parts, request, reply, person, app, null);
    });
    server.post<DeletionAddress>(address, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      const form = readSessionForm(person, request.body);
      const app = await findManagedApp(parts, person.actor, request.params);
      if (form.text('act') !== 'delete') throw invalid('the form asks for nothing that is known here');
      // One of the same name may have come since the page was shown.
      if ((form.optional('app') ?? app.id) !== app.id) throw new NotFound('this app was deleted already');
      const typed = form.text('confirmation');
      const outcome = await parts.deleteApp(person.actor, app, typed);
      if (outcome === 'unconfirmed') return answerPage(parts, request, reply, person, app, typed);
      return reply.redirect(`${ownerPath(app.owner)}?done=app-deleted`, 303);
    });
  };
}

async function answerPage(
  parts: AppDeletionRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  app: App,
  refused: string | null,
) {
  const { data, frames } = parts;
  const [latest] = await data.builds.listBuilds(app.id, { most: 1 });
  const named = await data.apps.findAppsByPackageName(app.owner.id, app.packageName);
  const html = renderAppDeletion({
    frame: frames.of(request, person),
    app,
    name: latest?.info.name ?? app.packageName,
    contents: await data.appDeletion.contentsOf(app.id, shownPages),
    onOtherPlatform: named.length > 1,
    typed: refused ?? '',
    unconfirmed: refused !== null,
  });
  return frames.send(refused === null ? reply : reply.code(400), html);
}
