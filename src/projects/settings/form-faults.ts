/** Form validation errors as full sentences, shown next to their fields. */
import * as v from 'valibot';
import { AppError } from '../../core/errors.ts';

/** Returns the message of a refusal as a sentence; rethrows any other error. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof AppError) || !['invalid', 'conflict'].includes(error.kind)) throw error;
  return `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
}

/** Returns a schema step that outputs what `check` returns, or reports the message of the error it throws. */
export const passing = <Output>(check: (text: string) => Output) =>
  v.rawTransform<string, Output>(({ dataset, addIssue, NEVER }) => {
    try {
      return check(dataset.value);
    } catch (error) {
      addIssue({ message: sentenceOf(error) });
      return NEVER;
    }
  });

/** Multi-line text with the line endings of browsers normalized. */
export const lines = () =>
  v.pipe(
    v.string(),
    v.transform((text) => text.replace(/\r\n?/g, '\n').trim()),
  );
