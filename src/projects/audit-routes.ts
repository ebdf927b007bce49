import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type Person, personOrSignIn } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { invalid } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { AuditRow } from '../owners/audit.ts';
import { auditPath, wholeAuditPath } from '../owners/owner-addresses.ts';
import { auditTexts } from '../web/audit-texts.ts';
import type { PageLinks } from '../web/paging.tsx';
import { type AuditFormat, auditContentTypes, auditLines } from './audit-export.ts';
import { type AuditPageProps, renderAuditPage } from './audit-page.tsx';
import { type AuditRequest, filterOf, queryOf, readAuditRequest } from './audit-request.ts';
import { findKnownOwner, missing } from './overseen-owner-http.ts';

export interface AuditRouteParts {
  data: Data;
  frames: PageFrames;
}

interface OwnerAuditAddress {
  Params: { owner: string };
  Querystring: Record<string, unknown>;
}

/** Whose log it is. */
interface Log {
  person: Person;
  of: AuditPageProps['of'];
  address: string;
  /** Of the file, without its ending. */
  fileName: string;
}

type AnyRequest = FastifyRequest<{ Querystring: Record<string, unknown> }>;
type FindLog<Request extends AnyRequest> = (request: Request, reply: FastifyReply) => Promise<Log | null>;

const rowsOnPage = 50;

/** The log of an Owner, for those who look after it, and that of the installation, for administrators. */
export function auditRoutes(parts: AuditRouteParts): RouteModule {
  const ofOwner: FindLog<FastifyRequest<OwnerAuditAddress>> = async (request, reply) => {
    const known = await findKnownOwner(parts, request, reply, ({ standing }) => standing.oversees);
    if (!known) return null;
    const { person, owner, standing } = known;
    return { person, of: { owner, standing }, address: auditPath(owner), fileName: `audit-${owner.name}` };
  };
  const ofAll: FindLog<AnyRequest> = async (request, reply) => {
    const person = await personOrSignIn(parts.frames, request, reply);
    if (!person) return null;
    if (!person.actor.user.administrator) throw missing();
    return { person, of: null, address: wholeAuditPath, fileName: 'audit' };
  };
  const page =
    <Request extends AnyRequest>(find: FindLog<Request>) =>
    async (request: Request, reply: FastifyReply) => {
      const log = await find(request, reply);
      return log ? answerPage(parts, request, reply, log) : reply;
    };
  const file =
    <Request extends AnyRequest>(find: FindLog<Request>, format: AuditFormat) =>
    async (request: Request, reply: FastifyReply) => {
      const log = await find(request, reply);
      return log ? answerFile(parts, request, reply, log, format) : reply;
    };
  return (server) => {
    for (const address of ['/organizations/:owner/audit', '/users/:owner/audit']) {
      server.get<OwnerAuditAddress>(address, page(ofOwner));
      server.get<OwnerAuditAddress>(`${address}.csv`, file(ofOwner, 'csv'));
      server.get<OwnerAuditAddress>(`${address}.jsonl`, file(ofOwner, 'jsonl'));
    }
    server.get<{ Querystring: Record<string, unknown> }>(wholeAuditPath, page(ofAll));
    server.get<{ Querystring: Record<string, unknown> }>(`${wholeAuditPath}.csv`, file(ofAll, 'csv'));
    server.get<{ Querystring: Record<string, unknown> }>(`${wholeAuditPath}.jsonl`, file(ofAll, 'jsonl'));
  };
}

async function askedFilter({ data }: AuditRouteParts, { of }: Log, { asked }: AuditRequest) {
  const actorName = asked.actor === '' ? null : await data.audit.findActorName(asked.actor);
  return filterOf(of?.owner.id ?? null, asked, actorName);
}

async function answerPage(parts: AuditRouteParts, request: AnyRequest, reply: FastifyReply, log: Log) {
  const wanted = readAuditRequest(request.query);
  const { below, above } = wanted;
  const filter = await askedFilter(parts, log, wanted);
  const found = await parts.data.audit.page(filter, { most: rowsOnPage + 1, below, above });
  const rows = above === undefined ? found.slice(0, rowsOnPage) : found.slice(-rowsOnPage);
  const html = renderAuditPage({
    frame: parts.frames.of(request, log.person),
    of: log.of,
    address: log.address,
    asked: wanted.asked,
    badDays: wanted.badDays,
    rows,
    paging: pageLinks(log, wanted, rows, found.length > rowsOnPage),
  });
  return parts.frames.send(reply, html);
}

/** Coming from below there is a way back up; what comes from above knows that there is more below. */
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

async function answerFile(
  parts: AuditRouteParts,
  request: AnyRequest,
  reply: FastifyReply,
  log: Log,
  format: AuditFormat,
) {
  const wanted = readAuditRequest(request.query);
  // A file of everything is not what was asked for with a day that is none.
  if (wanted.badDays.length > 0) throw invalid(auditTexts.badDay);
  const filter = await askedFilter(parts, log, wanted);
  return reply
    .type(auditContentTypes[format])
    .header('Content-Disposition', `attachment; filename="${log.fileName}.${format}"`)
    .header('Cache-Control', 'private, no-store')
    .send(Readable.from(auditLines(parts.data, filter, format)));
}
