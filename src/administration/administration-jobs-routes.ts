import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { Data } from '../db/data.ts';
import { cutPage } from '../http/list-request.ts';
import { html, redirect } from '../http/routes/answer.ts';
import { lenient, type Values } from '../http/routes/form.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { sitePaths, withQuery } from '../web/shell/site-paths.ts';
import {
  type AdministeredJob,
  type JobState,
  type JobSubject,
  jobStates,
  subjectOf,
} from './administration-jobs.ts';
import type { JobChanges } from './administration-jobs-changes.ts';
import { renderJobsPage } from './administration-jobs-page.tsx';
import { administrationQueries } from './administration-queries.ts';
import { administrationTexts } from './administration-texts.ts';

export interface JobRouteDeps {
  data: Data;
  access: RouteAccess;
  jobChanges: JobChanges;
}

type SuccessMessage = keyof typeof successMessages;

const jobsPerPage = 50;
/** Counts stop at this number. */
const countedTo = 1000;
const successMessages = administrationTexts.work.done;
const state = lenient(v.picklist(jobStates));
const identifier = lenient(v.pipe(v.string(), v.regex(/^[0-9a-z]{26}$/)));
const listQuery = {
  state,
  below: identifier,
  above: identifier,
  done: lenient(v.picklist(Object.keys(successMessages) as SuccessMessage[])),
};

/** Routes for background jobs and for actions on failed ones. */
export function jobRoutes({ data, access, jobChanges }: JobRouteDeps): Route[] {
  const page = '/administration/background-work';
  const action = {
    method: 'POST',
    access: access.administrator,
    reauthentication: false,
    page,
    form: { state },
  } as const;
  const back = (shown: JobState | undefined, done: SuccessMessage) =>
    redirect(withQuery(sitePaths.work, { state: shown ?? '', done }));
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'List background work',
      access: access.administrator,
      query: listQuery,
      handle: async ({ frame, query }) => html(await renderJobs(data, frame, query)),
    }),
    defineRoute({
      ...action,
      path: '/administration/background-work/:job/retry',
      summary: 'Retry a failed background job',
      handle: async ({ caller, params, form }) =>
        back(form.state, (await jobChanges.retry(caller.actor, params.job)) ? 'again' : 'gone'),
    }),
    defineRoute({
      ...action,
      path: '/administration/background-work/:job/delete',
      summary: 'Delete a failed background job',
      handle: async ({ caller, params, form }) =>
        back(form.state, (await jobChanges.remove(caller.actor, params.job)) ? 'given-up' : 'gone'),
    }),
  ];
}

async function renderJobs(data: Data, frame: PageFrame, query: Values<typeof listQuery>): Promise<string> {
  const state = query.state ?? null;
  const { above, done } = query;
  const below = above === undefined ? query.below : undefined;
  const found = await administrationQueries(data).listJobs(state, frame.now, {
    limit: jobsPerPage + 1,
    below,
    above,
  });
  const from = { forwards: above === undefined, begins: below === undefined };
  const { items: work, hasPrevious, hasNext } = cutPage(found, jobsPerPage, from);
  const counts: Record<string, number> = {};
  for (const one of jobStates) {
    counts[one] = await administrationQueries(data).countJobs(one, frame.now, countedTo + 1);
  }
  const link = (place: 'above' | 'below', one: AdministeredJob | undefined) =>
    one ? withQuery(sitePaths.work, { state: state ?? '', [place]: one.id }) : null;
  return renderJobsPage({
    frame,
    state,
    countedTo,
    work,
    counts: counts as Record<JobState, number>,
    subjects: await nameSubjects(data, work),
    paging: {
      newer: hasPrevious ? link('above', work[0]) : null,
      older: hasNext ? link('below', work.at(-1)) : null,
    },
    done: done === undefined ? null : successMessages[done],
  });
}

async function nameSubjects(data: Data, work: readonly AdministeredJob[]): Promise<Map<string, JobSubject>> {
  const ids = { builds: [] as string[], mails: [] as string[], apps: [] as string[], keys: [] as string[] };
  for (const { job } of work) {
    const subject = subjectOf(job);
    if (subject) ids[subject.of].push(subject.id);
  }
  return administrationQueries(data).nameSubjects(ids);
}
