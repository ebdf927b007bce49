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
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'too_slow'
  | 'too_many'
  | 'no_space'
  | 'unavailable';

/** Errors that a program may want to tell apart from others of their kind. */
export type ErrorCode =
  | 'build_in_use'
  | 'idempotency_conflict'
  | 'idempotency_in_progress'
  | 'insufficient_scope'
  | 'user_key_required';

/** An error for the caller. `message` is public; `cause` carries details for operators only. */
export class AppError extends Error {
  override name = 'AppError';
  readonly kind: ErrorKind;
  /** Seconds until a retry; null when unknown. */
  readonly retryAfterSeconds: number | null;
  /** For programs: a stable word that is more precise than the kind; null without one. Listed in `http/api/problem.ts`. */
  readonly code: ErrorCode | null;
  /** The field that is refused, by its name in forms and JSON; null when none is. Forms show the sentence beside it. */
  readonly field: string | null;

  constructor(
    kind: ErrorKind,
    message: string,
    options?: { cause?: unknown; retryAfterSeconds?: number | null; code?: ErrorCode; field?: string },
  ) {
    super(message, options);
    this.kind = kind;
    this.retryAfterSeconds = options?.retryAfterSeconds ?? null;
    this.code = options?.code ?? null;
    this.field = options?.field ?? null;
  }

  /** For pages. */
  get sentence(): string {
    return toSentence(this.message);
  }
}

/** An error message, which has neither a capital nor a full stop in English, as a sentence. */
export function toSentence(message: string): string {
  if (/[。！？]$/.test(message)) return message;
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** The sentence with which a check refuses a text, to show it before the form is sent. Undefined if it accepts the text. */
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
    // Made when it is shown: some limits refuse before the person, and their language, is known.
    Object.defineProperty(this, 'message', { get: () => limitSentence(refusal) });
  }
}

/** Error messages by field name, as shown on pages. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** A form with invalid fields. The page is shown again if the route renders one; otherwise this is answered as `invalid`. */
export class FormInvalid extends AppError {
  override name = 'FormInvalid';
  readonly errors: FieldErrors;

  constructor(errors: FieldErrors) {
    const messages = Object.entries(errors).map(([name, sentences]) => `${name}: ${sentences.join(' ')}`);
    super('invalid', messages.join('; '));
    this.errors = errors;
  }
}

/** The fields that an error refuses; null when it is about none. */
export function fieldErrorsOf(error: AppError): FieldErrors | null {
  if (error instanceof FormInvalid) return error.errors;
  return error.field === null ? null : { [error.field]: [error.sentence] };
}

/** Throws `FormInvalid` with all errors at once, if there are any. */
export function refuseFields(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw new FormInvalid(errors);
}

/** The outcome of a commit is unknown. Blobs referenced by its rows must be kept until a sweep. */
export class CommitUnknown extends Error {
  override name = 'CommitUnknown';

  constructor(cause: unknown) {
    super('the outcome of the commit is unknown', { cause });
  }
}

export const invalid = (message: string, cause?: unknown) => new AppError('invalid', message, { cause });
/** A key that lacks every scope of which one is needed. */
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

/** A field or parameter that is missing, unknown or invalid. */
export interface InputFault {
  /** JSON Pointer into the body (RFC 6901), for a fault of the body. */
  pointer?: string;
  /** Name of the query parameter or header. */
  parameter?: string;
  detail: string;
}

/** The input of an API request does not have its declared form. */
export class InputInvalid extends AppError {
  override name = 'InputInvalid';
  readonly faults: readonly InputFault[];

  constructor(faults: readonly InputFault[]) {
    const sentences = faults.map(({ pointer, parameter, detail }) => `${parameter ?? pointer}: ${detail}`);
    super('invalid', sentences.join('; '));
    this.faults = faults;
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
/** When something that passes by itself is worth another try. */
export const retryAfterSeconds = 5;
/** For what passes by itself: a server or store that is away, busy or restarting. */
export const unavailableForNow = (message: string, cause?: unknown) =>
  new AppError('unavailable', message, { cause, retryAfterSeconds });

/** Returns the error message of the system or a driver; of several addresses that failed, the first. */
export function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}
