/**
 * Parses an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.0) for display. Leaves out missing and malformed parts;
 * never throws.
 */

export interface ApiDocument {
  title: string;
  version: string;
  description: string;
  groups: ApiGroup[];
  securitySchemes: { name: string; description: string }[];
  schemas: { name: string; schema: ApiSchema }[];
  /** The meaning of each error code. */
  codes: { code: string; meaning: string }[];
}

export interface ApiGroup {
  name: string;
  description: string;
  operations: ApiOperation[];
}

export interface ApiOperation {
  id: string;
  /** Upper case. */
  method: string;
  path: string;
  summary: string;
  description: string;
  deprecated: boolean;
  needsKey: boolean;
  parameters: (ApiField & { place: string })[];
  body: { contentType: string; schema: ApiSchema; example: unknown } | null;
  responses: ApiResponse[];
}

export interface ApiResponse {
  status: string;
  description: string;
  contentType: string;
  schema: ApiSchema | null;
  /** Undefined if there is none. */
  example: unknown;
}

export interface ApiField {
  name: string;
  required: boolean;
  description: string;
  schema: ApiSchema;
  example: unknown;
}

export interface ApiSchema {
  /** For example `string`, `array of Project`, `"a" | "b"`. */
  type: string;
  /** Name of the schema in `schemas` with the details, if any. */
  reference: string | null;
  description: string;
  fields: ApiField[];
}

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];
/** Schemas can nest without limit; deeper levels are not shown. */
const maxSchemaDepth = 6;

type Json = Readonly<Record<string, unknown>>;

export function readOpenApi(document: unknown, otherGroup: string): ApiDocument {
  const root = object(document);
  const components = object(root.components);
  const info = object(root.info);
  return {
    title: text(info.title),
    version: text(info.version),
    description: text(info.description),
    groups: readGroups(root, otherGroup),
    securitySchemes: Object.entries(object(components.securitySchemes)).map(([name, scheme]) => ({
      name,
      description: text(object(scheme).description),
    })),
    schemas: Object.entries(object(components.schemas)).map(([key, schema]) => ({
      name: text(object(schema).title) || key,
      schema: readSchema(schema, root, 0),
    })),
    codes: Object.entries(object(root['x-error-codes'])).map(([code, meaning]) => ({
      code,
      meaning: text(meaning),
    })),
  };
}

function readGroups(root: Json, otherGroup: string): ApiGroup[] {
  const groups = new Map<string, ApiGroup>();
  for (const tag of list(root.tags).map(object)) {
    groups.set(text(tag.name), { name: text(tag.name), description: text(tag.description), operations: [] });
  }
  for (const [path, item] of Object.entries(object(root.paths))) {
    for (const method of methods) {
      const raw = object(object(item)[method]);
      if (Object.keys(raw).length === 0) continue;
      const name = text(list(raw.tags)[0]) || otherGroup;
      const group = groups.get(name) ?? { name, description: '', operations: [] };
      group.operations.push(readOperation(method, path, raw, object(item), root));
      groups.set(name, group);
    }
  }
  return [...groups.values()].filter((group) => group.operations.length > 0);
}

function readOperation(method: string, path: string, raw: Json, item: Json, root: Json): ApiOperation {
  const security = raw.security ?? root.security;
  return {
    id: (text(raw.operationId) || `${method}-${path}`).replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, ''),
    method: method.toUpperCase(),
    path,
    summary: text(raw.summary),
    description: text(raw.description),
    deprecated: raw.deprecated === true,
    needsKey: list(security).some((choice) => Object.keys(object(choice)).length > 0),
    parameters: [...list(item.parameters), ...list(raw.parameters)].map((entry) => {
      const parameter = resolve(entry, root);
      return { ...readField(text(parameter.name), parameter, root), place: text(parameter.in) };
    }),
    body: readBody(resolve(raw.requestBody, root), root),
    responses: Object.entries(object(raw.responses)).map(([status, response]) =>
      readResponse(status, resolve(response, root), root),
    ),
  };
}

function readField(name: string, parameter: Json, root: Json): ApiField {
  const schema = readSchema(parameter.schema, root, 0);
  return {
    name,
    required: parameter.required === true,
    description: text(parameter.description) || schema.description,
    schema,
    example: firstExample(parameter) ?? firstExample(object(parameter.schema)),
  };
}

function readBody(body: Json, root: Json): ApiOperation['body'] {
  const [entry] = Object.entries(object(body.content));
  if (!entry) return null;
  const media = object(entry[1]);
  return {
    contentType: entry[0],
    schema: readSchema(media.schema, root, 0),
    example: firstExample(media) ?? firstExample(resolve(media.schema, root)),
  };
}

function readResponse(status: string, response: Json, root: Json): ApiResponse {
  const [entry] = Object.entries(object(response.content));
  const media = object(entry?.[1]);
  return {
    status,
    description: text(response.description),
    contentType: entry?.[0] ?? '',
    schema: entry ? readSchema(media.schema, root, 0) : null,
    example: firstExample(media) ?? firstExample(resolve(media.schema, root)),
  };
}

/** Returns `example`, or the first of `examples`, which is a list (JSON Schema) or has names (OpenAPI). */
function firstExample(holder: Json): unknown {
  if (holder.example !== undefined) return holder.example;
  if (Array.isArray(holder.examples)) return holder.examples[0];
  return object(Object.values(object(holder.examples))[0]).value;
}

function readSchema(value: unknown, root: Json, depth: number): ApiSchema {
  const raw = object(value);
  const target = resolve(value, root);
  const named = typeof raw.$ref === 'string';
  const items = target.type === 'array' ? target.items : target;
  const reference = referenceName(named ? raw : object(items), root);
  const shown = resolve(items, root);
  const isShownElsewhere = reference !== null;
  return {
    type: typeName(value, root),
    reference,
    description: text(raw.description) || text(target.description),
    fields: isShownElsewhere || depth >= maxSchemaDepth ? [] : readFields(shown, root, depth),
  };
}

function readFields(schema: Json, root: Json, depth: number): ApiField[] {
  const parts = [schema, ...list(schema.allOf).map((part) => resolve(part, root))];
  return parts.flatMap((part) => {
    const required = list(part.required);
    return Object.entries(object(part.properties)).map(([name, property]) => {
      const read = readSchema(property, root, depth + 1);
      return {
        name,
        required: required.includes(name),
        description: read.description,
        schema: read,
        example: firstExample(object(property)),
      };
    });
  });
}

function typeName(value: unknown, root: Json): string {
  const raw = object(value);
  const name = referenceName(raw, root);
  if (name) return name;
  if (raw.const !== undefined) return JSON.stringify(raw.const);
  if (Array.isArray(raw.enum)) return raw.enum.map((choice) => JSON.stringify(choice)).join(' | ');
  const choices = [...list(raw.anyOf), ...list(raw.oneOf)];
  if (choices.length > 0) return [...new Set(choices.map((choice) => typeName(choice, root)))].join(' | ');
  if (raw.type === 'array') return `array of ${typeName(raw.items, root)}`;
  if (Array.isArray(raw.type)) return raw.type.map(text).join(' | ');
  if (raw.format === 'binary' || raw.contentMediaType === 'application/octet-stream') return 'file';
  return [text(raw.type) || 'any', text(raw.format) && `(${text(raw.format)})`].filter(Boolean).join(' ');
}

function referenceName(raw: Json, root: Json): string | null {
  const match = /^#\/components\/schemas\/([^/]+)$/.exec(text(raw.$ref));
  if (!match?.[1]) return null;
  return text(resolve(raw, root).title) || match[1];
}

/** Resolves a `$ref` within the document. Returns an empty object if there is no such object. */
function resolve(value: unknown, root: Json): Json {
  const raw = object(value);
  const reference = text(raw.$ref);
  if (!reference.startsWith('#/')) return raw;
  let target: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    target = object(target)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return object(target);
}

function object(value: unknown): Json {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
