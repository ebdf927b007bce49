/** The log, the slow-query log and the metrics of a running service. */
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../config.ts';
import { version } from '../../core/version.ts';
import type { Data } from '../../db/data.ts';
import type { ObserveRequest } from '../../http/request-log.ts';
import type { OnRefused } from '../../limits/rate-limit-kind.ts';
import { createLogger, createRefusalLog, type ObservedQuery, watchQueries } from './logger.ts';
import { createMetricsListener } from './metrics-http.ts';
import { createServiceMetrics, type ProcessFacts, type ScrapedFacts } from './service-metrics.ts';

export interface Observability {
  logger: FastifyBaseLogger;
  query(query: ObservedQuery): void;
  request: ObserveRequest;
  /** Called after a build was published, with the number of bytes of its files. */
  published(bytes: number): void;
  /** Called when a limit refuses something. Counts it, and occasionally logs it. */
  refused: OnRefused;
  /**
   * Opens the metrics listener if it is configured. `facts` is called for each scrape. Rejects with `unavailable` if the address
   * is not available.
   */
  listen(data: Data, facts: () => ScrapedFacts): Promise<void>;
  close(): Promise<void>;
}

export function createObservability(
  config: Pick<Config, 'logLevel' | 'slowQueryMs' | 'metrics'>,
  deps: { logger?: FastifyBaseLogger; host?: ProcessFacts },
): Observability {
  const logger = deps.logger ?? createLogger(config.logLevel ?? 'info');
  const metrics = config.metrics && createServiceMetrics(version(), deps.host ?? null);
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
    refused: createRefusalLog({ log: logger, count: (kind) => metrics?.refused(kind), now: Date.now }),
    listen: async (data, facts) => {
      if (!config.metrics || !metrics) return;
      const listener = createMetricsListener(config.metrics, () => metrics.text(data, facts()));
      await listener.listen();
      close = listener.close;
    },
    close: async () => {
      metrics?.stop();
      await close();
    },
  };
}
