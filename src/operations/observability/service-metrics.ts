/** Slipway’s Prometheus metrics. Labels are patterns, kinds and status codes, never names or keys. */
import { readdir } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { readAuditStatus } from '../../audit/audit-stream.ts';
import type { Data } from '../../db/data.ts';
import { lanes } from '../../jobs/outbox.ts';
import type { RefusedKind } from '../../limits/rate-limit-kind.ts';
import { type ChildProcesses, readChildProcesses } from './child-processes.ts';
import { createRegistry, type Registry } from './metrics.ts';
import { metricsQueries } from './metrics-queries.ts';

export interface ServiceMetrics {
  request(facts: {
    method: string;
    route: string | null;
    status: number;
    ms: number;
    bytes: number;
    cut: boolean;
  }): void;
  upload(bytes: number): void;
  refused(kind: RefusedKind): void;
  query(facts: { verb: string; durationMs: number; slow: boolean }): void;
  /** Collects values that are only known on request, and renders all metrics. */
  text(data: Data, facts: ScrapedFacts): Promise<string>;
  stop(): void;
}

/** Values of this node at the time of a scrape. */
export interface ScrapedFacts {
  eventStreams: number;
  /** This node’s clock minus that of the database; null if they are the same clock, or the difference is not known yet. */
  clockOffsetMs: number | null;
}

/** Facts about the process. */
export interface ProcessFacts {
  memoryUsage(): { rss: number; heapUsed: number };
  cpuUsage(): { user: number; system: number };
  /** Read from `/proc` by default. */
  childProcesses?(): Promise<ChildProcesses>;
  readonly pid?: number;
  /** Version of Node.js, for example `v24.11.0`. */
  readonly version?: string;
}

const requestSeconds = [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120, 600];
const querySeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5];
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const verbs = new Set(['select', 'insert', 'update', 'delete', 'begin', 'commit', 'rollback']);
/** Counting every build scans an index. */
const storedTotalsTtlMs = 60_000;

export function createServiceMetrics(version: string, host: ProcessFacts | null): ServiceMetrics {
  const registry = createRegistry();
  registry.gauge('slipway_info', 'Running version.', ['version']).set([version], 1);
  const requests = registry.histogram(
    'slipway_http_request_duration_seconds',
    'HTTP request duration, from request headers to the last response byte.',
    requestSeconds,
    ['route', 'method', 'status'],
  );
  const sent = registry.counter('slipway_http_sent_bytes_total', 'Response bytes sent.', ['route']);
  const uploads = registry.counter('slipway_uploads_total', 'Builds published.');
  const uploadBytes = registry.counter('slipway_upload_bytes_total', 'Package bytes published.');
  const refusals = registry.counter(
    'slipway_rate_limited_total',
    'Requests refused because a limit was exceeded.',
    ['kind'],
  );
  const queries = registry.histogram(
    'slipway_database_query_duration_seconds',
    'Database statement duration, including queue time.',
    querySeconds,
    ['verb'],
  );
  const slow = registry.counter(
    'slipway_database_slow_queries_total',
    'Statements recorded in the slow-query log.',
  );
  const streams = registry.gauge('slipway_event_streams', 'Open event streams.');
  const offset = registry.gauge(
    'slipway_clock_offset_seconds',
    'Clock of this node minus the clock of the database.',
  );
  const collectData = createDataCollector(registry);
  const process = host ? createProcessCollector(registry, host) : null;
  return {
    request: ({ method, route, status, ms, bytes, cut }) => {
      const pattern = route ?? 'none';
      const label = cut ? 'cut' : String(status);
      requests.observe([pattern, methods.has(method) ? method : 'other', label], ms / 1000);
      sent.add([pattern], bytes);
    },
    upload: (bytes) => {
      uploads.add([]);
      uploadBytes.add([], bytes);
    },
    refused: (kind) => refusals.add([kind]),
    query: ({ verb, durationMs, slow: isSlow }) => {
      queries.observe([verbs.has(verb) ? verb : 'other'], durationMs / 1000);
      if (isSlow) slow.add([]);
    },
    text: async (data, { eventStreams, clockOffsetMs }) => {
      streams.set([], eventStreams);
      if (clockOffsetMs !== null) offset.set([], clockOffsetMs / 1000);
      await Promise.all([collectData(data), process?.collect()]);
      return registry.text();
    },
    stop: () => process?.stop(),
  };
}

function createDataCollector(registry: Registry): (data: Data) => Promise<void> {
  const up = registry.gauge('slipway_database_up', 'Whether the database answered this scrape: 1 or 0.');
  const jobs = registry.gauge('slipway_outbox_jobs', 'Background jobs.', ['kind', 'state']);
  const builds = registry.gauge('slipway_builds', 'Stored builds.');
  const stored = registry.gauge('slipway_stored_bytes', 'Stored bytes of packages and simulator builds.');
  const damaged = registry.gauge('slipway_damaged_builds', 'Builds with damaged files.');
  const auditSealed = registry.gauge(
    'slipway_audit_sealed_entries',
    'Number of the newest sealed entry of the audit log.',
  );
  const auditSent = registry.gauge(
    'slipway_audit_streamed_entries',
    'Number of the last entry that the receiver of the audit log has.',
  );
  const auditFailures = registry.gauge(
    'slipway_audit_stream_failures',
    'Failed attempts to stream the audit log since the last success.',
  );
  let countedAt = Number.NEGATIVE_INFINITY;
  return async (data) => {
    const metrics = metricsQueries(data);
    const stores = buildQueries(data);
    try {
      for (const lane of Object.values(lanes)) {
        const counts = await metrics.countJobs(lane);
        for (const kind of lane.kinds) {
          const count = counts.find((one) => one.kind === kind);
          jobs.set([kind, 'waiting'], count?.waiting ?? 0);
          jobs.set([kind, 'dead'], count?.dead ?? 0);
        }
      }
      if (performance.now() - countedAt >= storedTotalsTtlMs) {
        const counted = await metrics.countStored();
        builds.set([], counted.builds);
        stored.set([], counted.bytes);
        countedAt = performance.now();
      }
      const { sealed, stream } = await readAuditStatus(data);
      auditSealed.set([], sealed);
      auditSent.set([], stream.seq);
      auditFailures.set([], stream.failures);
      damaged.set([], await stores.countDamaged());
      up.set([], 1);
    } catch {
      // Keeps the last counts. slipway_database_up reports the failure.
      up.set([], 0);
    }
  };
}

function createProcessCollector(registry: Registry, host: ProcessFacts) {
  const delay = monitorEventLoopDelay();
  delay.enable();
  registry
    .gauge('process_start_time_seconds', 'Start time of the process in Unix seconds.')
    .set([], performance.timeOrigin / 1000);
  const resident = registry.gauge(
    'process_resident_memory_bytes',
    'Resident memory of the server and its child processes in bytes.',
  );
  const heap = registry.gauge('nodejs_heap_used_bytes', 'JavaScript heap in use.');
  const lag = registry.gauge('nodejs_eventloop_delay_p99_seconds', 'Event loop delay since the last scrape.');
  const open = registry.gauge(
    'process_open_fds',
    'Open file descriptors of the server and its child processes.',
  );
  const cpu = registry.counter(
    'process_cpu_seconds_total',
    'User and system CPU time of the server and its child processes.',
  );
  let countedCpu = 0;
  return {
    collect: async () => {
      const children = await (host.childProcesses?.() ?? readChildProcesses());
      const { rss, heapUsed } = host.memoryUsage();
      resident.set([], rss + children.residentBytes);
      heap.set([], heapUsed);
      const { user, system } = host.cpuUsage();
      const usedCpu = (user + system) / 1e6 + children.cpuSeconds;
      // A child process that ends while it is read is missing once.
      cpu.add([], Math.max(0, usedCpu - countedCpu));
      countedCpu = Math.max(usedCpu, countedCpu);
      lag.set([], Number.isFinite(delay.mean) ? delay.percentile(99) / 1e9 : 0);
      delay.reset();
      // Only available on Linux.
      const files = await readdir('/proc/self/fd').catch(() => null);
      if (files) open.set([], files.length + children.openFiles);
    },
    stop: () => {
      delay.disable();
    },
  };
}
