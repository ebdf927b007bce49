import { identifierTime, newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { Actor, DirectoryActor } from './actor.ts';
import { actorId, actorName } from './actor.ts';
import type { AuditFilter, AuditRow } from './audit.ts';
import { nameKey } from './owner.ts';

/** An action in the audit log. It stores names, not references, because the log outlives the rows. */
export interface AuditEntry {
  at: number;
  /**
   * `command-line`: the operator on the server. `sign-up` and `single-sign-on`: a person who is creating an account. `sign-in`: a
   * person who is not authenticated yet.
   */
  actor:
    | Actor
    | DirectoryActor
    | 'command-line'
    | 'first-start'
    | 'sign-up'
    | 'system'
    | 'single-sign-on'
    | 'sign-in';
  /** For example `build.uploaded`, `project.made`. */
  action: string;
  ownerId: string | null;
  /** The object of the action as readable text: a package name with its revision, a user's name. */
  subject: string;
  details?: Record<string, unknown>;
}

export const auditQueries = defineQueries(createAuditQueries);

function createAuditQueries(db: Queries) {
  /** Returns rows, newest first. `below` and `above` limit them to rows older or newer than that id; with `above`, the closest ones. */
  const page = async (
    filter: AuditFilter,
    page: { limit: number; below?: string | undefined; above?: string | undefined },
  ): Promise<AuditRow[]> => {
    const { ownerId, action, actorName: actor, from, until } = filter;
    const upwards = page.above !== undefined;
    let query = db
      .selectFrom('audit_rows')
      .select(['id', 'at', 'actor_name', 'action', 'subject', 'details'])
      .orderBy('id', upwards ? 'asc' : 'desc')
      .limit(page.limit);
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
      const key = typeof actor === 'string' || actor.kind === 'directory' ? undefined : actor.key;
      const details = { ...(key ? { key: { id: key.id, name: key.name } } : {}), ...entry.details };
      const named = namedActor(actor);
      await db
        .insertInto('audit_rows')
        .values({
          id: newIdentifier(entry.at),
          at: entry.at,
          actor_kind: typeof actor === 'string' ? actor : actor.kind,
          actor_id: named.id,
          actor_name: named.name,
          action: entry.action,
          owner_id: entry.ownerId,
          subject: entry.subject,
          details: JSON.stringify(details),
        })
        .execute();
    },

    page,

    /** Returns the newest rows of an Owner. */
    async list(ownerId: string, limit: number): Promise<Omit<AuditRow, 'id'>[]> {
      const rows = await page({ ownerId }, { limit });
      return rows.map(({ id: _id, ...row }) => row);
    },

    /** Returns the name in its original case, including that of a deleted Owner; null if no Owner ever had it. */
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

/** Returns the name of who acts, as in the audit log. */
export const nameOfActor = (actor: AuditEntry['actor']) => namedActor(actor).name;

/** The name of a token can be that of a person, so it is marked. */
function namedActor(actor: AuditEntry['actor']): { id: string | null; name: string } {
  if (typeof actor === 'string') return { id: null, name: actor };
  if (actor.kind === 'directory') return { id: actor.token.id, name: `${actor.token.name} (SCIM)` };
  return { id: actorId(actor), name: actorName(actor) };
}
