/** Generates the OpenAPI 3.1 document from the declarations. */
import { STATUS_CODES } from 'node:http';
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { errorSchema } from '../error-body.ts';
import { scopesOf } from '../routes/route-checks.ts';
import type { RouteFacts } from '../routes/route-facts.ts';
import { exampleOf } from './examples.ts';
import { problemSchema } from './problem.ts';

type JsonSchema = { [name: string]: unknown };

export interface OpenApiParts {
  paths: Record<string, Record<string, object>>;
  /** Schemas with a title, by title. */
  schemas: Record<string, JsonSchema>;
}

/** Describes every route that has a tag. */
export function openApiParts(routes: readonly RouteFacts[]): OpenApiParts {
  const schemas: Record<string, JsonSchema> = {};
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    if (route.tag === undefined) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, schemas) };
  }
  return { paths, schemas };
}

function operationOf(route: RouteFacts, schemas: OpenApiParts['schemas']): object {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const parameters = [
    ...names.map((name) => {
      const schema = textJsonOf(route.params?.[name]);
      return { name, in: 'path', required: true, schema, example: exampleOf(schema, {}, name) };
    }),
    ...parametersOf(route.headers, 'header'),
    ...parametersOf(route.query, 'query'),
    ...(route.operationId === undefined ? [] : standardHeaders(route)),
  ];
  const scopes = scopesOf(route);
  const description = [
    route.description,
    route.operationId !== undefined && scopes.length > 0 ? `Scope of the key: ${scopes.join(' or ')}.` : '',
    route.access.usersOnly ? 'Only for the keys of users.' : '',
  ].filter(Boolean);
  return {
    operationId: route.operationId ?? camelCase(route.summary),
    summary: route.summary,
    ...(description.length === 0 ? {} : { description: description.join(' ') }),
    tags: [route.tag],
    parameters,
    ...requestBodyOf(route, schemas),
    security: hasNoKey(route) ? [] : [{ apiKey: [] }],
    responses: { ...successOf(route, schemas), ...refusalsOf(route, schemas) },
  };
}

/** Routes of the interface of existing uploaders do not declare an operation id. */
const camelCase = (summary: string) =>
  summary
    .split(' ')
    .map((word, at) => (at === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');

const hasNoKey = ({ access }: RouteFacts) =>
  !access.credentials.some((one) => one !== 'link' && one !== 'session');

const parametersOf = (fields: v.ObjectEntries | undefined, place: 'header' | 'query') =>
  Object.entries(fields ?? {}).map(([name, schema]) => {
    const { description, ...json } = textJsonOf(schema);
    return {
      name,
      in: place,
      required: schema.type !== 'optional',
      ...(description === undefined ? {} : { description }),
      schema: json,
    };
  });

/** Returns the schema of a text in an address or header: an integer if the declaration parses it as a number. */
function textJsonOf(schema: v.ObjectEntries[string] | undefined): JsonSchema {
  const json = jsonOf(schema);
  const inner = schema?.type === 'optional' && 'wrapped' in schema ? schema.wrapped : schema;
  const actions = ((inner as { pipe?: PipeAction[] } | undefined)?.pipe ?? []) as PipeAction[];
  if (!actions.some(({ operation }) => operation === Number)) return json;
  const limitOf = (type: string) => actions.find((action) => action.type === type)?.requirement;
  const { pattern: _, enum: choices, default: preset, ...rest } = json;
  return {
    ...rest,
    type: 'integer',
    ...(Array.isArray(choices) ? { enum: choices.map(Number) } : { minimum: limitOf('min_value') ?? 0 }),
    ...(limitOf('max_value') === undefined ? {} : { maximum: limitOf('max_value') }),
    ...(preset === undefined ? {} : { default: Number(preset) }),
  };
}

interface PipeAction {
  type: string;
  operation?: unknown;
  requirement?: unknown;
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

function standardHeaders({ method, streamedBody }: RouteFacts) {
  if (method === 'GET')
    return [header('If-None-Match', 'An ETag: answers 304 if the resource still has it.')];
  if (method === 'OPTIONS') return [];
  if (method !== 'POST') return [header('If-Match', 'An ETag: answers 412 if the resource has another one.')];
  if (streamedBody) return [];
  return [header('Idempotency-Key', 'A repetition within 24 hours gets the first answer.')];
}

function requestBodyOf(route: RouteFacts, schemas: OpenApiParts['schemas']): object {
  const hasNoField = Object.keys(route.json ?? {}).length === 0;
  if (route.json) {
    if (hasNoField) return {};
    const isRequired = Object.values(route.json).some(({ type }) => type !== 'optional');
    const schema = jsonOf(v.strictObject(route.json));
    const content = { 'application/json': { schema, example: exampleOf(schema, schemas) } };
    return { requestBody: { required: isRequired, content } };
  }
  const body = route.streamedBody?.describes ?? (route.form && jsonOf(v.object(route.form)));
  const mediaType = route.streamedBody
    ? (route.streamedBody.mediaType ?? 'multipart/form-data')
    : 'application/x-www-form-urlencoded';
  return body ? { requestBody: { required: true, content: { [mediaType]: { schema: body } } } } : {};
}

function successOf(route: RouteFacts, schemas: OpenApiParts['schemas']): object {
  const isOperation = route.operationId !== undefined;
  const unchanged =
    isOperation && route.method === 'GET' ? { 304: { description: 'The resource is unchanged.' } } : {};
  if (!route.answer) return isOperation ? { 204: { description: 'Done.' }, ...unchanged } : {};
  const schema = isOperation ? named(jsonOf(route.answer, 'output'), schemas) : jsonOf(route.answer);
  const example = isOperation ? { example: exampleOf(schema, schemas) } : {};
  const answer = { description: 'Success.', content: { 'application/json': { schema, ...example } } };
  return { [route.status ?? 200]: answer, ...unchanged };
}

const refusals = [400, 401, 403, 404, 429, 503];
const refusalsOfBodies = [408, 409, 411, 413, 507];

/** Returns every status of a refusal of the operation. */
export function refusalStatusesOf(route: RouteFacts): number[] {
  if (route.operationId === undefined || route.streamedBody)
    return [...refusals, ...(route.streamedBody ? refusalsOfBodies : [])];
  return [
    ...refusals.filter((status) => !hasNoKey(route) || (status !== 401 && status !== 403)),
    500,
    ...(route.method === 'GET' ? [] : [409, 507]),
    ...(route.json ? [408, 411, 413, 415] : []),
    ...(['GET', 'POST', 'OPTIONS'].includes(route.method) ? [] : [412]),
  ].sort((one, other) => one - other);
}

function refusalsOf(route: RouteFacts, schemas: OpenApiParts['schemas']): object {
  const isOperation = route.operationId !== undefined;
  const [mediaType, usual] = isOperation
    ? ['application/problem+json', named(problemSchema, schemas)]
    : ['application/json', errorSchema];
  return Object.fromEntries(
    refusalStatusesOf(route).map((status) => [
      status,
      {
        description: `${STATUS_CODES[status]}.`,
        content: { [mediaType]: { schema: route.refusals?.[status] ?? usual } },
      },
    ]),
  );
}

/** Moves every schema with a title into `schemas` and replaces it with a reference. */
function named(schema: JsonSchema, schemas: OpenApiParts['schemas']): JsonSchema {
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, namedWithin(value, schemas)]),
  );
  const { title } = inner;
  if (typeof title !== 'string' || schema.type !== 'object') return inner;
  schemas[title] = inner;
  return { $ref: `#/components/schemas/${title}` };
}

function namedWithin(value: unknown, schemas: OpenApiParts['schemas']): unknown {
  if (Array.isArray(value)) return value.map((one) => namedWithin(one, schemas));
  return typeof value === 'object' && value !== null ? named(value as JsonSchema, schemas) : value;
}

function jsonOf(schema: unknown, typeMode: 'input' | 'output' = 'input'): JsonSchema {
  if (!schema) return { type: 'string' };
  const { $schema: _, ...json } = toJsonSchema(schema as v.GenericSchema, {
    target: 'draft-2020-12',
    typeMode,
    errorMode: 'ignore',
  });
  return json;
}
