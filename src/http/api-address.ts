/** Whether a request's target is under /api: there keys come in the query too, and every answer is JSON. */

/** `target` as it was sent: a path with its query, or the absolute form (RFC 9112, section 3.2). */
export function isApiAddress(target: string): boolean {
  return /^(?:https?:\/\/[^/?#]*)?\/api(?:[/?]|$)/i.test(target);
}
