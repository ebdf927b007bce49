/** A claim on work, such as a job, that only one process does at a time. */
export interface Claim {
  /** The process that holds it. */
  nodeId: string;
  /** Unique among the claims of a process. */
  number: number;
  /** Whether it may take over work that another process did not release before its lease ended. */
  takesOver: boolean;
}

/**
 * Length of a lease, by the database’s clock. It is renewed while the work runs, so a process with an expired lease has died or
 * is frozen. Others take over within a minute, which includes the time until they look.
 */
export const leaseMs = 45_000;
