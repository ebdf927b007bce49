/** Reads JSON from the server that has not been validated yet. */

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns the `message` of an error response; null if there is none. */
export function messageOf(body: unknown): string | null {
  return isRecord(body) && typeof body.message === 'string' ? body.message : null;
}
