import { messageAt } from '../../core/language/catalog.ts';
import { doctorTexts } from './doctor-texts.ts';

/** Returns why a connection failed, as text to follow a colon. */
export function reasonOf(failure: unknown): string {
  // Each address of a host fails with its own error.
  const error: unknown = failure instanceof AggregateError ? failure.errors[0] : failure;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const known = typeof code === 'string' ? messageAt(doctorTexts.reasons, code) : undefined;
  const text = known ?? (typeof message === 'string' ? message : String(error));
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<![.:])[.:]+$/, '')
    .slice(0, 300);
}

/** Returns the system’s error, which libraries wrap in their own. */
export function firstCause(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? firstCause(error.cause) : error;
}
