/**
 * The log: one JSON object per line. It contains only selected fields, so that no request address and no row gets
 * into it.
 */
import pino, { type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../../config.ts';

/** How many nested causes of an error are logged. */
const mostCauses = 3;

interface ErrorFacts {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: ErrorFacts;
}

/** Writes to standard output, unless `destination` is given. */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const options = { level, base: null, serializers: { err: errorFacts, req: () => undefined } };
  return destination ? pino(options, destination) : pino(options);
}

/** Drivers attach rows and parameters to their errors; only these fields are logged. */
function errorFacts(error: unknown, depth = 0): ErrorFacts {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(cause === undefined || depth === mostCauses ? {} : { cause: errorFacts(cause, depth + 1) }),
  };
}
