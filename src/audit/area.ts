import { hostname } from 'node:os';
import { AppError } from '../core/errors.ts';
import type { Outbound } from '../core/outbound/outbound-target.ts';
import type { ServerSecret } from '../core/signature.ts';
import type { Data } from '../db/data.ts';
import { installation, type JobHandlers } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { createPostWebhook } from '../webhooks/post-webhook-http.ts';
import type { AuditConfig } from './audit-config.ts';
import { createReceiver } from './audit-receivers.ts';
import { isStreamDue, readAuditStatus, streamEntries } from './audit-stream.ts';
import { type AuditChain, createAuditChain, sealAll } from './seal-entries.ts';

export interface AuditAreaDeps {
  config: { audit: AuditConfig };
  data: Data;
  secret: ServerSecret;
  outbound: Outbound;
  version: string;
  now: () => number;
  log: { error(fields: object, message: string): void; warn(fields: object, message: string): void };
}

export interface AuditArea {
  chain: AuditChain;
  jobs: Pick<JobHandlers, 'seal-audit' | 'stream-audit'>;
  /** Adds the jobs for entries that are not sealed or not sent yet. Called often; looks only every few seconds. */
  plan(): Promise<void>;
}

/** The longest wait before a job for a new entry is added. A burst costs one job. */
const lookEveryMs = 5_000;
const brokenPauseMs = 10 * 60_000;

/** The hash chain of the audit log, and its stream to a receiver. */
export function createAuditArea(deps: AuditAreaDeps): AuditArea {
  const { config, data, now, log } = deps;
  const { stream } = config.audit;
  const chain = createAuditChain(deps.secret);
  const send =
    stream &&
    createReceiver(stream, {
      post: createPostWebhook(deps.outbound),
      now,
      userAgent: `Slipway/${deps.version}`,
      host: hostname(),
    });
  let lookAt = 0;
  let sealAt = 0;
  const addJobs = async () => {
    const status = await readAuditStatus(data);
    const outbox = outboxQueries(data);
    if (status.unsealed && now() >= sealAt)
      await outbox.addOnce('audit-seal', installation, { kind: 'seal-audit' }, now(), now());
    if (send && isStreamDue(status, now()))
      await outbox.addOnce('audit-stream', installation, { kind: 'stream-audit' }, now(), now());
  };
  return {
    chain,
    plan: async () => {
      if (now() < lookAt) return;
      lookAt = now() + lookEveryMs;
      await addJobs();
    },
    jobs: {
      'seal-audit': async () => {
        try {
          await sealAll(data, chain);
        } catch (error) {
          // Repeating the job would not help. An administrator must act; entries are recorded meanwhile.
          if (!(error instanceof AppError && error.kind === 'conflict')) throw error;
          log.error({ event: 'audit.broken', err: error }, 'entries of the audit log could not be sealed');
          sealAt = now() + brokenPauseMs;
        }
        await addJobs();
      },
      'stream-audit': async () => {
        const error = send && (await streamEntries(data, send, now));
        if (error) log.warn({ event: 'audit.not-streamed', error }, 'the audit log could not be streamed');
      },
    },
  };
}
