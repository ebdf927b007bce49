/** A refused request. The message is shown to the user. */
export class Refusal extends Error {
  /** False if the same request would be refused again. */
  readonly retryable: boolean;

  constructor(message: string, retryable = true) {
    super(message);
    this.retryable = retryable;
  }
}
