/** Several builds chosen in one form: each is a field of its own, since a field that comes twice is refused. */

/** Longer numbers are no revisions: a database counts no further. */
const revisionPattern = /^[1-9]\d{0,14}$/;

export const revisionField = (revision: number) => `revision-${revision}`;

/** The chosen revisions, each once, in the order of the form. */
export function readChosenRevisions(body: unknown): number[] {
  if (typeof body !== 'object' || body === null) return [];
  const chosen = Object.keys(body).flatMap((name) => {
    const [prefix, number, ...rest] = name.split('-');
    return prefix === 'revision' && rest.length === 0 ? (readRevision(number) ?? []) : [];
  });
  return [...new Set(chosen)];
}

/** Null for what is no revision. */
export function readRevision(text: unknown): number | null {
  return typeof text === 'string' && revisionPattern.test(text) ? Number(text) : null;
}

/** `5,4,3` as an address carries it; what is none of them is left out. */
export function readRevisions(text: unknown, most: number): number[] {
  if (typeof text !== 'string') return [];
  return text
    .split(',', most)
    .map(readRevision)
    .filter((revision) => revision !== null);
}
