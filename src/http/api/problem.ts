/** Problem details (RFC 9457): the errors of `/api/v1`. */
import { errorTexts } from '../../core/error-texts.ts';
import {
  type AppError,
  FormInvalid,
  fieldErrorsOf,
  InputInvalid,
  InsufficientScope,
  PolicyRefused,
  toSentence,
} from '../../core/errors.ts';
import { errorRenderingOf } from '../error-body.ts';

export const problemType = 'application/problem+json; charset=utf-8';

/** The meaning of each code, for `/docs`. It never changes. */
export const problemTitles: Readonly<Record<string, string>> = {
  build_in_use: 'A page serves the build, or it is protected.',
  checksum_mismatch: 'The bytes do not have the announced checksum.',
  conflict: 'The change contradicts the current state.',
  attestation_invalid: 'An attestation is not a valid one about the file.',
  contradicts_source: 'A field differs from the ID token of the CI job.',
  forbidden: 'The key may not do this.',
  idempotency_conflict: 'The Idempotency-Key was used for another request.',
  idempotency_in_progress: 'The first request with this Idempotency-Key has not been answered yet.',
  insufficient_scope: 'The key does not have the required scope.',
  insufficient_storage: 'A storage limit or the disk is full.',
  internal_error: 'The server failed. Its log says why.',
  invalid_params: 'A field or parameter is missing, unknown or invalid.',
  length_required: 'The request has a body of unknown length.',
  locked: 'Another request is writing. Retry-After says when to try again.',
  payload_too_large: 'The body is too large.',
  precondition_failed: 'The resource has changed since its ETag was read.',
  request_timeout: 'The body arrived too slowly.',
  resource_not_found: 'There is no such resource, or the key may not see it.',
  too_many_requests: 'A rate limit is exceeded. Retry-After says when to try again.',
  trusted_publishing_only: 'Only trusted publishers may upload there.',
  unauthorized: 'The request has no valid API key.',
  unavailable: 'The server is busy or shutting down. Retry-After says when to try again.',
  unsupported_media_type: 'The body is not JSON, or it is compressed.',
  unsupported_tus_version: 'Tus-Resumable names a version that this server does not support.',
  user_key_required: 'Only the key of a user can do this, not the key of a Project.',
  workspace_policy:
    'A policy of the Workspace refuses the request; `policy` names it, or is `sign_on` if the Workspace requires single sign-on.',
};

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  required_scopes?: readonly string[];
  policy?: string;
  errors?: readonly { pointer?: string; parameter?: string; detail: string }[];
}

/** `error` is null for a bug, whose details stay in the log. */
export function problemOf(error: AppError | null, requestId: string): Problem {
  const { status, errorType } = error ? errorRenderingOf(error.kind) : internal;
  const code = error?.code ?? errorType;
  return {
    type: `/docs#${code}`,
    title: problemTitles[code] ?? code,
    status,
    detail: detailOf(error),
    code,
    request_id: requestId,
    ...(error instanceof PolicyRefused ? { policy: error.policy } : {}),
    ...(error instanceof InsufficientScope ? { required_scopes: error.requiredScopes } : {}),
    ...(error instanceof InputInvalid ? { errors: error.faults } : {}),
    ...faultsOf(error),
  };
}

/** A sentence. If it begins with the name of a field or parameter, the name keeps its case. */
function detailOf(error: AppError | null): string {
  const message = error?.message ?? errorTexts.internal;
  const beginsWithName = error instanceof InputInvalid || error instanceof FormInvalid;
  return beginsWithName ? message.charAt(0) + toSentence(message).slice(1) : toSentence(message);
}

const internal = { status: 500, errorType: 'internal_error' };

function faultsOf(error: AppError | null): Pick<Problem, 'errors'> {
  const refused = error && fieldErrorsOf(error);
  if (!refused) return {};
  const faults = Object.entries(refused).flatMap(([name, sentences]) =>
    sentences.map((detail) => ({ pointer: `/${name}`, detail })),
  );
  return { errors: faults };
}

export const problemSchema = {
  title: 'Problem',
  description: 'An error in the format of RFC 9457.',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  additionalProperties: false,
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'Where the code is documented.' },
    title: { type: 'string', description: 'What the code means.' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'What is wrong with this request, for people.' },
    code: { type: 'string', description: 'For programs. A code never changes its meaning.' },
    request_id: { type: 'string', description: 'Identifies the request in the log of the server.' },
    required_scopes: {
      type: 'array',
      items: { type: 'string' },
      description: 'Only with `insufficient_scope`: the scopes of which the key needs one.',
    },
    errors: {
      type: 'array',
      description: 'What is wrong with each field or parameter.',
      items: {
        type: 'object',
        required: ['detail'],
        additionalProperties: false,
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer to the field of the body (RFC 6901).' },
          parameter: { type: 'string', description: 'Name of the query parameter or header.' },
          detail: { type: 'string' },
        },
      },
    },
  },
};
