/** Background jobs as administrators see them. */
import type { ClaimedJob, Job } from '../jobs/outbox.ts';

/** `planned`: not due yet. `running`: leased by a node. `failing`: will be retried. `dead`: no longer retried. */
export const jobStates = ['dead', 'failing', 'running', 'waiting', 'planned'] as const;
export type JobState = (typeof jobStates)[number];

export interface AdministeredJob extends Omit<ClaimedJob, 'ownerId'> {
  state: JobState;
  /** When the next attempt is due; for a running job, when its lease expires. */
  dueAt: number;
  /** Redacted by `withoutSecrets`. */
  lastError: string | null;
  madeAt: number;
}

/** A build, an App or an API key that a job is about. */
export interface JobSubject {
  name: string;
  revision: number | null;
}

/** The id of the job’s subject; null if it has none, or several. */
export function subjectOf(job: Job): { of: 'builds' | 'mails' | 'apps' | 'keys'; id: string } | null {
  if ('buildId' in job) return { of: 'builds', id: job.buildId };
  if ('mailId' in job) return { of: 'mails', id: job.mailId };
  if ('keyId' in job) return { of: 'keys', id: job.keyId };
  return 'appId' in job ? { of: 'apps', id: job.appId } : null;
}

/** Groups jobs of one kind that were never tried, because they look the same, at the position of the first. Other jobs stay separate. */
export function groupJobs(work: readonly AdministeredJob[]): AdministeredJob[][] {
  const groups = new Map<string, AdministeredJob[]>();
  for (const one of work) {
    const about = one.job.kind === 'send-account-email' ? one.job.accountEmail.about : '';
    const name = one.attempts > 0 ? one.id : `${one.state} ${one.job.kind} ${about}`;
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups.values()];
}

/** Only these may be discarded. Without the others, data would stay hidden and use storage permanently, or a page would wait forever. */
const droppable: ReadonlySet<Job['kind']> = new Set([
  ...(['draw-icon', 'verify-signature', 'analyze-build', 'announce-build'] as const),
  ...(['send-mail', 'send-account-email', 'send-feedback-reply', 'announce-feedback'] as const),
  ...(['send-feedback-mail', 'send-store-rule-mail', 'send-last-webhook', 'remove-blobs'] as const),
]);
export const canDiscard = (kind: Job['kind']) => droppable.has(kind);

const maxErrorLength = 400;

/**
 * Redacts an error message: credentials and queries in addresses, Slipway keys, values of headers and settings with
 * secret-like names, and long runs of characters such as tokens and digests.
 */
export function withoutSecrets(text: string): string {
  const shown = text
    .replace(/\/\/[^\s/@]+@/g, '//…@')
    .replace(/([?&][^\s=&]{1,64}=)[^\s&"'<>]+/g, '$1…')
    .replace(/\bslw_[\w-]+/g, 'slw_…')
    .replace(/\b(bearer|basic|token)\s+[\w.+/=~-]{8,}/gi, '$1 …')
    .replace(/((?:password|passwd|secret|api[_-]?key|authorization)["']?\s*[:=]\s*["']?)[^\s"',;]+/gi, '$1…')
    .replace(/[A-Za-z0-9+/_=-]{32,}/g, (run) => (/[0-9]/.test(run) && /[A-Za-z]/.test(run) ? '…' : run));
  return shown.length > maxErrorLength ? `${shown.slice(0, maxErrorLength - 1)}…` : shown;
}
