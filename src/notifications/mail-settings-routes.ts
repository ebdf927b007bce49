import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type Person, personOrSignIn, readSessionForm } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { invalid } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { cutPage } from '../http/list-request.ts';
import type { PageLinks } from '../web/paging.tsx';
import { withQuery } from '../web/site-addresses.ts';
import type { MailChoice, MailChoicePlace } from './mail.ts';
import { mailSettingsPath } from './mail-addresses.ts';
import { renderMailSettingsPage } from './mail-settings-page.tsx';

export interface MailSettingsRouteParts {
  data: Data;
  frames: PageFrames;
  canSend: boolean;
  now: () => number;
}

interface SettingsAddress {
  Querystring: { after?: unknown; before?: unknown; saved?: unknown };
}

const choicesOnPage = 50;
/** Of a place in an address; package names are shorter. */
const maxPlaceLength = 2_000;

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

const placePattern = /^(ios|android)\.([\w-]{1,64})\.([^\0]+)$/;

/** A place that no list gave is none. */
function readPlace(text: unknown): MailChoicePlace | undefined {
  if (typeof text !== 'string' || text.length > maxPlaceLength) return undefined;
  const [, platform, appId, packageName] = placePattern.exec(text) ?? [];
  if (appId === undefined || packageName === undefined) return undefined;
  return { platform: platform === 'ios' ? 'ios' : 'android', appId, packageName };
}

const writePlace = (place: MailChoicePlace | undefined) =>
  place ? `${place.platform}.${place.appId}.${place.packageName}` : '';

interface Asked {
  after: MailChoicePlace | undefined;
  before: MailChoicePlace | undefined;
}

const firstPage: Asked = { after: undefined, before: undefined };

/** Both at once are one too many. */
function readAsked(query: SettingsAddress['Querystring']): Asked {
  const before = readPlace(query.before);
  return { before, after: before === undefined ? readPlace(query.after) : undefined };
}

const addressOf = ({ after, before }: Partial<Asked>, saved = false) =>
  withQuery(mailSettingsPath, {
    ...{ saved: saved ? 'yes' : '', after: writePlace(after), before: writePlace(before) },
  });

/** Asks for one more than fit on the page: then there is another. Behind the end, and before the beginning, is the first page. */
async function listPage(
  data: Data,
  userId: string,
  asked: Asked,
): Promise<{ choices: MailChoice[]; paging: PageLinks; asked: Asked }> {
  const found = await data.mailChoices.listChoices(userId, { ...asked, most: choicesOnPage + 1 });
  const from = { forwards: asked.before === undefined, begins: asked.after === undefined };
  const strayed = from.forwards ? found.length === 0 : found.length <= choicesOnPage;
  if (strayed && !(from.forwards && from.begins)) return listPage(data, userId, firstPage);
  const { items, hasPrevious, hasNext } = cutPage(found, choicesOnPage, from);
  return {
    choices: items,
    paging: {
      newer: hasPrevious ? addressOf({ before: items[0] }) : null,
      older: hasNext ? addressOf({ after: items.at(-1) }) : null,
    },
    asked,
  };
}

async function answerSettings(
  parts: MailSettingsRouteParts,
  request: FastifyRequest<SettingsAddress>,
  reply: FastifyReply,
  person: Person,
) {
  const { user } = person.actor;
  const { choices, paging, asked } = await listPage(parts.data, user.id, readAsked(request.query));
  const html = renderMailSettingsPage({
    frame: parts.frames.of(request, person),
    email: user.email,
    canSend: parts.canSend,
    choices,
    paging,
    address: addressOf(asked),
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
    const shown = await inside.mailChoices.listChoices(id, { most: choicesOnPage, appIds });
    for (const choice of shown) {
      const wanted = form.flag(`mail-${choice.appId}`);
      if (wanted !== choice.wanted) await inside.mailChoices.setChoice(id, choice.appId, wanted, now());
    }
  });
  return reply.redirect(addressOf(readAsked(request.query), true), 303);
}
