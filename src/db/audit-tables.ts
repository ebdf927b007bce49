import type { ColumnType } from 'kysely';

/** May be omitted in an insert, because the database has a default. */
type ColumnWithDefault<T> = ColumnType<T, T | undefined, T>;

/** The tables of the audit log. */
export interface AuditTables {
  audit_rows: {
    id: string;
    at: number;
    actor_kind: string;
    actor_id: string | null;
    actor_name: string;
    action: string;
    owner_id: string | null;
    subject: string;
    details: string;
    /** 1 if the entry has a seal. */
    sealed: ColumnWithDefault<number>;
  };
  /** The hash chain of the audit log. `audit/audit-chain.ts` says what the columns mean. */
  audit_seals: {
    seq: number;
    entry_id: string;
    salt: string | null;
    entry_hash: string;
    hash: string;
    waiver: string | null;
  };
}
