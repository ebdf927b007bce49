/** JSON Schemas of error responses, for the API documentation and the serializer. */

const documented = {
  error: { type: 'boolean', const: true },
  message: { type: 'string', description: 'The reason, for people.' },
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
    error_type: { type: 'string', description: 'The kind of error, for programs.' },
  },
};
