/** "Only trusted publishers": owners and apps that accept builds with the keys of trusted publishers alone. */
import { AppError, Forbidden, NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { Actor } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { policyRefusal } from '../../owners/gate/workspace-refusal.ts';
import type { Owner } from '../../owners/owner.ts';
import { loadPermissions } from '../../owners/owner-permissions.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { policyQueries } from '../../owners/policies/policy-queries.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import { notifyKeyOwners } from '../keys/issue-key.ts';
import { trustedOnlyQueries } from './trusted-only-queries.ts';
import { trustedPublishingTexts } from './trusted-publishing-texts.ts';

/**
 * Throws `PolicyRefused`, or `forbidden` with the code `trusted_publishing_only`. Called before the body of an upload is read, and always in the
 * transaction that creates a build. `app`: null while the package is unknown.
 */
export async function requireTrusted(
  data: Connection,
  actor: Actor,
  owner: Pick<Owner, 'id' | 'name'>,
  app: { platform: string; packageName: string } | null,
): Promise<void> {
  if (actor.key?.source) return;
  const policies = await policyQueries(data).ofOwner(owner.id);
  if (policies.trustedPublishersOnly) throw policyRefusal('trustedPublishersOnly', policies);
  if (!(await trustedOnlyQueries(data).isRequired(owner.id, app))) return;
  const place = app === null ? owner.name : `${owner.name}/${app.platform}/${app.packageName}`;
  throw new AppError('forbidden', trustedPublishingTexts.errors.only({ place }), {
    code: 'trusted_publishing_only',
  });
}

/** What requires trusted publishers of all apps of the owner; null for nothing. */
export async function findTrustedRequirement(
  data: Connection,
  ownerId: string,
): Promise<'owner' | 'workspace' | null> {
  if ((await policyQueries(data).ofOwner(ownerId)).trustedPublishersOnly) return 'workspace';
  return (await trustedOnlyQueries(data).isRequired(ownerId, null)) ? 'owner' : null;
}

/** Throws `Forbidden` for people who may not end the requirement of an app: an upload would create the deleted app without it. */
export async function checkMayDelete(
  tx: Connection,
  by: Actor,
  app: {
    owner: Pick<Owner, 'id' | 'name'>;
    platform: string;
    packageName: string;
    trustedPublishersOnly: boolean;
  },
): Promise<void> {
  if (!app.trustedPublishersOnly) return;
  const owner = await ownerQueries(tx).findOwnerById(app.owner.id);
  if (owner && (await loadPermissions(tx, by, owner)).administers) return;
  const place = `${app.owner.name}/${app.platform}/${app.packageName}`;
  throw new Forbidden(trustedPublishingTexts.errors.onlyDeleted({ place }));
}

/** `app`: null for the owner. Turning it off is the emergency switch, of which everyone who manages the owner gets an email. */
export type SetTrustedOnly = (
  by: Actor,
  place: { ownerId: string; app: { id: string; platform: string; packageName: string } | null },
  only: boolean,
) => Promise<void>;

export function createSetTrustedOnly(deps: {
  data: Data;
  now: () => number;
  wakeOutbox: () => void;
}): SetTrustedOnly {
  return async (by, { ownerId, app }, only) => {
    const at = deps.now();
    await deps.data.transaction(async (tx) => {
      // Uploads hold the same lock, so none that is refused from now on is still about to commit.
      const owner = (await quotaQueries(tx).lock(ownerId)) && (await ownerQueries(tx).findOwnerById(ownerId));
      if (!owner) throw new NotFound();
      const row = app
        ? ({ table: 'apps', id: app.id } as const)
        : ({ table: 'owners', id: ownerId } as const);
      if (!(await trustedOnlyQueries(tx).require(row, only))) return;
      const subject = app ? `${app.packageName} (${app.platform})` : owner.name;
      const action = only ? 'trusted-publishing.required' : 'trusted-publishing.not-required';
      await auditQueries(tx).record({ at, actor: by, action, ownerId, subject });
      if (!only)
        await notifyKeyOwners(tx, owner, ['trusted-only-off', 'project-trusted-only-off'], { at, subject });
    });
    deps.wakeOutbox();
  };
}
