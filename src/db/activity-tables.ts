import type { ColumnType } from 'kysely';

/** The tables with views and installs of distribution pages. */
export interface ActivityTables {
  install_tickets: { page_id: string; ticket: string; used_at: number };
  page_counts: {
    page_id: string;
    build_id: string;
    day: string;
    platform: string;
    kind: string;
    times: number;
    people: number;
    /** How many of `people` were members, who are named in `member_activity`. */
    members: ColumnType<number, number | undefined, number>;
  };
  /** One row per member, build and page, so that repeated visits add no rows. */
  member_activity: {
    id: string;
    app_id: string;
    build_id: string;
    /** Null if opened or installed from the pages of the app. */
    page_id: string | null;
    user_id: string;
    /** For example `Android 16`. */
    system: string;
    model: string | null;
    opens: number;
    opened_at: number | null;
    installs: number;
    first_installed_at: number | null;
    installed_at: number | null;
    /** The later of `opened_at` and `installed_at`. */
    last_at: number;
  };
  /** The last refusal of each member and each registered device on a page. One of the two ids is null. */
  refused_visits: {
    id: string;
    page_id: string;
    user_id: string | null;
    device_id: string | null;
    reason: string;
    /** For example `Android 16`. */
    system: string;
    at: number;
  };
  /** Opens and installs by members without a page. `people` counts each of them once per day. */
  build_counts: {
    app_id: string;
    build_id: string;
    day: string;
    kind: string;
    platform: string;
    system: string;
    times: number;
    people: number;
  };
  /** `system`: platform and major version, for example `Android 16`. */
  install_systems: { page_id: string; build_id: string; day: string; system: string; installs: number };
  page_visitors: { page_id: string; build_id: string; day: string; kind: string; visitor: string };
  visitor_salts: { day: string; salt: string };
}

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
    sealed: ColumnType<number, number | undefined, number>;
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
