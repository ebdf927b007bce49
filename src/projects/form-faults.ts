/** What is wrong with the fields of a form, as full sentences to stand beside them. */
import { AppError } from '../errors.ts';

/** Of a refusal; a defect goes on its way. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof AppError) || !['invalid', 'conflict'].includes(error.kind)) throw error;
  return `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
}

/** Asks each check; a field whose check throws has a fault. */
export function faultsOf<Field extends string>(
  checks: Partial<Record<Field, () => unknown>>,
): Partial<Record<Field, string>> {
  const faults: Partial<Record<Field, string>> = {};
  for (const [field, check] of Object.entries<(() => unknown) | undefined>(checks)) {
    try {
      check?.();
    } catch (error) {
      faults[field as Field] = sentenceOf(error);
    }
  }
  return faults;
}

export const isFaulty = (faults: object) => Object.keys(faults).length > 0;
