import * as v from 'valibot';
import type { RouteAccess } from '../accounts/sign-in/route-access-http.ts';
import type { Data } from '../db/data.ts';
import { cutPage } from '../http/list-request.ts';
import { html, redirect } from '../http/routes/answer.ts';
import { lenient, type Values } from '../http/routes/form.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { siteAddresses, withQuery } from '../web/shell/site-addresses.ts';
import { administrationQueries } from './administration-queries.ts';
import { administrationTexts } from './administration-texts.ts';
import { subjectOf, type Work, type WorkState, type WorkSubject, workStates } from './administration-work.ts';
import type { WorkChanges } from './administration-work-changes.ts';
import { renderWorkPage } from './administration-work-page.tsx';

export interface WorkRouteParts {
  data: Data;
  access: RouteAccess;
  workChanges: WorkChanges;
}

type SuccessMessage = keyof typeof doneSentences;

const workOnPage = 50;
/** Counts stop at this number. */
const countedTo = 1000;
const doneSentences = administrationTexts.work.done;
const state = lenient(v.picklist(workStates));
const identifier = lenient(v.pipe(v.string(), v.regex(/^[0-9a-z]{26}$/)));
const listQuery = {
  state,
  below: identifier,
  above: identifier,
  done: lenient(v.picklist(Object.keys(doneSentences) as SuccessMessage[])),
};

/** Routes for background jobs and for actions on failed ones. */
export function workRoutes({ data, access, workChanges }: WorkRouteParts): Route[] {
  const page = '/administration/background-work';
  const action = {
    method: 'POST',
    access: access.administrator,
    reauthentication: false,
    page,
    form: { state },
  } as const;
  const back = (shown: WorkState | undefined, done: SuccessMessage) =>
    redirect(withQuery(siteAddresses.work, { state: shown ?? '', done }));
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'List background work',
      access: access.administrator,
      query: listQuery,
      handle: async ({ frame, query }) => html(await renderWork(data, frame, query)),
    }),
    defineRoute({
      ...action,
      path: '/administration/background-work/:job/retry',
      summary: 'Retry a failed background job',
      handle: async ({ caller, params, form }) =>
        back(form.state, (await workChanges.retry(caller.actor, params.job)) ? 'again' : 'gone'),
    }),
    defineRoute({
      ...action,
      path: '/administration/background-work/:job/delete',
      summary: 'Delete a failed background job',
      handle: async ({ caller, params, form }) =>
        back(form.state, (await workChanges.remove(caller.actor, params.job)) ? 'given-up' : 'gone'),
    }),
  ];
}

async function renderWork(data: Data, frame: PageFrame, query: Values<typeof listQuery>): Promise<string> {
  const state = query.state ?? null;
  const { above, done } = query;
  const below = above === undefined ? query.below : undefined;
  const found = await administrationQueries(data).listWork(state, frame.now, {
    most: workOnPage + 1,
    below,
    above,
  });
  const from = { forwards: above === undefined, begins: below === undefined };
  const { items: work, hasPrevious, hasNext } = cutPage(found, workOnPage, from);
  const counts: Record<string, number> = {};
  for (const one of workStates) {
    counts[one] = await administrationQueries(data).countWork(one, frame.now, countedTo + 1);
  }
  const link = (place: 'above' | 'below', one: Work | undefined) =>
    one ? withQuery(siteAddresses.work, { state: state ?? '', [place]: one.id }) : null;
  return renderWorkPage({
    frame,
    state,
    countedTo,
    work,
    counts: counts as Record<WorkState, number>,
    subjects: await nameSubjects(data, work),
    paging: {
      newer: hasPrevious ? link('above', work[0]) : null,
      older: hasNext ? link('below', work.at(-1)) : null,
    },
    done: done === undefined ? null : doneSentences[done],
  });
}

async function nameSubjects(data: Data, work: readonly Work[]): Promise<Map<string, WorkSubject>> {
  const ids = { builds: [] as string[], mails: [] as string[], apps: [] as string[] };
  for (const { job } of work) {
    const subject = subjectOf(job);
    if (subject) ids[subject.of].push(subject.id);
  }
  return administrationQueries(data).nameSubjects(ids);
}
