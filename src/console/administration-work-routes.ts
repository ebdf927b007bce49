import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type Person as Administrator, readSessionForm } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { invalid } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { cutPage } from '../http/list-request.ts';
import { administrationTexts } from '../web/administration-texts.ts';
import { siteAddresses, withQuery } from '../web/site-addresses.ts';
import { subjectOf, type Work, type WorkState, type WorkSubject, workStates } from './administration-work.ts';
import type { WorkChanges } from './administration-work-changes.ts';
import { renderWorkPage } from './administration-work-page.tsx';
import { administratorOrSignIn } from './administrator-http.ts';

export interface WorkRouteParts {
  data: Data;
  frames: PageFrames;
  workChanges: WorkChanges;
}

interface ListAddress {
  Querystring: { state?: unknown; below?: unknown; above?: unknown; done?: unknown };
}

const workOnPage = 50;
/** Beyond that many, how many there are is not worth counting. */
const countedTo = 1000;

/** Work in the background, and what is done about work that failed. */
export function workRoutes(parts: WorkRouteParts): RouteModule {
  return (server) => {
    server.get<ListAddress>(siteAddresses.work, async (request, reply) => {
      const by = await administratorOrSignIn(parts.frames, request, reply);
      return by ? answerList(parts, request, reply, by) : reply;
    });
    server.post(siteAddresses.work, async (request, reply) => {
      const by = await administratorOrSignIn(parts.frames, request, reply);
      return by ? change(parts, request, reply, by) : reply;
    });
  };
}

const stateOf = (text: unknown): WorkState | null => workStates.find((one) => one === text) ?? null;
const idOf = (text: unknown) => (typeof text === 'string' && /^[0-9a-z]{26}$/.test(text) ? text : undefined);

async function answerList(
  { data, frames }: WorkRouteParts,
  request: FastifyRequest<ListAddress>,
  reply: FastifyReply,
  by: Administrator,
) {
  const frame = frames.of(request, by);
  const state = stateOf(request.query.state);
  const above = idOf(request.query.above);
  const below = above === undefined ? idOf(request.query.below) : undefined;
  const found = await data.administration.listWork(state, frame.now, { most: workOnPage + 1, below, above });
  const from = { forwards: above === undefined, begins: below === undefined };
  const { items: work, hasPrevious, hasNext } = cutPage(found, workOnPage, from);
  const counts: Record<string, number> = {};
  for (const one of workStates) {
    counts[one] = await data.administration.countWork(one, frame.now, countedTo + 1);
  }
  const link = (place: 'above' | 'below', one: Work | undefined) =>
    one ? withQuery(siteAddresses.work, { state: state ?? '', [place]: one.id }) : null;
  const done: Readonly<Record<string, string>> = administrationTexts.work.done;
  const asked = typeof request.query.done === 'string' ? request.query.done : '';
  const html = renderWorkPage({
    ...{ frame, state, countedTo, work },
    counts: counts as Record<WorkState, number>,
    subjects: await nameSubjects(data, work),
    paging: {
      newer: hasPrevious ? link('above', work[0]) : null,
      older: hasNext ? link('below', work.at(-1)) : null,
    },
    done: Object.hasOwn(done, asked) ? (done[asked] ?? null) : null,
  });
  return frames.send(reply, html);
}

async function nameSubjects(data: Data, work: readonly Work[]): Promise<Map<string, WorkSubject>> {
  const ids = { builds: [] as string[], mails: [] as string[], apps: [] as string[] };
  for (const { job } of work) {
    const subject = subjectOf(job);
    if (subject) ids[subject.of].push(subject.id);
  }
  return data.administration.nameSubjects(ids);
}

async function change(
  { workChanges }: WorkRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  by: Administrator,
) {
  const form = readSessionForm(by, request.body);
  const act = form.text('act');
  const job = form.text('job');
  const back = (done: string) =>
    reply.redirect(
      withQuery(siteAddresses.work, { state: stateOf(form.optional('state')) ?? '', done }),
      303,
    );
  if (act === 'run-again') return back((await workChanges.runAgain(by.actor, job)) ? 'again' : 'gone');
  if (act !== 'give-up') throw invalid('the form asks for nothing that is known here');
  return back((await workChanges.giveUp(by.actor, job)) ? 'given-up' : 'gone');
}
