/** What is wrong with the fields of a form, as full sentences to stand beside them. */
import * as v from 'valibot';
import { AppError } from '../../core/errors.ts';

/** Of a refusal; a defect goes on its way. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof AppError) || !['invalid', 'conflict'].includes(error.kind)) throw error;
  return `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
}

/** A step of a schema: what `check` returns for the text, or, as the fault, the message of what it throws. */
export const passing = <Output>(check: (text: string) => Output) =>
  v.rawTransform<string, Output>(({ dataset, addIssue, NEVER }) => {
    try {
      return check(dataset.value);
    } catch (error) {
      addIssue({ message: sentenceOf(error) });
      return NEVER;
    }
  });

/** Several lines, as browsers send them. */
export const lines = () =>
  v.pipe(
    v.string(),
    v.transform((text) => text.replace(/\r\n?/g, '\n').trim()),
  );
