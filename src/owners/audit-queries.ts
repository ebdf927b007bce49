import { identifierTime, newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { Actor } from './actor.ts';
import { actorName } from './actor.ts';
import type { AuditFilter, AuditRow } from './audit.ts';
import { nameKey } from './owner.ts';

/** One deed that changed something, as the audit log keeps it: in words that outlive the rows they speak of. */
export interface AuditEntry {
  at: number;
  /**
   * `command-line` for deeds of the operator at the machine itself, `sign-up` and `single-sign-on` for somebody who comes
   * to have an account, `sign-in` for somebody who has not proven who it is.
   */
  actor: Actor | 'command-line' | 'first-start' | 'sign-up' | 'system' | 'single-sign-on' | 'sign-in';
  /** For example `build.uploaded`, `project.made`. */
  action: string;
  ownerId: string | null;
  /** What it was done to, for a reader: a package name with its revision, a user's name. */
  subject: string;
  details?: Record<string, unknown>;
}

export type AuditQueries = ReturnType<typeof createAuditQueries>;

export const auditQueries = defineQueries(createAuditQueries);

function createAuditQueries(db: Queries) {
  /**
   * Newest first. `below`, `above`: only rows older, or newer, than the one of that id; with `above` those closest to it.
   */
  const page = async (
    filter: AuditFilter,
    page: { most: number; below?: string | undefined; above?: string | undefined },
  ): Promise<AuditRow[]> => {
    const { ownerId, action, actorName: actor, from, until } = filter;
    const upwards = page.above !== undefined;
    let query = db
      .selectFrom('audit_rows')
      .select(['id', 'at', 'actor_name', 'action', 'subject', 'details'])
      .orderBy('id', upwards ? 'asc' : 'desc')
      .limit(page.most);
    if (ownerId !== null) query = query.where('owner_id', '=', ownerId);
    if (action !== undefined) query = query.where('action', '=', action);
    if (actor !== undefined) query = query.where('actor_name', '=', actor);
    if (from !== undefined) query = query.where('id', '>=', identifierTime(from));
    if (until !== undefined) query = query.where('id', '<', identifierTime(until));
    if (page.below !== undefined) query = query.where('id', '<', page.below);
    if (page.above !== undefined) query = query.where('id', '>', page.above);
    const rows = (await query.execute()).map((row) => ({
      id: row.id,
      at: row.at,
      actorName: row.actor_name,
      action: row.action,
      subject: row.subject,
      details: JSON.parse(row.details),
    }));
    return upwards ? rows.reverse() : rows;
  };

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

    page,

    /** Rows of those actions from before that time go. */
    async deleteOld(actions: readonly string[], before: number): Promise<void> {
      await db
        .deleteFrom('audit_rows')
        .where('action', 'in', [...actions])
        .where('id', '<', identifierTime(before))
        .execute();
    },

    /** The newest of an Owner. */
    async list(ownerId: string, most: number): Promise<Omit<AuditRow, 'id'>[]> {
      const rows = await page({ ownerId }, { most });
      return rows.map(({ id: _id, ...row }) => row);
    },

    /** As its owner writes it, whatever the case here; of those that are gone, too. Null when nobody ever had it. */
    async findActorName(name: string): Promise<string | null> {
      const row = await db
        .selectFrom('owners')
        .select('name')
        .where('name_key', '=', nameKey(name))
        .executeTakeFirst();
      return row?.name ?? null;
    },
  };
}
