/** A claim on work that one process at a time does, such as a job. */
export interface Claim {
  /** The process that holds it. */
  nodeId: string;
  /** Different for each claim of a process. */
  number: number;
  /** Whether it may take over what another process did not release before its lease ended. */
  takesOver: boolean;
}

/**
 * Renewed while the work runs. After this, the process has died or is frozen. By the database’s clock. With the time until others look,
 * less than a minute.
 */
export const leaseMs = 45_000;
