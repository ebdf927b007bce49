/** Exports of personal data: files for the person or an administrator, and operations of `/api/v1`. */
import { Readable } from 'node:stream';
import * as v from 'valibot';
import type { KeyCaller, UserCaller } from '../accounts/authorization/key-access-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { content, json } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import type { Access } from '../http/routes/route-facts.ts';
import type { Actor } from '../owners/actor.ts';
import type { User } from '../owners/owner.ts';
import { nameKey } from '../owners/owner.ts';
import { exportPerson, personDocument } from './person-export.ts';
import { type PersonalValues, personalDataQueries } from './personal-data-queries.ts';

const answer = v.pipe(
  v.record(v.string(), v.array(v.record(v.string(), v.unknown()))),
  v.description('Rows by table, without secrets. Times are in UTC.'),
  v.title('PersonalData'),
);

/** Limits exports, because they read tables without an index. */
const rateLimit = {
  name: 'personal data',
  limit: 10,
  windowMs: 60 * 60_000,
  per: 'caller',
  refusal: 'personalData',
} as const;

export function privacyRoutes({
  data,
  access,
  now,
}: {
  data: Data;
  access: RouteAccess;
  now: () => number;
}): Route[] {
  const find = async (name: string): Promise<PersonalValues> => {
    const person = await personalDataQueries(data).findPerson(nameKey(name));
    if (!person) throw new NotFound();
    return person;
  };
  const by = ({ actor }: { actor: Actor }) => ({ actor, at: now() });
  const file = (person: PersonalValues, caller: { actor: Actor }) =>
    content('application/json; charset=utf-8', Readable.from(personDocument(data, person, by(caller))), {
      headers: {
        'Content-Disposition': `attachment; filename="${person.name}.json"`,
        'Cache-Control': 'private, no-store',
      },
    });
  const byOwnKey = access.byUserKey(access.signedIn) as Access<unknown, KeyCaller & UserCaller, User>;
  return [
    defineRoute({
      method: 'GET',
      rateLimit,
      path: '/settings/data.json',
      summary: 'Download everything that names you',
      access: access.signedIn,
      handle: async ({ subject: user, caller }) => file(user, caller),
    }),
    defineRoute({
      method: 'GET',
      rateLimit,
      path: '/administration/people/:person/data.json',
      summary: 'Download everything that names a person',
      access: access.administrator,
      handle: async ({ params, caller }) => file(await find(params.person), caller),
    }),
    defineRoute({
      method: 'GET',
      rateLimit,
      path: '/api/v1/me/data',
      operationId: 'exportMe',
      summary: 'Export everything that names you',
      tag: 'Privacy',
      access: byOwnKey,
      keyScope: 'manage',
      answer,
      handle: async ({ subject: user, caller }) => json(await exportPerson(data, user, by(caller))),
    }),
    defineRoute({
      method: 'GET',
      rateLimit,
      path: '/api/v1/admin/people/:person/data',
      operationId: 'exportAccount',
      summary: 'Export everything that names a person',
      tag: 'Privacy',
      access: access.byUserKey(access.administrator),
      keyScope: 'admin',
      answer,
      handle: async ({ params, caller }) =>
        json(await exportPerson(data, await find(params.person), by(caller))),
    }),
  ];
}
