/** Maps an error to a status and a JSON body. */
import { errorTexts } from '../core/error-texts.ts';
import { AppError, type ErrorKind } from '../core/errors.ts';

interface Rendering {
  status: number;
  /** For programs; `message` is for people. */
  errorType: string;
}

const renderings: Record<ErrorKind, Rendering> = {
  invalid: { status: 400, errorType: 'invalid_params' },
  unauthenticated: { status: 401, errorType: 'unauthorized' },
  forbidden: { status: 403, errorType: 'forbidden' },
  reauthentication_required: { status: 403, errorType: 'reauthentication_required' },
  not_found: { status: 404, errorType: 'resource_not_found' },
  method_not_allowed: { status: 405, errorType: 'method_not_allowed' },
  too_slow: { status: 408, errorType: 'request_timeout' },
  conflict: { status: 409, errorType: 'conflict' },
  length_required: { status: 411, errorType: 'length_required' },
  precondition_failed: { status: 412, errorType: 'precondition_failed' },
  too_large: { status: 413, errorType: 'payload_too_large' },
  unsupported_media_type: { status: 415, errorType: 'unsupported_media_type' },
  range_not_satisfiable: { status: 416, errorType: 'range_not_satisfiable' },
  expectation_failed: { status: 417, errorType: 'expectation_failed' },
  locked: { status: 423, errorType: 'locked' },
  /** Defined by tus, not by HTTP. */
  checksum_mismatch: { status: 460, errorType: 'checksum_mismatch' },
  too_many: { status: 429, errorType: 'too_many_requests' },
  headers_too_large: { status: 431, errorType: 'headers_too_large' },
  unavailable: { status: 503, errorType: 'unavailable' },
  no_space: { status: 507, errorType: 'insufficient_storage' },
};

export function errorRenderingOf(kind: ErrorKind): Rendering {
  return renderings[kind];
}

/** The documented format. `because` repeats the message, because existing tools print either of them. */
function documentedErrorBody(message: string) {
  return { error: true as const, message, because: message };
}

/** An error with a body exactly as in the API documentation, without `error_type`. */
export class DocumentedError extends AppError {
  override name = 'DocumentedError';
}

/** An error with a type that existing clients distinguish. */
export class TypedError extends AppError {
  override name = 'TypedError';
  readonly errorType: string;

  constructor(kind: ErrorKind, errorType: string, message: string) {
    super(kind, message);
    this.errorType = errorType;
  }
}

/** Codes that clients of every interface see. Of all others, only `/api/v1` tells. */
const namedTypes: readonly AppError['code'][] = [
  'attestation_invalid',
  'contradicts_source',
  'trusted_publishing_only',
];

export function errorBody(error: AppError) {
  const body = documentedErrorBody(error.message);
  if (error instanceof DocumentedError) return body;
  const { errorType } = error instanceof TypedError ? error : errorRenderingOf(error.kind);
  return { ...body, error_type: namedTypes.find((code) => code === error.code) ?? errorType };
}

export const internalErrorBody = () => ({
  ...documentedErrorBody(errorTexts.internal),
  error_type: 'internal_error',
});

/** The documented part of an error response, for the API documentation and its schemas. */
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
