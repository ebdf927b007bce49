/** Time limits of statements, transactions and connections of PostgreSQL. */

/** A server answers people; a command works alone and on all data. In milliseconds. */
export interface PostgresLimits {
  /**
   * For a transaction's first wait for a lock. It then gives its connection back and tries again (see `data.ts`). Null if
   * transactions wait like other statements.
   */
  firstLockMs: number | null;
  /** How long the transaction then waits for its turn to wait. */
  turnMs: number;
  /** How long a statement waits for a lock. */
  lockMs: number;
  /** How long a statement may take, including its waits. */
  statementMs: number;
  /**
   * How long a transaction may be idle before PostgreSQL ends it and releases its locks. Transactions contain only SQL, so the
   * process of an idle one is frozen or unreachable. Shorter than `lockMs` of a server, so that servers wait for this instead of
   * failing.
   */
  idleInTransactionMs: number;
  /** How long a connection may take to prove that it works. Shorter than the timeout of `/readyz`. */
  pingMs: number;
}

const hourMs = 60 * 60_000;

export const postgresLimits = {
  server: {
    firstLockMs: 500,
    turnMs: 10_000,
    lockMs: 8_000,
    statementMs: 20_000,
    idleInTransactionMs: 5_000,
    pingMs: 2_500,
  },
  command: {
    firstLockMs: null,
    turnMs: 10_000,
    lockMs: 60_000,
    statementMs: hourMs,
    idleInTransactionMs: 5_000,
    pingMs: 2_500,
  },
} as const satisfies Record<string, PostgresLimits>;

/** A migration waits for another node that migrates, and may rewrite large tables. */
export const migrationLimits = { lockMs: hourMs, statementMs: hourMs, idleInTransactionMs: 60_000 };
/** A transaction that copies rows is idle while the other database reads or writes some. It locks no row that a server uses. */
export const copyingLimits = { idleInTransactionMs: 60_000 };

/** Added to `statementMs`, so that PostgreSQL’s own error arrives before this process gives up a connection. */
export const answerGraceMs = 5_000;
export const connectTimeoutMs = 10_000;
/** After this idle time, TCP checks whether the peer still exists. */
export const keepAliveDelayMs = 10_000;

/**
 * Returns the settings of a session. They are set by a statement, because PgBouncer refuses to start a session with them.
 * Settings unknown to the version of PostgreSQL are left out. The TCP settings free connections of machines that no longer exist.
 */
export function sessionSettings(limits: PostgresLimits): [name: string, value: string][] {
  return [
    ['lock_timeout', `${limits.lockMs}`],
    ['statement_timeout', `${limits.statementMs}`],
    ['idle_in_transaction_session_timeout', `${limits.idleInTransactionMs}`],
    ['tcp_keepalives_idle', '30'],
    ['tcp_keepalives_interval', '10'],
    ['tcp_keepalives_count', '3'],
    ['tcp_user_timeout', '30000'],
  ];
}
