import type { DistributionPage, PageRules } from '../distribution-page.ts';

/** Describes a settings change for the audit log: old and new values, but never a passcode or its hash. */
interface After extends PageRules {
  name: string;
  releaseNote: string;
  recount: boolean;
}

const plain = [
  'name',
  'active',
  'access',
  'expiresAt',
  'maxInstalls',
  'networks',
  'feedback',
  'mandatoryFrom',
] as const;

/** By field. Empty if nothing changed. */
export function describeChanges(
  before: DistributionPage,
  after: After,
  oldRevision: number,
  newRevision: number,
): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const field of plain) {
    const [old, now] = [before[field], after[field]];
    if (JSON.stringify(old) !== JSON.stringify(now)) changes[field] = [old, now];
  }
  const passcode = passcodeChange(before.passcodeHash, after.passcodeHash);
  if (passcode) changes.passcode = passcode;
  if (oldRevision !== newRevision) changes.build = [oldRevision, newRevision];
  // Notes are long, and the publish history contains them.
  if (before.releaseNote !== after.releaseNote) changes.releaseNote = 'changed';
  if (after.recount && before.installs > 0) changes.installs = [before.installs, 0];
  return changes;
}

function passcodeChange(before: string | null, after: string | null): 'set' | 'changed' | 'removed' | null {
  if (before === after) return null;
  if (before === null) return 'set';
  return after === null ? 'removed' : 'changed';
}
