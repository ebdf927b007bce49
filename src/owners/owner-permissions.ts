/** What a viewer may do with an Owner, which decides which of its pages are shown. */
import type { Actor } from './actor.ts';
import type { Owner, Team } from './owner.ts';
import { canAdminister, canManage, canUpload, canView } from './permissions.ts';

export interface OwnerPermissions {
  /** Sees the Owner's apps. */
  views: boolean;
  uploads: boolean;
  /** Manages keys, members and invitations. */
  manages: boolean;
  /** Manages settings, the audit log and deletion. */
  administers: boolean;
  administrator: boolean;
}

export function permissionsOf(actor: Actor, owner: Owner, teams: readonly Team[]): OwnerPermissions {
  return {
    views: canView(actor, owner, teams),
    uploads: canUpload(actor, owner, teams),
    manages: canManage(actor, owner, teams),
    administers: canAdminister(actor, owner, teams),
    administrator: actor.kind === 'user' && actor.user.administrator,
  };
}
