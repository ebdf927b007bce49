import { errorTexts } from './error-texts.ts';
import type { KeyScope } from './key-scope.ts';
import { type LimitRefusal, limitSentence } from './limit-refusal.ts';

/** Error kinds independent of HTTP; only `http/error-body.ts` maps a kind to a status. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'reauthentication_required'
  | 'not_found'
  | 'method_not_allowed'
  | 'length_required'
  | 'expectation_failed'
  | 'headers_too_large'
  | 'conflict'
  | 'checksum_mismatch'
  | 'locked'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'too_slow'
  | 'too_many'
  | 'no_space'
  | 'unavailable';

/** Codes for errors that programs may want to distinguish from others of their kind. */
export type ErrorCode =
  | 'attestation_invalid'
  | 'build_in_use'
  | 'contradicts_source'
  | 'idempotency_conflict'
  | 'idempotency_in_progress'
  | 'insufficient_scope'
  | 'trusted_publishing_only'
  | 'unsupported_tus_version'
  | 'user_key_required'
  | 'workspace_policy';

/** Errors may quote what was sent. Longer than any of their own sentences. */
const maxMessageLength = 2_000;
const maxFaultLength = 1_000;

/** The start of a text that is too long, with an ellipsis. */
export function startOf(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

/** An error for the caller. `message` is public; `cause` carries details for operators only. */
export class AppError extends Error {
  override name = 'AppError';
  readonly kind: ErrorKind;
  /** Seconds until a retry; null if unknown. */
  readonly retryAfterSeconds: number | null;
  /** A stable word for programs, more precise than the kind; null without one. Listed in `http/api/problem.ts`. */
  readonly code: ErrorCode | null;
  /** The refused field, by its name in forms and JSON; null if there is none. Forms show the error next to it. */
  readonly field: string | null;

  constructor(
    kind: ErrorKind,
    message: string,
    options?: { cause?: unknown; retryAfterSeconds?: number | null; code?: ErrorCode; field?: string },
  ) {
    super(startOf(message, maxMessageLength), options);
    this.kind = kind;
    this.retryAfterSeconds = options?.retryAfterSeconds ?? null;
    this.code = options?.code ?? null;
    this.field = options?.field ?? null;
  }

  /** The message as shown on pages. */
  get sentence(): string {
    return toSentence(this.message);
  }
}

/** Turns an error message into a sentence: in English, messages have neither a capital letter nor a full stop. */
export function toSentence(message: string): string {
  if (/[。！？]$/.test(message)) return message;
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Returns the error message of a check for a text, to show it before the form is sent. Undefined if the check accepts the text. */
export function refusalOf(check: (text: string) => unknown, text: string): string | undefined {
  try {
    check(text);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.sentence;
    throw error;
  }
}

/** Used for both missing and hidden resources, so that callers cannot tell them apart. */
export class NotFound extends AppError {
  override name = 'NotFound';

  constructor(message: string = errorTexts.notFound) {
    super('not_found', message);
  }
}

export class Forbidden extends AppError {
  override name = 'Forbidden';

  constructor(message: string) {
    super('forbidden', message);
  }
}

export class TooManyRequests extends AppError {
  override name = 'TooManyRequests';

  constructor(refusal: LimitRefusal, retryAfterSeconds: number) {
    super('too_many', '', { retryAfterSeconds });
    // Evaluated when shown, because some limits refuse before the person and their language are known.
    Object.defineProperty(this, 'message', { get: () => limitSentence(refusal) });
  }
}

/** Error messages by field name, as shown on pages. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** A form with invalid fields. The page is shown again if the route can render one; otherwise the answer is `invalid`. */
export class FormInvalid extends AppError {
  override name = 'FormInvalid';
  readonly errors: FieldErrors;

  constructor(errors: FieldErrors, kind: 'invalid' | 'conflict' = 'invalid') {
    const messages = Object.entries(errors).map(([name, sentences]) => `${name}: ${sentences.join(' ')}`);
    super(kind, messages.join('; '));
    this.errors = errors;
  }
}

/** Returns the refused fields; null if the error is about none. */
export function fieldErrorsOf(error: AppError): FieldErrors | null {
  if (error instanceof FormInvalid) return error.errors;
  return error.field === null ? null : { [error.field]: [error.sentence] };
}

/** Throws `FormInvalid` with all errors at once, if there are any. */
export function refuseFields(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw new FormInvalid(errors);
}

/** It is unknown whether the commit happened. Blobs referenced by its rows must be kept until a sweep. */
export class CommitUnknown extends Error {
  override name = 'CommitUnknown';

  constructor(cause: unknown) {
    super('the outcome of the commit is unknown', { cause });
  }
}

export const invalid = (message: string, cause?: unknown) => new AppError('invalid', message, { cause });
/** A key without any of the required scopes. */
export class InsufficientScope extends AppError {
  override name = 'InsufficientScope';
  readonly requiredScopes: readonly KeyScope[];

  constructor(scopes: readonly KeyScope[]) {
    super('forbidden', `the key does not have the scope ${scopes.join(' or ')}`, {
      code: 'insufficient_scope',
    });
    this.requiredScopes = scopes;
  }
}

/** A policy of a Workspace refuses the caller, or the change of a setting that it limits. */
export class PolicyRefused extends AppError {
  override name = 'PolicyRefused';
  /** Its name in the API. */
  readonly policy: string;

  constructor(policy: string, message: string, options?: { field: string }) {
    super('forbidden', message, { code: 'workspace_policy', ...options });
    this.policy = policy;
  }
}

/** A field or parameter that is missing, unknown or invalid. */
export interface InputFault {
  /** JSON Pointer into the body (RFC 6901), for an invalid body. */
  pointer?: string;
  /** Name of the query parameter or header. */
  parameter?: string;
  detail: string;
}

/** The input of an API request does not match its declaration. */
export class InputInvalid extends AppError {
  override name = 'InputInvalid';
  readonly faults: readonly InputFault[];

  constructor(faults: readonly InputFault[]) {
    const sentences = faults.map(({ pointer, parameter, detail }) => `${parameter ?? pointer}: ${detail}`);
    super('invalid', sentences.join('; '));
    this.faults = faults.map((fault) => {
      const short = { ...fault, detail: startOf(fault.detail, maxFaultLength) };
      if (short.pointer !== undefined) short.pointer = startOf(short.pointer, maxFaultLength);
      if (short.parameter !== undefined) short.parameter = startOf(short.parameter, maxFaultLength);
      return short;
    });
  }
}

export const unauthenticated = () => new AppError('unauthenticated', errorTexts.unauthenticated);
export const conflict = (message: string) => new AppError('conflict', message);
export const invalidField = (field: string, message: string) => new AppError('invalid', message, { field });
export const conflictingField = (field: string, message: string) =>
  new AppError('conflict', message, { field });
export const tooLarge = (message: string) => new AppError('too_large', message);
export const unavailable = (message: string, cause?: unknown) =>
  new AppError('unavailable', message, { cause });
/** When to retry after a temporary error. */
export const retryAfterSeconds = 5;
/** For temporary errors: a server or store that is unreachable, busy or restarting. */
export const unavailableForNow = (message: string, cause?: unknown) =>
  new AppError('unavailable', message, { cause, retryAfterSeconds });

/** Returns the error message of the system or a driver; if several addresses failed, that of the first. */
export function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}
