/** Reading JSON whose shape only the server promises. */

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns the `message` of a refusal, or null. */
export function messageOf(body: unknown): string | null {
  return isRecord(body) && typeof body.message === 'string' ? body.message : null;
}
