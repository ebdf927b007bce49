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
  /** Null: every row, with or without an Owner. */
  ownerId: string | null;
  action?: string | undefined;
  actorName?: string | undefined;
  /** Epoch milliseconds, inclusive. */
  from?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  until?: number | undefined;
}

/** Subjects of entries about sign-ins that name no account; typed names are not stored because people mistype passwords there. */
export const auditSubjects = {
  unknownName: 'a name that nobody has',
  unknownPerson: 'somebody unknown',
  /** The subject of an invitation to the installation. */
  newUser: 'a new user',
};

/**
 * A part of an invited address, enough to tell people of a team apart, because the log outlives invitations and people. Pages show
 * the address as long as the invitation is open.
 */
export const addressHint = (address: string) => address.replace(/^(.)[^@]*/u, '$1…');

/** Details of an entry about an invitation by email. */
export const mailedTo = (address: string | null) =>
  address === null ? { mailed: false } : { mailed: true, to: addressHint(address) };
