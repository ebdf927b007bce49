import type { ColumnType } from 'kysely';

/** Checks of builds, and the rules of the app stores. */
export interface CheckTables {
  /** JSON: what `insight/checks/` judges. Exists once a build is analyzed. */
  build_checks: { build_id: string; facts: string; updated_at: number };
  /** `accepted_by`: a name, because the acceptance outlives the account. */
  check_acceptances: {
    build_id: string;
    check_id: string;
    reason: string;
    accepted_by: string;
    created_at: number;
  };
  /** Rules that an administrator added, and built-in ones that one changed, whose `kind` is null. */
  store_rules: {
    id: string;
    kind: string | null;
    threshold: number | null;
    source: string | null;
    /** `YYYY-MM-DD`; null: as built in. */
    from_day: string | null;
    muted: ColumnType<number, number | undefined, number>;
    updated_at: number;
  };
  /** `days`: how long before the rule the reminder was sent. */
  store_rule_reminders: { app_id: string; rule_id: string; days: number; created_at: number };
}
