/** The log: one JSON object a line. What is written is chosen here, so that no request's address and no row gets into it. */
import pino, { type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../../config.ts';

/** How many causes beneath an error are told. */
const mostCauses = 3;

interface ErrorFacts {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: ErrorFacts;
}

/** To standard output, unless `destination` says otherwise. */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const options = { level, base: null, serializers: { err: errorFacts, req: () => undefined } };
  return destination ? pino(options, destination) : pino(options);
}

/** Drivers hang rows and parameters on their errors; only these fields are told. */
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
