/** What went wrong, without saying how HTTP calls it: `http/error-reply.ts` alone turns a kind into a status. */
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
  | 'too_large'
  | 'range_not_satisfiable'
  | 'too_slow'
  | 'too_many'
  | 'no_space'
  | 'unavailable';

/** A refusal that the caller may read. `message` is public text; what only operators should see travels in `cause`. */
export class AppError extends Error {
  override name = 'AppError';
  readonly kind: ErrorKind;
  /** When to try again, in seconds; null when unknown. */
  readonly retryAfterSeconds: number | null;

  constructor(
    kind: ErrorKind,
    message: string,
    options?: { cause?: unknown; retryAfterSeconds?: number | null },
  ) {
    super(message, options);
    this.kind = kind;
    this.retryAfterSeconds = options?.retryAfterSeconds ?? null;
  }
}

/** Nothing that the caller can see: hidden and missing things look the same. */
export class NotFound extends AppError {
  override name = 'NotFound';

  constructor(message = 'there is nothing at this address') {
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

  constructor(message: string, retryAfterSeconds: number) {
    super('too_many', message, { retryAfterSeconds });
  }
}

/** Sentences by field name, as pages show them. */
export type Faults = Readonly<Record<string, readonly string[]>>;

/** A form with invalid fields. The page is shown again if the route renders one; otherwise this is answered as `invalid`. */
export class FormRefused extends AppError {
  override name = 'FormRefused';
  readonly faults: Faults;

  constructor(faults: Faults) {
    const said = Object.entries(faults).map(([name, sentences]) => `${name}: ${sentences.join(' ')}`);
    super('invalid', said.join('; '));
    this.faults = faults;
  }
}

/** The commit was asked for and not answered: it may have happened. What its rows name must stay for the sweep to judge. */
export class CommitUnknown extends Error {
  override name = 'CommitUnknown';

  constructor(cause: unknown) {
    super('the database did not say whether the commit happened', { cause });
  }
}

export const invalid = (message: string, cause?: unknown) => new AppError('invalid', message, { cause });
export const unauthenticated = () => new AppError('unauthenticated', 'you are not authenticated');
export const conflict = (message: string) => new AppError('conflict', message);
export const tooLarge = (message: string) => new AppError('too_large', message);
export const unavailable = (message: string, cause?: unknown) =>
  new AppError('unavailable', message, { cause });

/** The error message of the system or a driver; several addresses of one host fail with one error each. */
export function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}
