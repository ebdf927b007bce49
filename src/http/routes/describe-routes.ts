/** Generates the OpenAPI document and the table of addresses from the declarations. */
import { STATUS_CODES } from 'node:http';
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { errorSchema } from '../error-schema.ts';
import { type RouteFacts, scopesOf } from './route.ts';

const refusals = [400, 401, 403, 404, 429, 503];
const refusalsOfBodies = [408, 409, 411, 413, 507];

/** Returns the paths of an OpenAPI 3.1 document: every route that has a tag. */
export function openApiPaths(routes: readonly RouteFacts[]): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    if (route.tag === undefined) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return paths;
}

function operationOf(route: RouteFacts): object {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const parameters = [
    ...names.map((name) => ({ name, in: 'path', required: true, schema: jsonOf(route.params?.[name]) })),
    ...Object.entries(route.headers ?? {}).map(([name, schema]) => ({
      name,
      in: 'header',
      schema: jsonOf(schema),
    })),
    ...Object.entries(route.query ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      schema: jsonOf(schema),
    })),
  ];
  const body = route.streamedBody?.describes ?? (route.form && jsonOf(v.object(route.form)));
  const mediaType = route.streamedBody ? 'multipart/form-data' : 'application/x-www-form-urlencoded';
  return {
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    parameters,
    ...(body && { requestBody: { required: true, content: { [mediaType]: { schema: body } } } }),
    security: route.access.roles.includes('public') ? [] : [{ apiKey: [] }],
    responses: {
      ...(route.answer && { 200: answerOf('Success.', jsonOf(route.answer)) }),
      ...Object.fromEntries(
        [...refusals, ...(route.streamedBody ? refusalsOfBodies : [])].map((status) => [
          status,
          answerOf(STATUS_CODES[status] ?? '', route.refusals?.[status] ?? errorSchema),
        ]),
      ),
    },
  };
}

const answerOf = (description: string, schema: object) => ({
  description,
  content: { 'application/json': { schema } },
});

function jsonOf(schema: unknown): object {
  if (!schema) return { type: 'string' };
  const { $schema: _, ...json } = toJsonSchema(schema as v.GenericSchema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    errorMode: 'ignore',
  });
  return json;
}

/** Sections of docs/addresses.md by path; the first matching section applies. */
const sections: readonly (readonly [title: string, path: RegExp])[] = [
  ['API', /^\/api\//],
  ['Accounts', /^\/(sign-|welcome|forgot-|reset-|invitation|settings|unsubscribe)/],
  ['Administration', /^\/administration/],
  ['Distribution pages', /^\/distributions/],
  ['Apps and builds', /\/apps\/|^\/builds/],
  ['Users, Projects and Workspaces', /^\/(users|organizations|enterprises|projects|workspaces|upload)/],
  ['Site', /^\//],
];

/** Returns the sections of docs/addresses.md: every address, who may call it, and what the route layer enforces. */
export function describeAddresses(routes: readonly RouteFacts[]): string {
  const sectionOf = ({ path }: RouteFacts) => sections.find(([, pattern]) => pattern.test(path))?.[0];
  const sorted = [...routes].sort((one, other) =>
    one.path < other.path ? -1 : one.path > other.path ? 1 : 0,
  );
  return sections
    .map(([title]) => {
      const rows = sorted.filter((route) => sectionOf(route) === title).map(rowOf);
      return [`## ${title}`, '', '| Address | Purpose | Who | Rules |', '|---|---|---|---|', ...rows].join(
        '\n',
      );
    })
    .join('\n\n');
}

function rowOf(route: RouteFacts): string {
  const cells = [
    `\`${route.method} ${route.path}\``,
    route.summary,
    describeCallers(route),
    rulesOf(route).join('; '),
  ];
  return `| ${cells.join(' | ')} |`;
}

function describeCallers({ access }: RouteFacts): string {
  const { roles, credentials, others } = access;
  if (roles.includes('public')) return 'everyone';
  const by = credentials.length > 0 ? `, by ${credentials.join(' or ')}` : '';
  const refusal = { missing: 404, forbidden: 403, invalid: 400 }[others];
  return `${roles.join(' or ')}${by}; others ${refusal}`;
}

function rulesOf(route: RouteFacts): string[] {
  const { rateLimit: limit, query } = route;
  return [
    route.reauthentication ? 're-authentication' : '',
    route.keyScope
      ? `key scope ${scopesOf(route)
          .map((scope) => `\`${scope}\``)
          .join(' or ')}`
      : '',
    limit ? `${limit.limit} per ${formatDuration(limit.windowMs)} and ${limit.per}` : '',
    route.csrfExempt ? `no form token: ${route.csrfExempt}` : '',
    route.rateLimitExempt ? 'not rate limited' : '',
    query
      ? `query ${Object.keys(query)
          .map((name) => `\`${name}\``)
          .join(', ')}`
      : '',
  ].filter((rule) => rule !== '');
}

function formatDuration(ms: number): string {
  const named: Readonly<Record<number, string>> = { 3600000: 'hour', 86400000: 'day' };
  return named[ms] ?? `${ms / 60_000} minutes`;
}
