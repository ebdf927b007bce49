/** Audit logs in `/api/v1`. */
import * as v from 'valibot';
import type { KeyCaller, UserCaller } from '../../accounts/authorization/key-access-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { formatTime, textShape, timeShape } from '../../core/json-shapes.ts';
import type { Data } from '../../db/data.ts';
import { listAnswer, listPage, listQuery } from '../../http/api/pagination.ts';
import type { Client } from '../../http/routes/client.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import type { AuditRow } from '../../owners/audit.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { OwnerAccess } from '../owner-access-http.ts';

export interface AuditApiRouteDeps {
  data: Data;
  access: RouteAccess;
  ownerAccess: OwnerAccess;
}

const auditRowShape = v.pipe(
  v.object({
    id: v.string(),
    at: timeShape(),
    actor: textShape('Name of the user or Project, or `command-line`, `system` and the like.'),
    action: textShape('For example `build.uploaded`.'),
    subject: v.string(),
    details: v.record(v.string(), v.unknown()),
  }),
  v.title('AuditRow'),
);

const auditRowJson = (row: AuditRow): v.InferOutput<typeof auditRowShape> => ({
  id: row.id,
  at: formatTime(row.at),
  actor: row.actorName,
  action: row.action,
  subject: row.subject,
  details: row.details,
});

const maxFilterLength = 100;
const filter = v.optional(v.pipe(v.string(), v.maxLength(maxFilterLength)));
const time = (description: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.isoTimestamp('must be a time such as 2026-11-21T09:40:00Z'),
      v.transform((text) => Date.parse(text)),
      v.description(description),
    ),
  );
const query = {
  ...listQuery(v.tuple([v.string()])),
  action: filter,
  actor: filter,
  from: time('Inclusive.'),
  until: time('Exclusive.'),
};

export function auditApiRoutes({ data, access, ownerAccess }: AuditApiRouteDeps): Route[] {
  const logOf = async (
    ownerId: string | null,
    asked: v.InferOutput<v.ObjectSchema<typeof query, undefined>>,
    client: Client,
  ) => {
    const { limit, cursor, action, actor, from, until } = asked;
    const actorName = actor && ((await auditQueries(data).findActorName(actor)) ?? actor);
    const rows = await auditQueries(data).page(
      { ownerId, action, actorName, from, until },
      { limit: limit + 1, below: cursor?.[0] },
    );
    return listPage(rows, { limit, client, positionOf: ({ id }) => [id], show: auditRowJson });
  };
  const administrator = access.byUserKey(access.administrator) as Access<
    unknown,
    KeyCaller & UserCaller,
    unknown
  >;
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/owners/:owner/audit-log',
      operationId: 'listAuditLog',
      summary: 'List the audit log of an owner',
      description: 'The newest row comes first.',
      tag: 'Audit log',
      access: access.byUserKey(ownerAccess.ownerOrAdministrator('user', 'project')),
      keyScope: 'manage',
      query,
      answer: listAnswer(auditRowShape),
      handle: ({ subject: { owner }, query: asked, client }) => logOf(owner.id, asked, client),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/administration/audit-log',
      operationId: 'listFullAuditLog',
      summary: 'List the audit log of the installation',
      description: 'The newest row comes first.',
      tag: 'Audit log',
      access: administrator,
      keyScope: 'admin',
      query,
      answer: listAnswer(auditRowShape),
      handle: ({ query: asked, client }) => logOf(null, asked, client),
    }),
  ];
}
