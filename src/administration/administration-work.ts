/** Work in the background as administrators see it. Pure. */
import type { ClaimedJob, Job } from '../jobs/outbox.ts';

/** `planned`: not due yet. `running`: some node has it. `failing`: it is tried again. `dead`: it is not any more. */
export const workStates = ['dead', 'failing', 'running', 'waiting', 'planned'] as const;
export type WorkState = (typeof workStates)[number];

export interface Work extends ClaimedJob {
  state: WorkState;
  /** When it is tried, or tried again; of one that runs, when it counts as given up by its node. */
  dueAt: number;
  /** Without anything that looks like a secret. */
  lastError: string | null;
  madeAt: number;
}

/** A build or an App that a job is about. */
export interface WorkSubject {
  name: string;
  revision: number | null;
}

/** Under which id the subject of a job is looked up; null when it has none, or several. */
export function subjectOf(job: Job): { of: 'builds' | 'mails' | 'apps'; id: string } | null {
  if ('buildId' in job) return { of: 'builds', id: job.buildId };
  if ('mailId' in job) return { of: 'mails', id: job.mailId };
  return 'appId' in job ? { of: 'apps', id: job.appId } : null;
}

/** Without the others something would stay hidden and take room for good, or a page would wait for what never comes. */
const droppable: ReadonlySet<Job['kind']> = new Set([
  ...(['draw-icon', 'verify-signature', 'announce-build'] as const),
  ...(['send-mail', 'send-letter', 'send-last-hook', 'remove-blobs'] as const),
]);
export const canGiveUp = (kind: Job['kind']) => droppable.has(kind);

const maxErrorLength = 400;

/**
 * What an error says, without what could open something: credentials and queries in addresses, keys of Slipway, values of
 * headers and settings that are called so, and long runs of characters such as tokens and digests.
 */
export function withoutSecrets(text: string): string {
  const told = text
    .replace(/\/\/[^\s/@]+@/g, '//…@')
    .replace(/([?&][^\s=&]{1,64}=)[^\s&"'<>]+/g, '$1…')
    .replace(/\bslw_[\w-]+/g, 'slw_…')
    .replace(/\b(bearer|basic|token)\s+[\w.+/=~-]{8,}/gi, '$1 …')
    .replace(/((?:password|passwd|secret|api[_-]?key|authorization)["']?\s*[:=]\s*["']?)[^\s"',;]+/gi, '$1…')
    .replace(/[A-Za-z0-9+/_=-]{32,}/g, (run) => (/[0-9]/.test(run) && /[A-Za-z]/.test(run) ? '…' : run));
  return told.length > maxErrorLength ? `${told.slice(0, maxErrorLength - 1)}…` : told;
}
