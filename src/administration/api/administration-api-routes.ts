/**
 * Administration in `/api/v1`. Changes to passwords, factors, sessions and administrator rights need a person's proof of
 * identity, so only the console makes them.
 */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { NotFound } from '../../core/errors.ts';
import {
  formatNullableTime,
  formatTime,
  integerShape,
  textShape,
  timeShape,
} from '../../core/json-shapes.ts';
import type { Data } from '../../db/data.ts';
import { listAnswer, listPage, listQuery } from '../../http/api/pagination.ts';
import { readSearch } from '../../http/list-request.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { type MailState, mailStates } from '../../mail/mail.ts';
import { mailQueries } from '../../mail/mail-queries.ts';
import { maxLoginLength, nameKey } from '../../owners/owner.ts';
import { jobStates } from '../administration-jobs.ts';
import type { JobChanges } from '../administration-jobs-changes.ts';
import type { PeopleChanges } from '../administration-people.ts';
import { type Person, peopleFilters } from '../administration-person.ts';
import { administrationQueries } from '../administration-queries.ts';

export interface AdministrationApiRouteDeps {
  data: Data;
  access: RouteAccess;
  peopleChanges: PeopleChanges;
  jobChanges: JobChanges;
  now: () => number;
}

const accountShape = v.pipe(
  v.object({
    name: v.string(),
    email: v.nullable(v.string()),
    administrator: v.boolean(),
    disabled: v.boolean(),
    second_factor: v.pipe(v.boolean(), v.description('Whether an authenticator app or a passkey is set up.')),
    created_at: timeShape(),
    last_seen_at: v.nullable(timeShape('Last sign-in or use of an API key.')),
  }),
  v.title('Account'),
);
const accountJson = (person: Person): v.InferOutput<typeof accountShape> => ({
  name: person.user.name,
  email: person.user.email,
  administrator: person.user.administrator,
  disabled: person.disabledAt !== null,
  second_factor: person.hasTotp || person.passkeys > 0,
  created_at: formatTime(person.madeAt),
  last_seen_at: formatNullableTime(person.lastSeenAt),
});

const jobShape = v.pipe(
  v.object({
    id: v.string(),
    kind: v.string(),
    state: v.pipe(
      v.picklist(jobStates),
      v.description(
        '`dead`: no longer retried. `failing`: will be retried. `planned`: not due yet. `running`: leased by a node.',
      ),
    ),
    attempts: integerShape('How often it was started.'),
    last_error: v.nullable(textShape('Without anything that looks like a secret.')),
    created_at: timeShape(),
    due_at: timeShape('The next attempt.'),
  }),
  v.title('Job'),
);
const mailShape = v.pipe(
  v.object({
    id: v.string(),
    user: v.string(),
    app: textShape('Display name.'),
    state: v.picklist(mailStates),
    attempts: v.number(),
    last_error: v.nullable(v.string()),
    created_at: timeShape(),
  }),
  v.title('Mail'),
);

const tag = 'Administration';

export function administrationApiRoutes(deps: AdministrationApiRouteDeps): Route[] {
  const { data, peopleChanges, jobChanges, now } = deps;
  const shared = {
    tag,
    access: deps.access.byUserKey(deps.access.administrator),
    keyScope: 'admin',
  } as const;
  const find = async (name: string): Promise<Person> => {
    const person = await administrationQueries(data).findPerson(name);
    if (!person) throw new NotFound();
    return person;
  };
  const account = '/api/v1/admin/people/:person';
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/v1/admin/people',
      operationId: 'listAccounts',
      summary: 'List accounts',
      description: 'By name.',
      query: {
        ...listQuery(v.tuple([v.string()])),
        q: v.optional(
          v.pipe(v.string(), v.maxLength(maxLoginLength), v.description('Words of the name or address.')),
        ),
        only: v.optional(v.picklist(peopleFilters)),
      },
      answer: listAnswer(accountShape),
      handle: async ({ query: { limit, cursor, q, only = null }, client }) => {
        const found = await administrationQueries(data).listPeople(
          { only, words: readSearch(q).words },
          { limit: limit + 1, after: cursor?.[0] },
        );
        return listPage(found, {
          limit,
          client,
          positionOf: ({ user }) => [nameKey(user.name)],
          show: accountJson,
        });
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: account,
      operationId: 'getAccount',
      summary: 'Show an account',
      answer: accountShape,
      handle: async ({ params }) => json(accountJson(await find(params.person))),
    }),
    defineRoute({
      ...shared,
      method: 'PATCH',
      path: account,
      operationId: 'updateAccount',
      summary: 'Disable or enable an account',
      description: 'Disabling ends all sessions, and keys stop working. Uploads stay.',
      json: { disabled: v.optional(v.boolean()) },
      answer: accountShape,
      handle: async ({ caller, params, json: { disabled } }) => {
        const { user } = await find(params.person);
        if (disabled === true) await peopleChanges.disable(caller.actor, user);
        if (disabled === false) await peopleChanges.enable(caller.actor, user);
        return json(accountJson(await find(params.person)));
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/v1/admin/jobs',
      operationId: 'listJobs',
      summary: 'List background jobs',
      description: 'The newest comes first. Jobs that ended are not kept.',
      query: { ...listQuery(v.tuple([v.string()])), state: v.optional(v.picklist(jobStates)) },
      answer: listAnswer(jobShape),
      handle: async ({ query: { limit, cursor, state = null }, client }) => {
        const found = await administrationQueries(data).listJobs(state, now(), {
          limit: limit + 1,
          below: cursor?.[0],
        });
        return listPage(found, {
          limit,
          client,
          positionOf: ({ id }) => [id],
          show: (one) => ({
            id: one.id,
            kind: one.job.kind,
            state: one.state,
            attempts: one.attempts,
            last_error: one.lastError,
            created_at: formatTime(one.madeAt),
            due_at: formatTime(one.dueAt),
          }),
        });
      },
    }),
    ...(['retry', 'delete'] as const).map((action) =>
      defineRoute({
        ...shared,
        method: 'POST',
        path: `/api/v1/admin/jobs/:job/${action}`,
        operationId: `${action}Job`,
        summary: action === 'retry' ? 'Retry a failed background job' : 'Delete a failed background job',
        ...(action === 'delete'
          ? { description: 'Fails for jobs that must be completed, such as removing files.' }
          : {}),
        json: {},
        handle: async ({ caller, params }) => {
          const change = action === 'retry' ? jobChanges.retry : jobChanges.remove;
          if (!(await change(caller.actor, params.job))) throw new NotFound();
          return empty(204);
        },
      }),
    ),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/v1/admin/mail',
      operationId: 'listMail',
      summary: 'List emails about builds, and what became of them',
      description: 'The newest comes first.',
      query: { ...listQuery(v.tuple([v.string()])), state: v.optional(v.picklist(mailStates)) },
      answer: listAnswer(mailShape),
      handle: async ({ query: { limit, cursor, state = null }, client }) => {
        const found = await mailQueries(data).listMails({
          state: state as MailState | null,
          limit: limit + 1,
          below: cursor?.[0],
        });
        return listPage(found, {
          limit,
          client,
          positionOf: ({ mail }) => [mail.id],
          show: ({ mail, userName, about }) => ({
            id: mail.id,
            user: userName,
            app: about?.app ?? '',
            state: mail.state,
            attempts: mail.attempts,
            last_error: mail.lastError,
            created_at: formatTime(mail.createdAt),
          }),
        });
      },
    }),
  ];
}
