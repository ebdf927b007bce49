import type { AuditEntry } from '../../owners/audit-queries.ts';
import type { App } from '../app.ts';

/** Audit log entry for an action on a build. */
export function buildEntry(
  action: string,
  by: AuditEntry['actor'],
  app: App,
  build: { id: string; revision: number },
  at: number,
  details: Record<string, unknown> = {},
): AuditEntry {
  return {
    at,
    actor: by,
    action,
    ownerId: app.owner.id,
    subject: `${app.packageName} (${app.platform}) revision ${build.revision}`,
    details: { build: build.id, ...details },
  };
}
