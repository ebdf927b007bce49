/** The data of the overview, and the items that need attention. */
import type { BlobConfig } from '../blobs/blob-config.ts';
import type { LastDoctor } from '../operations/doctor/doctor-run.ts';
import type { DatabaseFacts } from './administration-queries.ts';
import type { Stored } from './administration-storage.ts';

export interface Overview {
  version: string;
  /** Null if unknown. */
  nodeVersion: string | null;
  startedAt: number;
  database: DatabaseFacts;
  publicUrl: string | null;
  canSendMail: boolean;
  counts: { people: number; projects: number; workspaces: number };
  /** Each counted up to `countedTo`. */
  work: { waiting: number; late: number; failing: number; dead: number };
  mail: { waiting: number; dead: number };
  countedTo: number;
  doctor: LastDoctor | null;
  stored: Stored & { countedAt: number };
  /** Contains no credentials. */
  place: BlobConfig;
  /** Space on the disk that stores the files; null if they are stored elsewhere or it is unknown. */
  disk: { freeBytes: number; totalBytes: number } | null;
  minimumFreeBytes: number;
  /** Null if the audit log is not streamed. */
  auditStream: { receiver: string; waiting: number; sentAt: number | null; error: string | null } | null;
}

/** Jobs that have been due for this long are late. */
export const lateAfterMs = 5 * 60_000;

export type Need = 'deadWork' | 'deadMail' | 'lateWork' | 'lowDisk' | 'problems';

export function attentionItemsOf({ work, mail, disk, minimumFreeBytes, doctor }: Overview): Need[] {
  return [
    ...(doctor?.checks.some(({ state }) => state === 'problem') ? (['problems'] as const) : []),
    ...(disk && disk.freeBytes < 2 * minimumFreeBytes ? (['lowDisk'] as const) : []),
    ...(work.dead > 0 ? (['deadWork'] as const) : []),
    ...(work.late > 0 ? (['lateWork'] as const) : []),
    ...(mail.dead > 0 ? (['deadMail'] as const) : []),
  ];
}
