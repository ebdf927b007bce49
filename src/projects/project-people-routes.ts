import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Attempts } from '../access/attempts.ts';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type FormFields, readSessionForm } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { invalid } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { maxNameLength, type Project, type ProjectMember, type Team, teams } from '../owners/owner.ts';
import { teamsPath } from '../owners/owner-addresses.ts';
import { projectTexts } from '../web/project-texts.ts';
import { addLimit, addSubject } from './add-limit.ts';
import { findKnownOwner, type KnownOwner, missing } from './overseen-owner-http.ts';
import type { PersonChanged, ProjectPeople } from './project-people.ts';
import { type ProjectPeopleProps, renderProjectPeople } from './project-people-page.tsx';

export interface ProjectPeopleRouteParts {
  data: Data;
  frames: PageFrames;
  projectPeople: ProjectPeople;
  attempts: Attempts;
}

interface PeopleAddress {
  Params: { owner: string };
  Querystring: { done?: unknown; q?: unknown; page?: unknown };
}

type Known = KnownOwner & { owner: Project };
type PeopleRequest = FastifyRequest<PeopleAddress>;

interface Refused {
  status: number;
  typed?: { login: string; team: Team };
  fault?: string;
  sentence?: string;
}

const words = projectTexts.people;
const peopleOnPage = 50;

const doneSentences: ReadonlyMap<unknown, string> = new Map([
  ['added', words.added],
  ['changed', words.changed],
  ['removed', words.removed],
]);

/** Who is in which team: shown to everybody in the Project, changed by its owners and by administrators. */
export function projectPeopleRoutes(parts: ProjectPeopleRouteParts): RouteModule {
  const address = '/organizations/:owner/people';
  return (server) => {
    server.get<PeopleAddress>(address, async (request, reply) => {
      const known = await findProject(parts, request, reply);
      return known ? answerPage(parts, request, reply, known, null) : reply;
    });
    server.post<PeopleAddress>(address, async (request, reply) => {
      const known = await findProject(parts, request, reply);
      if (!known) return reply;
      const form = readSessionForm(known.person, request.body);
      const act = form.text('act');
      if (act === 'leave') return leave(parts, request, reply, known);
      if (!known.standing.oversees) throw missing();
      if (act === 'add') return add(parts, request, reply, known, form);
      if (act !== 'change' && act !== 'remove') {
        throw invalid('the form asks for nothing that is known here');
      }
      const team = act === 'change' ? teamOf(form) : null;
      const outcome = await parts.projectPeople.change(
        known.person.actor,
        known.owner,
        form.text('user'),
        team,
      );
      if (outcome === 'last-owner') return answerPage(parts, request, reply, known, lastOwner);
      // Who has put themselves out of the owner team may not see what they see now.
      const still =
        outcome !== 'changed' || form.text('user') !== known.person.actor.user.id || team !== null;
      return reply.redirect(still ? `${teamsPath(known.owner.name)}${doneOf(act, outcome)}` : '/', 303);
    });
  };
}

const lastOwner: Refused = { status: 409, sentence: words.faults.lastOwner };

const doneOf = (act: 'change' | 'remove', outcome: PersonChanged) =>
  outcome === 'changed' ? `?done=${act === 'change' ? 'changed' : 'removed'}` : '';

async function findProject(
  parts: ProjectPeopleRouteParts,
  request: PeopleRequest,
  reply: FastifyReply,
): Promise<Known | null> {
  const known = await findKnownOwner(
    parts,
    request,
    reply,
    ({ standing }) => standing.views || standing.oversees,
  );
  if (known && known.owner.kind !== 'project') throw missing();
  return known as Known | null;
}

function teamOf(form: FormFields): Team {
  const team = teams.find((one) => one === form.text('team'));
  if (!team) throw invalid(`a team is one of ${teams.join(', ')}`);
  return team;
}

async function leave(
  parts: ProjectPeopleRouteParts,
  request: PeopleRequest,
  reply: FastifyReply,
  known: Known,
) {
  const { actor } = known.person;
  const outcome = await parts.projectPeople.change(actor, known.owner, actor.user.id, null);
  if (outcome === 'last-owner') return answerPage(parts, request, reply, known, lastOwner);
  return reply.redirect('/?done=left', 303);
}

async function add(
  parts: ProjectPeopleRouteParts,
  request: PeopleRequest,
  reply: FastifyReply,
  known: Known,
  form: FormFields,
) {
  const { actor } = known.person;
  const typed = { login: form.text('login').trim(), team: teamOf(form) };
  await parts.attempts.count(addSubject(actor.user.id), addLimit);
  const outcome = await parts.projectPeople.add(actor, known.owner, typed.login, typed.team);
  if (outcome === 'added') return reply.redirect(`${teamsPath(known.owner.name)}?done=added`, 303);
  return answerPage(parts, request, reply, known, { status: 400, typed, fault: words.faults[outcome] });
}

async function answerPage(
  { data, frames }: ProjectPeopleRouteParts,
  request: PeopleRequest,
  reply: FastifyReply,
  { person, owner, standing }: Known,
  refused: Refused | null,
) {
  const members = await data.owners.listMembers(owner.id);
  const html = renderProjectPeople({
    frame: frames.of(request, person),
    project: owner,
    standing,
    viewerId: person.actor.user.id,
    isMember: members.some(({ user }) => user.id === person.actor.user.id),
    ...choosePeople(members, request.query, teamsPath(owner.name)),
    done: refused ? null : (doneSentences.get(request.query.done) ?? null),
    typed: refused?.typed ?? { login: '', team: 'developer' },
    fault: refused?.fault ?? null,
    refused: refused?.sentence ?? null,
  });
  return frames.send(refused ? reply.code(refused.status) : reply, html);
}

/** The people of one page, of those whose name has what was searched for in it. */
function choosePeople(
  members: readonly ProjectMember[],
  asked: { q?: unknown; page?: unknown },
  address: string,
): Pick<ProjectPeopleProps, 'members' | 'count' | 'query' | 'paging'> {
  const query = typeof asked.q === 'string' ? asked.q.trim().slice(0, maxNameLength) : '';
  const found = members.filter(({ user }) => user.name.toLowerCase().includes(query.toLowerCase()));
  const pages = Math.max(1, Math.ceil(found.length / peopleOnPage));
  const number = typeof asked.page === 'string' && /^\d{1,6}$/.test(asked.page) ? Number(asked.page) : 1;
  const page = Math.min(Math.max(number, 1), pages);
  const link = (to: number) =>
    `${address}?${new URLSearchParams({ ...(query === '' ? {} : { q: query }), page: String(to) })}`;
  return {
    query,
    count: found.length,
    members: found.slice((page - 1) * peopleOnPage, page * peopleOnPage),
    paging: { newer: page > 1 ? link(page - 1) : null, older: page < pages ? link(page + 1) : null },
  };
}
