/** JSON Schema (2020-12) of what no valibot schema reads: the bodies of errors, and the parts of an upload. */
export interface JsonSchema {
  type: string;
  description?: string;
  const?: string | boolean;
  format?: string;
  maxLength?: number;
  required?: readonly string[];
  properties?: Readonly<Record<string, JsonSchema>>;
}

type Options = Pick<JsonSchema, 'description' | 'format' | 'maxLength'>;

export const text = (description?: string, options: Options = {}): JsonSchema => ({
  type: 'string',
  ...(description === undefined ? {} : { description }),
  ...options,
});

export const constant = (value: string | boolean): JsonSchema => ({ type: typeof value, const: value });

/** `optional`: what may be left out; the other properties are required. */
export const object = (
  properties: Readonly<Record<string, JsonSchema>>,
  options: { optional?: Readonly<Record<string, JsonSchema>> } = {},
): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...options.optional },
});
