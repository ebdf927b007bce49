import type { NamedInvitation } from '../../accounts/invitations/invitation.ts';
import type { Team, WorkspaceRole } from '../../owners/owner.ts';

/** The places that a person has access to and the viewer manages. */
export interface PersonPlaces {
  projects: readonly { id: string; name: string; teams: readonly Team[]; isLastOwner: boolean }[];
  workspaces: readonly { id: string; name: string; role: WorkspaceRole; isLastOwner: boolean }[];
  /** Apps of Users, shared with the person. */
  apps: readonly { id: string; name: string; owner: { id: string; name: string } }[];
  invitations: readonly NamedInvitation[];
}
