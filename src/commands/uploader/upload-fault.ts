/** Why an upload could not be done, in words for the person who ran it. `hint` says what to try, when anything is known. */
export class UploadFault extends Error {
  override name = 'UploadFault';
  readonly hint: string | null;
  /** True when the same upload may work in a moment: the connection broke, or nobody answered. */
  readonly mayPass: boolean;

  constructor(message: string, options: { hint?: string; mayPass?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.hint = options.hint ?? null;
    this.mayPass = options.mayPass ?? false;
  }
}

/** The command line itself is wrong; ends the program with 2 instead of 1. */
export class UsageFault extends Error {
  override name = 'UsageFault';
}
