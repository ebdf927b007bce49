/** How long statements, transactions and connections of PostgreSQL may take. */

/** A server answers people; a command works alone, on everything. Milliseconds. */
export interface PostgresLimits {
  /**
   * For the first lock wait of a transaction, which then gives its connection back and tries again, see `data.ts`. Null: transactions
   * wait like other statements.
   */
  firstLockMs: number | null;
  /** How long a transaction then waits for its turn to wait. */
  turnMs: number;
  /** How long a statement waits for a lock. */
  lockMs: number;
  /** How long a statement runs, including its waits. */
  statementMs: number;
  /**
   * How long a transaction does nothing before PostgreSQL ends it and releases its locks: its process is frozen or unreachable, because
   * transactions contain only SQL. Shorter than `lockMs` of a server, so that servers wait for it instead of failing.
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
/** A transaction that copies rows waits while the other database reads or writes some. It holds no row that a server uses. */
export const copyingLimits = { idleInTransactionMs: 60_000 };

/** Added to `statementMs`: PostgreSQL’s own error arrives before this process gives a connection up. */
export const answerGraceMs = 5_000;
export const connectTimeoutMs = 10_000;
/** After this, TCP asks whether the other side is still there. */
export const keepAliveDelayMs = 10_000;

/**
 * The settings of a session. Set by a statement, because PgBouncer refuses to start a session with them; those that the version of
 * PostgreSQL does not know are left out. The TCP settings free the connections of machines that are gone.
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
