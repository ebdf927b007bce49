/** The shapes of refusals in JSON Schema, for the documentation of the interface and for the serializer. */

const documented = {
  error: { type: 'boolean', const: true },
  message: { type: 'string', description: 'What is wrong, for people.' },
  because: { type: 'string', description: 'The same as message.' },
} as const;

export const documentedErrorSchema = {
  type: 'object',
  required: ['error', 'message', 'because'],
  properties: documented,
};

export const errorSchema = {
  type: 'object',
  required: ['error', 'message', 'because', 'error_type'],
  properties: {
    ...documented,
    error_type: { type: 'string', description: 'What is wrong, for programs.' },
  },
};
