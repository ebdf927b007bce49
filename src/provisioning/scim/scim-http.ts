/** What the routes of SCIM have in common: bodies, errors, queries, versions. */
import * as v from 'valibot';
import { checkStorable, parseJson, requireJson } from '../../http/api/input.ts';
import { errorRenderingOf } from '../../http/error-body.ts';
import { readShortBody } from '../../http/request-body.ts';
import { type Answer, content, empty } from '../../http/routes/answer.ts';
import type { StreamedBody } from '../../http/routes/client.ts';
import { decodeBody } from '../../http/routes/decode-text.ts';
import type { RouteContext } from '../../http/routes/route.ts';
import type { RouteFacts } from '../../http/routes/route-facts.ts';
import type { Expected } from '../change-directory.ts';
import type { DirectoryAccess } from '../directory-access-http.ts';
import {
  type Directory,
  defaultResults,
  invalidValue,
  type ListRequest,
  ScimError,
  scimLimits,
} from './scim.ts';
import { type JsonObject, requireObject } from './scim-attributes.ts';
import { parseFilter, plainPath } from './scim-filter.ts';
import { errorJson, versionTag } from './scim-json.ts';

const mediaType = 'application/scim+json';
export const root = '/scim/v2/:workspace';

export const scim = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}) =>
  content(`${mediaType}; charset=utf-8`, JSON.stringify(value), {
    status,
    headers: { 'Cache-Control': 'private, no-cache', ...headers },
  });

/** Every error has the format of SCIM. */
export const renderRefusal: RouteFacts['renderRefusal'] = (error, message) => {
  const { status } = error ? errorRenderingOf(error.kind) : { status: 500 };
  const scimType =
    error instanceof ScimError ? error.scimType : error?.kind === 'invalid' ? 'invalidSyntax' : undefined;
  return { type: `${mediaType}; charset=utf-8`, text: JSON.stringify(errorJson(status, message, scimType)) };
};

/** Not lenient: without its filter, a list would have other resources than asked for. */
const text = () =>
  v.optional(
    v.pipe(
      v.string(),
      v.check((given) => !given.includes('\0') && given.isWellFormed(), 'invalid text'),
    ),
    '',
  );
export const selectionQuery = { attributes: text(), excludedAttributes: text() };
export const filterQuery = { filter: text() };
export const listQuery = {
  ...selectionQuery,
  filter: text(),
  sortBy: text(),
  sortOrder: text(),
  startIndex: text(),
  count: text(),
};

export type Context = Pick<RouteContext<unknown, Directory>, 'subject' | 'client'>;
export const baseOf = ({ subject, client }: Context) =>
  `${client.origin}/scim/v2/${encodeURIComponent(subject.workspace.name)}`;

export type Shared = { access: DirectoryAccess; renderRefusal: RouteFacts['renderRefusal'] };

export const change = {
  csrfExempt: 'authenticated by a SCIM token, which browsers never send',
  streamedBody: { describes: { type: 'object' }, mediaType },
} as const;

export async function readBody({ message, accept }: StreamedBody): Promise<JsonObject> {
  requireJson(message.headers['content-type']);
  accept();
  const value = parseJson(decodeBody(await readShortBody(message, scimLimits.bodyBytes)));
  checkStorable(value);
  return requireObject(value, 'the body');
}

export function readListRequest(query: {
  filter: string;
  sortBy: string;
  sortOrder: string;
  startIndex: string;
  count: string;
}): ListRequest {
  const number = (name: 'startIndex' | 'count', otherwise: number) => {
    if (query[name] === '') return otherwise;
    if (!/^[+-]?\d{1,15}$/.test(query[name])) throw invalidValue(`${name} must be a whole number`);
    return Number(query[name]);
  };
  const order = query.sortOrder.toLowerCase();
  if (!['', 'ascending', 'descending'].includes(order))
    throw invalidValue('sortOrder must be ascending or descending');
  return {
    filter: query.filter === '' ? null : parseFilter(query.filter),
    sortBy: query.sortBy === '' ? null : plainPath(query.sortBy),
    descending: order === 'descending',
    // RFC 7644, section 3.4.2.4: a smaller value means 1, a negative count 0.
    startIndex: Math.max(1, number('startIndex', 1)),
    count: Math.min(scimLimits.results, Math.max(0, number('count', defaultResults))),
  };
}

/** Versions are weak tags, which some clients send as strong ones. */
function versionsIn(header: string): readonly number[] | '*' {
  if (header.trim() === '*') return '*';
  return header.split(',').flatMap((tag) => {
    const [, version] = /^(?:W\/)?"(\d{1,15})"$/.exec(tag.trim()) ?? [];
    return version === undefined ? [] : [Number(version)];
  });
}

export const matchHeaders = { 'if-match': v.optional(v.string()) };
export const expectedIn = (headers: { 'if-match'?: string | undefined }): Expected =>
  headers['if-match'] === undefined ? null : versionsIn(headers['if-match']);
export const knownHeaders = { 'if-none-match': v.optional(v.string()) };

/** 304 for a client that has this version. */
export function representation(
  resource: { version: number },
  headers: { 'if-none-match'?: string | undefined },
  show: () => Record<string, unknown>,
): Answer {
  const etag = { ETag: versionTag(resource.version) };
  const known = headers['if-none-match'] === undefined ? [] : versionsIn(headers['if-none-match']);
  if (known === '*' || known.includes(resource.version)) return empty(304, { headers: etag });
  return scim(show(), 200, etag);
}
