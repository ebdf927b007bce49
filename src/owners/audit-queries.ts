import type { Queries } from '../db/database.ts';
import { newIdentifier } from '../identifier.ts';
import type { Actor } from './actor.ts';
import { actorName } from './actor.ts';

/** One deed that changed something, as the audit log keeps it: in words that outlive the rows they speak of. */
export interface AuditEntry {
  at: number;
  /** `command-line` for deeds of the operator at the machine itself. */
  actor: Actor | 'command-line' | 'first-start';
  /** For example `build.uploaded`, `project.made`. */
  action: string;
  ownerId: string | null;
  /** What it was done to, for a reader: a package name with its revision, a user's name. */
  subject: string;
  details?: Record<string, unknown>;
}

export interface AuditRow {
  at: number;
  actorName: string;
  action: string;
  subject: string;
  details: Record<string, unknown>;
}

export type AuditQueries = ReturnType<typeof createAuditQueries>;

export function createAuditQueries(db: Queries) {
  return {
    async record(entry: AuditEntry): Promise<void> {
      const { actor } = entry;
      const named = typeof actor === 'string' ? null : actor.kind === 'user' ? actor.user : actor.project;
      await db
        .insertInto('audit_rows')
        .values({
          id: newIdentifier(entry.at),
          at: entry.at,
          actor_kind: typeof actor === 'string' ? actor : actor.kind,
          actor_id: named?.id ?? null,
          actor_name: typeof actor === 'string' ? actor : actorName(actor),
          action: entry.action,
          owner_id: entry.ownerId,
          subject: entry.subject,
          details: JSON.stringify(entry.details ?? {}),
        })
        .execute();
    },

    /** Newest first. */
    async list(ownerId: string, most: number): Promise<AuditRow[]> {
      const rows = await db
        .selectFrom('audit_rows')
        .select(['at', 'actor_name', 'action', 'subject', 'details'])
        .where('owner_id', '=', ownerId)
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(most)
        .execute();
      return rows.map((row) => ({
        at: row.at,
        actorName: row.actor_name,
        action: row.action,
        subject: row.subject,
        details: JSON.parse(row.details),
      }));
    },
  };
}
