/** A row of the audit log. */
export interface AuditRow {
  /** Sorts by time. */
  id: string;
  at: number;
  actorName: string;
  action: string;
  subject: string;
  details: Record<string, unknown>;
}

/** Selects rows of the audit log. Absent fields do not filter. */
export interface AuditFilter {
  /** Null for all rows, with or without an Owner. */
  ownerId: string | null;
  action?: string | undefined;
  actorName?: string | undefined;
  /** Epoch milliseconds, inclusive. */
  from?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  until?: number | undefined;
}

/** Kept for a limited time, because these entries, unlike others, reveal where people were. */
export const signInActions = ['sign-in.accepted', 'sign-in.refused', 'sign-in.ended'] as const;

/**
 * Subjects of entries about sign-ins without an account. Typed names are not stored, because people sometimes type their password
 * there.
 */
export const auditSubjects = {
  unknownName: 'a name that nobody has',
  unknownPerson: 'somebody unknown',
  /** The subject of an invitation to the installation. */
  newUser: 'a new user',
};

/**
 * Part of an invited address, enough to distinguish people in a team, because the log outlives invitations and people. Pages show
 * the full address while the invitation is open.
 */
export const addressHint = (address: string) => address.replace(/^(.)[^@]*/u, '$1…');

/** Details of an entry about an invitation by email. */
export const mailedTo = (address: string | null) =>
  address === null ? { mailed: false } : { mailed: true, to: addressHint(address) };
