import { Readable } from 'node:stream';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { invitationQueries } from '../../accounts/invitations/invitation-queries.ts';
import { invalid } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { content, html } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import type { AuditRow } from '../../owners/audit.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { auditPath, fullAuditPath } from '../../owners/owner-paths.ts';
import type { PageLinks } from '../../web/components/paging.tsx';
import type { OwnerAccess } from '../owner-access-http.ts';
import { type AuditFormat, auditContentTypes, auditLines } from './audit-export.ts';
import { type AuditPageProps, renderAuditPage } from './audit-page.tsx';
import {
  type AuditQuery,
  type AuditRequest,
  auditRowId,
  auditText,
  filterOf,
  queryOf,
  readAuditRequest,
} from './audit-request.ts';
import { auditTexts } from './audit-texts.ts';

export interface AuditRouteDeps {
  data: Data;
  access: RouteAccess;
  ownerAccess: OwnerAccess;
}

/** The log of an Owner, or of the whole installation. */
interface Log {
  of: AuditPageProps['of'];
  address: string;
  /** Without the extension. */
  fileName: string;
}

type LogContext = RouteContext<Person, Log> & { query: AuditQuery };

const rowsPerPage = 50;

const query = {
  action: lenient(auditText),
  actor: lenient(auditText),
  from: lenient(auditText),
  to: lenient(auditText),
  below: lenient(auditRowId),
  above: lenient(auditRowId),
};

/** The logs of Owners, for people who administer them, and of the installation, for administrators. */
export function auditRoutes({ data, access, ownerAccess }: AuditRouteDeps): Route[] {
  const ofOwner = (kind: 'project' | 'user'): Access<{ owner: string }, Person, Log> => {
    const ownerOrAdministrator = ownerAccess.ownerOrAdministrator(kind);
    return {
      ...ownerOrAdministrator,
      authorize: async (...context) => {
        const known = await ownerOrAdministrator.authorize(...context);
        return { of: known, address: auditPath(known.owner), fileName: `audit-${known.owner.name}` };
      },
    };
  };
  const ofAll: Access<unknown, Person, Log> = {
    ...access.administrator,
    authorize: async (...context) => {
      await access.administrator.authorize(...context);
      return { of: null, address: fullAuditPath, fileName: 'audit' };
    },
  };
  const logs = [
    { path: '/organizations/:owner/audit', access: ofOwner('project'), whose: 'a Project' },
    { path: '/users/:owner/audit', access: ofOwner('user'), whose: 'an account' },
    { path: fullAuditPath, access: ofAll, whose: 'the installation' },
  ] as const;
  return logs.flatMap(({ path, access, whose }) => {
    const common = { method: 'GET', access, query } as const;
    return [
      defineRoute({
        ...common,
        path,
        summary: `Show the audit log of ${whose}`,
        handle: async (context) => html(await renderLog(data, context)),
      }),
      defineRoute({
        ...common,
        path: `${path}.csv`,
        summary: `Export the audit log of ${whose} as CSV`,
        handle: (context) => exportLog(data, context, 'csv'),
      }),
      defineRoute({
        ...common,
        path: `${path}.jsonl`,
        summary: `Export the audit log of ${whose} as JSON lines`,
        handle: (context) => exportLog(data, context, 'jsonl'),
      }),
    ];
  });
}

async function askedFilter(data: Data, { of }: Log, { asked }: AuditRequest) {
  const actorName = asked.actor === '' ? null : await auditQueries(data).findActorName(asked.actor);
  return filterOf(of?.owner.id ?? null, asked, actorName);
}

async function renderLog(data: Data, { subject: log, frame, query }: LogContext): Promise<string> {
  const wanted = readAuditRequest(query);
  const { asked, invalidDays, below, above } = wanted;
  const filter = await askedFilter(data, log, wanted);
  const found = await auditQueries(data).page(filter, { limit: rowsPerPage + 1, below, above });
  const rows = above === undefined ? found.slice(0, rowsPerPage) : found.slice(-rowsPerPage);
  const paging = pageLinks(log, wanted, rows, found.length > rowsPerPage);
  const invitations = rows.flatMap(({ details: { invitation } }) =>
    typeof invitation === 'string' ? [invitation] : [],
  );
  const addresses = await invitationQueries(data).addressesOf(invitations);
  const { of, address } = log;
  return renderAuditPage({ frame, of, address, asked, invalidDays, rows, addresses, paging });
}

/** Links to newer and older pages, if they exist. */
function pageLinks(log: Log, wanted: AuditRequest, rows: readonly AuditRow[], more: boolean): PageLinks {
  const { asked, below, above } = wanted;
  const link = (name: string, row: AuditRow | undefined) =>
    row ? `${log.address}${queryOf(asked, { [name]: row.id })}` : null;
  const hasNewer = above === undefined ? below !== undefined : more;
  const hasOlder = above === undefined ? more : true;
  return {
    newer: hasNewer ? link('above', rows[0]) : null,
    older: hasOlder ? link('below', rows.at(-1)) : null,
  };
}

async function exportLog(data: Data, { subject: log, query }: LogContext, format: AuditFormat) {
  const wanted = readAuditRequest(query);
  // A mistyped day must not export the whole log.
  if (wanted.invalidDays.length > 0) throw invalid(auditTexts.badDay);
  const filter = await askedFilter(data, log, wanted);
  return content(auditContentTypes[format], Readable.from(auditLines(data, filter, format)), {
    headers: {
      'Content-Disposition': `attachment; filename="${log.fileName}.${format}"`,
      'Cache-Control': 'private, no-store',
    },
  });
}
