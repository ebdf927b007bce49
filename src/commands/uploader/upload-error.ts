/** A user-facing upload error. `hint` suggests what to do, if known. */
export class UploadError extends Error {
  override name = 'UploadError';
  readonly hint: string | null;
  /** Whether a retry may succeed because the connection broke or there was no answer. */
  readonly isTransient: boolean;

  constructor(message: string, options: { hint?: string; isTransient?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.hint = options.hint ?? null;
    this.isTransient = options.isTransient ?? false;
  }
}

/** Someone ended the program. */
export class InterruptedError extends UploadError {
  override name = 'InterruptedError';

  constructor() {
    super('Interrupted; nothing was published.');
  }
}

/** An invalid command line; the program exits with 2 instead of 1. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Throws for an argument that is not UTF-8: Node has replaced its bytes with U+FFFD, so different names would become equal. */
export function requireDecodable(argv: readonly string[]): void {
  const at = argv.findIndex((argument) => argument.includes('\ufffd'));
  if (at !== -1) throw new UsageError(`Argument ${at + 1} is not UTF-8: ${argv[at]}`);
}
