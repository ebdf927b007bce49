/** Revisions of builds, as addresses and forms carry them. */
import * as v from 'valibot';

/** Longer numbers are no revisions: a database counts no further. */
const revisionPattern = /^[1-9]\d{0,14}$/;

export const revisionText = () =>
  v.pipe(v.string(), v.regex(revisionPattern, 'This is not a revision.'), v.transform(Number));

/** `5,4,3`, at most so many; what is not a revision is left out. */
export const revisionList = (most: number) =>
  v.pipe(
    v.string(),
    v.transform((text) =>
      text
        .split(',', most)
        .filter((part) => revisionPattern.test(part))
        .map(Number),
    ),
  );
