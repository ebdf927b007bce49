import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type Person, personOrSignIn, readSessionForm } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { invalid } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { mailSettingsPath } from './mail-addresses.ts';
import { renderMailSettingsPage } from './mail-settings-page.tsx';

export interface MailSettingsRouteParts {
  data: Data;
  frames: PageFrames;
  canSend: boolean;
  now: () => number;
}

interface SettingsAddress {
  Querystring: { page?: unknown; saved?: unknown };
}

const choicesOnPage = 50;
const maxPage = 10_000;

/** Which apps mail a person about their new builds. */
export function mailSettingsRoutes(parts: MailSettingsRouteParts): RouteModule {
  return (server) => {
    server.get<SettingsAddress>(mailSettingsPath, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      return person ? answerSettings(parts, request, reply, person) : reply;
    });
    server.post<SettingsAddress>(mailSettingsPath, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      return person ? saveChoices(parts, request, reply, person) : reply;
    });
  };
}

function readPage(text: unknown): number {
  return typeof text === 'string' && /^\d{1,5}$/.test(text)
    ? Math.min(Math.max(Number(text), 1), maxPage)
    : 1;
}

async function answerSettings(
  parts: MailSettingsRouteParts,
  request: FastifyRequest<SettingsAddress>,
  reply: FastifyReply,
  person: Person,
) {
  const { user } = person.actor;
  const page = readPage(request.query.page);
  const choices = await parts.data.mailChoices.listChoices(user.id, {
    skip: (page - 1) * choicesOnPage,
    most: choicesOnPage + 1,
  });
  const html = renderMailSettingsPage({
    frame: parts.frames.of(request, person),
    address: user.email,
    canSend: parts.canSend,
    choices: choices.slice(0, choicesOnPage),
    page,
    paging: {
      newer: page > 1 ? `${mailSettingsPath}?page=${page - 1}` : null,
      older: choices.length > choicesOnPage ? `${mailSettingsPath}?page=${page + 1}` : null,
    },
    saved: request.query.saved === 'yes',
  });
  return parts.frames.send(reply, html);
}

/** Saves what was shown, as far as the person may still see it. */
async function saveChoices(
  parts: MailSettingsRouteParts,
  request: FastifyRequest<SettingsAddress>,
  reply: FastifyReply,
  person: Person,
) {
  const { data, now } = parts;
  const form = readSessionForm(person, request.body);
  const appIds = form.text('apps').split(' ');
  if (appIds.length > choicesOnPage) throw invalid(`a form holds at most ${choicesOnPage} apps`);
  const { id } = person.actor.user;
  await data.transaction(async (inside) => {
    const shown = await inside.mailChoices.listChoices(id, { skip: 0, most: choicesOnPage, appIds });
    for (const choice of shown) {
      const wanted = form.flag(`mail-${choice.appId}`);
      if (wanted !== choice.wanted) await inside.mailChoices.setChoice(id, choice.appId, wanted, now());
    }
  });
  const page = readPage(form.optional('page') ?? undefined);
  return reply.redirect(`${mailSettingsPath}?saved=yes${page > 1 ? `&page=${page}` : ''}`, 303);
}
