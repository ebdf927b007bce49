import { doctorTexts } from './doctor-texts.ts';

/** Why something could not be reached, in words that follow a colon. */
export function reasonOf(failure: unknown): string {
  // Several addresses of one host fail with one error each.
  const error: unknown = failure instanceof AggregateError ? failure.errors[0] : failure;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const known = typeof code === 'string' ? doctorTexts.reasons[code] : undefined;
  const text = known ?? (typeof message === 'string' ? message : String(error));
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<![.:])[.:]+$/, '')
    .slice(0, 300);
}
