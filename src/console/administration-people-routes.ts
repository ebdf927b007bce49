import type { FastifyReply, FastifyRequest } from 'fastify';
import { passwordResetPath } from '../access/account-addresses.ts';
import { isUsable } from '../access/api-key.ts';
import type { OwnProof } from '../access/own-proof.ts';
import type { PageFrames } from '../access/page-frames-http.ts';
import {
  type Person as Administrator,
  type FormFields,
  readSessionForm,
} from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { AppError, invalid } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { cutPage, readNamePlace, readSearch } from '../http/list-request.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { nameKey } from '../owners/owner.ts';
import { absolute } from '../owners/owner-addresses.ts';
import { listMemberProjects } from '../projects/list-by-name-http.ts';
import { administrationTexts } from '../web/administration-texts.ts';
import { securityTexts } from '../web/security-texts.ts';
import { siteAddresses, withQuery } from '../web/site-addresses.ts';
import { personPath } from './administration-addresses.ts';
import type { PeopleChanges } from './administration-people.ts';
import { type FoundPeople, renderFoundPeople, renderPeoplePage } from './administration-people-page.tsx';
import { type Person, peopleFilters } from './administration-person.ts';
import { type PersonPageProps, renderPersonPage } from './administration-person-page.tsx';
import { administratorOrSignIn, missing } from './administrator-http.ts';

export interface PeopleRouteParts {
  data: Data;
  frames: PageFrames;
  originOf: OriginOf;
  peopleChanges: PeopleChanges;
  proof: OwnProof;
  canSendMail: boolean;
}

interface ListAddress {
  Querystring: { q?: unknown; only?: unknown; after?: unknown; before?: unknown; part?: unknown };
}

interface PersonAddress {
  Params: { person: string };
  Querystring: { done?: unknown; after?: unknown; before?: unknown };
}

type PersonRequest = FastifyRequest<PersonAddress>;

const peopleOnPage = 50;
const words = administrationTexts.person;

/** Everybody with an account, and one person's account with what administrators do to it. */
export function peopleRoutes(parts: PeopleRouteParts): RouteModule {
  return (server) => {
    server.get<ListAddress>(siteAddresses.people, async (request, reply) => {
      const by = await administratorOrSignIn(parts.frames, request, reply);
      return by ? answerList(parts, request, reply, by) : reply;
    });
    server.get<PersonAddress>(`${siteAddresses.people}/:person`, async (request, reply) => {
      const by = await administratorOrSignIn(parts.frames, request, reply);
      if (!by) return reply;
      return answerPerson(parts, request, reply, { by, person: await findPerson(parts, request) }, {});
    });
    server.post<PersonAddress>(`${siteAddresses.people}/:person`, async (request, reply) => {
      const by = await administratorOrSignIn(parts.frames, request, reply);
      if (!by) return reply;
      return change(parts, request, reply, { by, person: await findPerson(parts, request) });
    });
  };
}

async function answerList(
  parts: PeopleRouteParts,
  request: FastifyRequest<ListAddress>,
  reply: FastifyReply,
  by: Administrator,
) {
  const { query, words: asked } = readSearch(request.query.q);
  const only = peopleFilters.find((one) => one === request.query.only) ?? null;
  const { after, before } = readNamePlace(request.query);
  const listed = await parts.data.administration.listPeople(
    { only, words: asked },
    { most: peopleOnPage + 1, after, before },
  );
  const from = { forwards: before === undefined, begins: after === undefined };
  const { items: people, hasPrevious, hasNext } = cutPage(listed, peopleOnPage, from);
  const link = (place: 'after' | 'before', person: Person | undefined) =>
    person
      ? withQuery(siteAddresses.people, { only: only ?? '', q: query, [place]: nameKey(person.user.name) })
      : null;
  const found: FoundPeople = {
    ...{ query, only, people },
    paging: {
      newer: hasPrevious ? link('before', people[0]) : null,
      older: hasNext ? link('after', people.at(-1)) : null,
    },
  };
  const frame = parts.frames.of(request, by);
  // What a script asks for while somebody types.
  const render = request.query.part === 'people' ? renderFoundPeople : renderPeoplePage;
  return parts.frames.send(reply, render({ frame, found }));
}

interface Whom {
  by: Administrator;
  person: Person;
}

async function findPerson({ data }: PeopleRouteParts, request: PersonRequest): Promise<Person> {
  const person = await data.administration.findPerson(request.params.person);
  if (!person) throw missing();
  return person;
}

async function answerPerson(
  parts: PeopleRouteParts,
  request: PersonRequest,
  reply: FastifyReply,
  { by, person }: Whom,
  changes: Partial<Pick<PersonPageProps, 'resetLink' | 'refusal' | 'proofFault'>>,
) {
  const { data } = parts;
  const frame = parts.frames.of(request, by);
  const { id } = person.user;
  const { after, before } = request.query;
  const keys = (await data.access.listKeys(id)).reverse().filter((key) => isUsable(key, frame.now));
  const done: Readonly<Record<string, string>> = words.done;
  const isPlain = Object.keys(changes).length === 0;
  const asked = typeof request.query.done === 'string' ? request.query.done : '';
  const html = renderPersonPage({
    ...{ frame, person, keys },
    isSelf: id === by.actor.user.id,
    projects: await listMemberProjects(data, id, { after, before }, personPath(person.user.name)),
    workspaces: await data.workspaces.listOwnedBy(id),
    sessions: await data.administration.countSessions(id, frame.now),
    canSendMail: parts.canSendMail,
    proof: await parts.proof.kindOf(by.actor.user.id),
    proofFault: null,
    resetLink: null,
    done: isPlain && Object.hasOwn(done, asked) ? (done[asked] ?? null) : null,
    refusal: null,
    ...changes,
  });
  if (changes.proofFault) reply.code(400);
  return parts.frames.send(changes.refusal ? reply.code(409) : reply, html);
}

async function change(parts: PeopleRouteParts, request: PersonRequest, reply: FastifyReply, whom: Whom) {
  const form = readSessionForm(whom.by, request.body);
  const { user } = whom.person;
  try {
    const wanted = form.text('act');
    if (wanted === 'make-reset') {
      const token = await parts.peopleChanges.makeResetLink(whom.by.actor, user);
      const resetLink = absolute(parts.originOf(request), passwordResetPath(token));
      return await answerPerson(parts, request, reply, whom, { resetLink });
    }
    if (wanted === 'reset-factors') {
      const { user: own } = whom.by.actor;
      const person = { user: own, sessionToken: whom.by.sessionToken };
      if (!(await parts.proof.proves(person, form.optional('proof') ?? ''))) {
        const proofFault = securityTexts.proof.wrong[await parts.proof.kindOf(own.id)];
        return await answerPerson(parts, request, reply, whom, { proofFault });
      }
    }
    const done = await act(parts, whom, form);
    // Who took the right from themselves sees these pages no more.
    if (done === 'administrator-unmade' && user.id === whom.by.actor.user.id) return reply.redirect('/', 303);
    return reply.redirect(`${personPath(user.name)}?done=${done}`, 303);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
    const person = await findPerson(parts, request);
    return answerPerson(parts, request, reply, { ...whom, person }, { refusal: error.message });
  }
}

/** Answers what was done. What is so already is not done again, and just as well. */
async function act(
  { peopleChanges: changes, canSendMail }: PeopleRouteParts,
  { by: { actor: by }, person: { user } }: Whom,
  form: FormFields,
): Promise<keyof typeof words.done> {
  switch (form.text('act')) {
    case 'end-sessions':
      await changes.endSessions(by, user);
      return 'sessions-ended';
    case 'revoke':
      await changes.revokeKey(by, user, form.text('key'));
      return 'key-revoked';
    case 'reset-factors':
      await changes.resetFactors(by, user);
      return 'factors-reset';
    case 'make-administrator':
      await changes.setAdministrator(by, user, true);
      return 'administrator-made';
    case 'unmake-administrator':
      await changes.setAdministrator(by, user, false);
      return 'administrator-unmade';
    case 'disable':
      await changes.disable(by, user);
      return 'disabled';
    case 'enable':
      await changes.enable(by, user);
      return 'enabled';
    case 'send-reset':
      if (!canSendMail) throw new AppError('conflict', words.refusals.noMail);
      await changes.sendResetLetter(by, user);
      return 'letter-sent';
    default:
      throw invalid('the form asks for nothing that is known here');
  }
}
