/** What somebody may do with an Owner, and so which of its pages are for them. */
import type { Actor } from './actor.ts';
import type { Owner, Team } from './owner.ts';
import { canManage, canOversee, canUpload, canView } from './permissions.ts';

export interface OwnerPermissions {
  /** The Owner's apps. */
  views: boolean;
  uploads: boolean;
  /** Keys, invitations. */
  manages: boolean;
  /** Settings, audit log, deletion. */
  oversees: boolean;
  administrator: boolean;
}

export function permissionsOf(actor: Actor, owner: Owner, teams: readonly Team[]): OwnerPermissions {
  return {
    views: canView(actor, owner, teams),
    uploads: canUpload(actor, owner, teams),
    manages: canManage(actor, owner, teams),
    oversees: canOversee(actor, owner, teams),
    administrator: actor.kind === 'user' && actor.user.administrator,
  };
}
