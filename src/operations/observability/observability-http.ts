/** What operators see of a running service: its log, its slow queries and its metrics, put together for `service.ts`. */
import type { FastifyBaseLogger } from 'fastify';
import type { Identify } from '../../accounts/sign-in/identify-http.ts';
import type { Config } from '../../config.ts';
import { version } from '../../core/version.ts';
import type { Data } from '../../db/data.ts';
import type { ObserveRequest } from '../../http/request-log.ts';
import type { OnRefused } from '../../limits/refused-kind.ts';
import { noteCallers } from './log-callers-http.ts';
import { createTellRefused } from './log-refused.ts';
import { createLogger } from './logger.ts';
import { createMetricsListener } from './metrics-http.ts';
import { createServiceMetrics, type ProcessFacts } from './service-metrics.ts';
import { type ObservedQuery, watchQueries } from './slow-query-log.ts';

export interface Observability {
  logger: FastifyBaseLogger;
  query(query: ObservedQuery): void;
  request: ObserveRequest;
  /** A build was published: its files have so many bytes. */
  published(bytes: number): void;
  /** Something was refused because there was too much of it: counted, and told in the log once in a while. */
  refused: OnRefused;
  /** The same, telling the request log whom it found. */
  callers(identify: Identify): Identify;
  /** Opens the metrics' own address where one is set. Rejects with `unavailable` when it cannot be had. */
  listen(data: Data): Promise<void>;
  close(): Promise<void>;
}

export function createObservability(
  config: Pick<Config, 'logLevel' | 'slowQueryMs' | 'metrics'>,
  parts: { logger?: FastifyBaseLogger; host?: ProcessFacts },
): Observability {
  const logger = parts.logger ?? createLogger(config.logLevel ?? 'info');
  const metrics = config.metrics && createServiceMetrics(version(), parts.host ?? null);
  let close: () => Promise<void> = async () => undefined;
  return {
    logger,
    query: watchQueries({
      slowQueryMs: config.slowQueryMs,
      log: logger,
      count: (facts) => metrics?.query(facts),
    }),
    request: (facts) => metrics?.request(facts),
    published: (bytes) => metrics?.upload(bytes),
    refused: createTellRefused({ log: logger, count: (kind) => metrics?.refused(kind), now: Date.now }),
    callers: noteCallers,
    listen: async (data) => {
      if (!config.metrics || !metrics) return;
      const listener = createMetricsListener(config.metrics, () => metrics.text(data));
      await listener.listen();
      close = listener.close;
    },
    close: async () => {
      metrics?.stop();
      await close();
    },
  };
}
