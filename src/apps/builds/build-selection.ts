/** Revisions in paths and forms. */

import * as v from 'valibot';
import { buildTexts } from './build-texts.ts';

/** Longer numbers exceed the database type. */
const revisionPattern = /^[1-9]\d{0,14}$/;

export const revisionText = () =>
  v.pipe(
    v.string(),
    v.regex(revisionPattern, () => buildTexts.notRevision),
    v.transform(Number),
  );

/** Parses `5,4,3` up to a limit and ignores invalid entries. */
export const revisionList = (limit: number) =>
  v.pipe(
    v.string(),
    v.transform((text) =>
      text
        .split(',', limit)
        .filter((part) => revisionPattern.test(part))
        .map(Number),
    ),
  );
