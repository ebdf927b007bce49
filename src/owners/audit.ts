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

/** Subjects of entries about sign-ins that name no account; typed names are not stored because people mistype passwords there. */
export const auditSubjects = { unknownName: 'a name that nobody has', unknownPerson: 'somebody unknown' };
