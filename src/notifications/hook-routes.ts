import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Attempts } from '../access/attempts.ts';
import type { PageFrames } from '../access/page-frames-http.ts';
import {
  type FormFields,
  type Person,
  personOrSignIn,
  readSessionForm,
} from '../access/session-form-http.ts';
import { findManagedApp, type PlatformAppAddress } from '../apps/managed-app-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import type { Data } from '../data.ts';
import { AppError, invalid, NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { findKnownOwner } from '../projects/overseen-owner-http.ts';
import { hookTexts } from '../web/hook-texts.ts';
import { type HookChanges, type HookSaved, placeOf } from './change-hooks.ts';
import { deliveriesShown, type Hook } from './hook.ts';
import { hookPath, hooksPath } from './hook-addresses.ts';
import { freshHook, type TypedHook, typedOfHook } from './hook-form.ts';
import { type HookPageHome, type HookPageProps, renderHookPage } from './hook-page.tsx';
import { type HooksPageProps, renderHooksPage } from './hooks-page.tsx';

export interface HookRouteParts {
  data: Data;
  frames: PageFrames;
  viewAccess: ViewAccess;
  attempts: Attempts;
  hookChanges: HookChanges;
  /** Whether what was sealed of a hook can still be read. */
  isReadable: (hook: Hook) => boolean;
  /** Whether messages can carry links. */
  hasOrigin: boolean;
}

interface HooksAddress {
  Params: PlatformAppAddress;
  Querystring: { done?: unknown };
}

interface HookAddress extends HooksAddress {
  Params: PlatformAppAddress & { hook: string };
}

interface Place {
  person: Person;
  home: HookPageHome;
}

/** Null when nobody is signed in: then the reply is sent. Throws `not_found`. */
type FindPlace = (
  parts: HookRouteParts,
  request: FastifyRequest<HooksAddress>,
  reply: FastifyReply,
) => Promise<Place | null>;

/** A hook makes this server call others: enough for a team, too slow to knock at many doors. */
const deedLimit = { most: 60, windowMs: 15 * 60_000, refusal: hookTexts.faults.tooMany };
const missing = () => new NotFound();

/** Hooks of an App, for those who manage it, and of an Owner, for those who look after it and see its Apps. */
export function hookRoutes(parts: HookRouteParts): RouteModule {
  return (server) => {
    const places: [string, FindPlace][] = [
      ['/users/:owner/platforms/:platform/apps/:package/hooks', findAppPlace],
      ['/organizations/:owner/hooks', findOwnerPlace],
      ['/users/:owner/hooks', findOwnerPlace],
    ];
    for (const [address, findPlace] of places) {
      server.get<HooksAddress>(address, async (request, reply) => {
        const place = await findPlace(parts, request, reply);
        return place ? answerHooks(parts, request, reply, place, {}) : reply;
      });
      server.post<HooksAddress>(address, async (request, reply) => {
        const place = await findPlace(parts, request, reply);
        return place ? makeHook(parts, request, reply, place) : reply;
      });
      server.get<HookAddress>(`${address}/:hook`, async (request, reply) => {
        const place = await findPlace(parts, request, reply);
        if (!place) return reply;
        return answerHook(parts, request, reply, place, await findHook(parts, request, place), {});
      });
      server.post<HookAddress>(`${address}/:hook`, async (request, reply) => {
        const place = await findPlace(parts, request, reply);
        return place ? changeHook(parts, request, reply, place) : reply;
      });
    }
  };
}

const findAppPlace: FindPlace = async (parts, request, reply) => {
  const person = await personOrSignIn(parts.frames, request, reply);
  if (!person) return null;
  const app = await findManagedApp(parts, person.actor, request.params);
  return { person, home: { owner: app.owner, app } };
};

const findOwnerPlace: FindPlace = async (parts, request, reply) => {
  const may = ({ standing }: { standing: { oversees: boolean; views: boolean } }) =>
    standing.oversees && standing.views;
  const known = await findKnownOwner(parts, request, reply, may);
  if (!known) return null;
  const { person, owner, standing } = known;
  return { person, home: { owner, app: null, area: { owner, standing } } };
};

async function findHook(
  { data }: HookRouteParts,
  request: FastifyRequest<HookAddress>,
  { home }: Place,
): Promise<Hook> {
  const hook = await data.hooks.findHook(placeOf(home), request.params.hook);
  if (!hook) throw missing();
  return hook;
}

function readTyped(form: FormFields): TypedHook {
  return {
    name: form.text('name'),
    address: form.text('address'),
    kind: form.optional('kind') ?? '',
    hears: { uploads: form.flag('uploads'), deletions: form.flag('deletions'), pages: form.flag('pages') },
    on: form.flag('on'),
  };
}

async function makeHook(
  parts: HookRouteParts,
  request: FastifyRequest<HooksAddress>,
  reply: FastifyReply,
  place: Place,
) {
  const { person, home } = place;
  const form = readSessionForm(person, request.body);
  if (form.text('act') !== 'make') throw invalid('the form asks for nothing that is known here');
  const typed = readTyped(form);
  await countDeed(parts, person);
  try {
    const made = await parts.hookChanges.make(person.actor.user, home, typed);
    if (made.kind === 'refused')
      return await answerHooks(parts, request, reply, place, { typed, faults: made.faults });
    return await answerHook(parts, request, reply, place, made.hook, { secret: made.secret });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
    return answerHooks(parts, request, reply, place, { typed, faults: { address: [error.message] } });
  }
}

async function changeHook(
  parts: HookRouteParts,
  request: FastifyRequest<HookAddress>,
  reply: FastifyReply,
  place: Place,
) {
  const { person, home } = place;
  const { hookChanges } = parts;
  const form = readSessionForm(person, request.body);
  const hook = await findHook(parts, request, place);
  const by = person.actor.user;
  const path = hookPath(home, hook.id);
  const act = form.text('act');
  if (act === 'delete') {
    await hookChanges.remove(by, home, hook);
    return reply.redirect(`${hooksPath(home)}?done=deleted`, 303);
  }
  await countDeed(parts, person);
  if (act === 'test') {
    await hookChanges.test(home, hook);
    return reply.redirect(`${path}?done=tested`, 303);
  }
  if (act === 'again') {
    const again = await hookChanges.sendAgain(hook, form.text('delivery'));
    return reply.redirect(`${path}${again ? '?done=again' : ''}`, 303);
  }
  if (act === 'secret') {
    const secret = await hookChanges.renewSecret(by, home, hook);
    return answerHook(parts, request, reply, place, hook, { secret });
  }
  if (act !== 'save') throw invalid('the form asks for nothing that is known here');
  const typed = readTyped(form);
  const saved: HookSaved = await hookChanges.save(by, home, hook, typed);
  if (saved.kind === 'refused')
    return answerHook(parts, request, reply, place, hook, { typed, faults: saved.faults });
  if (saved.secret !== null)
    return answerHook(parts, request, reply, place, saved.hook, { secret: saved.secret });
  return reply.redirect(`${path}?done=saved`, 303);
}

const countDeed = ({ attempts }: HookRouteParts, { actor }: Person) =>
  attempts.count(['hooks', actor.user.id], deedLimit);

async function answerHooks(
  { data, frames, hasOrigin }: HookRouteParts,
  request: FastifyRequest<HooksAddress>,
  reply: FastifyReply,
  { person, home }: Place,
  changes: Partial<Pick<HooksPageProps, 'typed' | 'faults'>>,
) {
  const hooks = [];
  for (const hook of await data.hooks.listHooks(placeOf(home))) {
    const [last] = await data.hooks.listDeliveries(hook.id, 1);
    hooks.push({ hook, last: last ?? null });
  }
  const html = renderHooksPage({
    ...{ frame: frames.of(request, person), home, hooks, hasOrigin },
    ...{ typed: freshHook, faults: {} },
    done: !changes.faults && request.query.done === 'deleted' ? hookTexts.done.deleted : null,
    ...changes,
  });
  return frames.send(changes.faults ? reply.code(400) : reply, html);
}

async function answerHook(
  { data, frames, isReadable }: HookRouteParts,
  request: FastifyRequest<HooksAddress>,
  reply: FastifyReply,
  { person, home }: Place,
  hook: Hook,
  changes: Partial<Pick<HookPageProps, 'typed' | 'faults' | 'secret'>>,
) {
  const plain = Object.keys(changes).length === 0;
  const { done } = request.query;
  const html = renderHookPage({
    ...{ frame: frames.of(request, person), home, hook, readable: isReadable(hook) },
    deliveries: await data.hooks.listDeliveries(hook.id, deliveriesShown),
    ...{ typed: typedOfHook(hook), faults: {}, secret: null },
    tested: plain && done === 'tested',
    done:
      plain && done === 'saved'
        ? hookTexts.done.saved
        : plain && done === 'again'
          ? hookTexts.done.again
          : null,
    ...changes,
  });
  return frames.send(changes.faults ? reply.code(400) : reply, html);
}
