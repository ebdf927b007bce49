import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type Person, personOrSignIn, readSessionForm } from '../access/session-form-http.ts';
import { pageSettingsPath } from '../apps/addresses.ts';
import type { App } from '../apps/app.ts';
import { findManagedApp, type PlatformAppAddress } from '../apps/managed-app-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import type { Data } from '../data.ts';
import type { RouteModule } from '../http/http-server.ts';
import { readRevision, SettingsRefused } from './page-settings.ts';
import { loadBuildChoices } from './page-settings-builds.ts';
import type { NewPage, PageSettings } from './page-settings-change.ts';
import { renderNewPage } from './page-settings-new.tsx';
import { maxSettingsFormBytes } from './page-settings-routes.ts';

interface NewPageParts {
  data: Data;
  frames: PageFrames;
  viewAccess: ViewAccess;
  pageSettings: PageSettings;
}

interface NewPageAddress {
  Params: PlatformAppAddress;
}

type NewPageRequest = FastifyRequest<NewPageAddress>;

/** A new page by hand: a name, a build and a note; then its settings. */
export function newPageRoutes(parts: NewPageParts): RouteModule {
  const address = '/users/:owner/platforms/:platform/apps/:package/pages/new';
  return (server) => {
    server.get<NewPageAddress>(address, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      return answerNewPage(
        parts,
        request,
        reply,
        person,
        await findManagedApp(parts, person.actor, request.params),
      );
    });
    server.post<NewPageAddress>(address, { bodyLimit: maxSettingsFormBytes }, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      const form = readSessionForm(person, request.body);
      const app = await findManagedApp(parts, person.actor, request.params);
      const typed = { name: form.text('name'), revision: form.text('revision'), note: form.text('note') };
      try {
        const page = await parts.pageSettings.make(person.actor, app, typed);
        return reply.redirect(`${pageSettingsPath(page.accessKey)}?done=made`, 303);
      } catch (error) {
        if (!(error instanceof SettingsRefused)) throw error;
        return answerNewPage(parts, request, reply, person, app, { fault: error, typed });
      }
    });
  };
}

async function answerNewPage(
  parts: NewPageParts,
  request: NewPageRequest,
  reply: FastifyReply,
  person: Person,
  app: App,
  refused: { fault: SettingsRefused; typed: NewPage } | null = null,
) {
  const { data, frames } = parts;
  const builds = await loadBuildChoices(data, app.id, [readRevision(refused?.typed.revision ?? '')]);
  const html = renderNewPage({
    frame: frames.of(request, person),
    app,
    typed: refused?.typed ?? { name: '', revision: String(builds[0]?.revision ?? ''), note: '' },
    faults: refused?.fault.faults ?? {},
    builds,
  });
  return frames.send(refused ? reply.code(400) : reply, html);
}
