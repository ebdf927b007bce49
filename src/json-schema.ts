/**
 * JSON Schema (2020-12) for what the interface says of itself: the serializer, the validator and the OpenAPI document read
 * it. Plain objects: a schema library takes a fifth of a second of every start and 18 MiB, and nothing else here needs one.
 */
export interface JsonSchema {
  type?: string;
  description?: string;
  const?: string | boolean;
  format?: string;
  maxLength?: number;
  anyOf?: readonly JsonSchema[];
  items?: JsonSchema;
  required?: readonly string[];
  properties?: Readonly<Record<string, JsonSchema>>;
  additionalProperties?: JsonSchema;
}

type Options = Pick<JsonSchema, 'description' | 'format' | 'maxLength'>;

export const text = (description?: string, options: Options = {}): JsonSchema => ({
  type: 'string',
  ...(description === undefined ? {} : { description }),
  ...options,
});

export const integer = (description?: string): JsonSchema => ({
  type: 'integer',
  ...(description === undefined ? {} : { description }),
});

export const constant = (value: string | boolean): JsonSchema => ({ type: typeof value, const: value });

export const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

export const listOf = (items: JsonSchema, description?: string): JsonSchema => ({
  type: 'array',
  ...(description === undefined ? {} : { description }),
  items,
});

export const recordOf = (values: JsonSchema, description: string): JsonSchema => ({
  type: 'object',
  description,
  additionalProperties: values,
});

/** `optional`: what may be left out; the other properties are required. */
export const object = (
  properties: Readonly<Record<string, JsonSchema>>,
  options: { optional?: Readonly<Record<string, JsonSchema>>; description?: string } = {},
): JsonSchema => ({
  type: 'object',
  ...(options.description === undefined ? {} : { description: options.description }),
  required: Object.keys(properties),
  properties: { ...properties, ...options.optional },
});
