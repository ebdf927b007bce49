/** The audit log as it is read. */
export interface AuditRow {
  /** Sorts by time. */
  id: string;
  at: number;
  actorName: string;
  action: string;
  subject: string;
  details: Record<string, unknown>;
}

/** Which rows of the log are wanted; what is absent does not narrow them. */
export interface AuditFilter {
  /** Null: of all Owners, and of none. */
  ownerId: string | null;
  action?: string | undefined;
  actorName?: string | undefined;
  /** Epoch milliseconds, the first that counts. */
  from?: number | undefined;
  /** Epoch milliseconds, the first that does not count any more. */
  until?: number | undefined;
}
