import type { Project, Team } from '../../owners/owner.ts';
import type { PageLinks } from '../../web/components/paging.tsx';

/** One row of a list of Projects. */
export interface ProjectLine {
  project: Project;
  /** Epoch milliseconds; null before the first upload. */
  lastUploadAt: number | null;
}

/** Selects the Projects of a member, of a Workspace, or those that match both. */
export interface ProjectScope {
  memberId?: string;
  /** The member's teams that count; absent for any. */
  teams?: readonly Team[];
  workspaceId?: string;
  /** Only these ids; null for no restriction. */
  within?: readonly string[] | null;
}

/** The first `limit` by name, those following `after`, or those closest before `before`. */
export interface NamePage {
  limit: number;
  after?: string | undefined;
  before?: string | undefined;
}

/** One page of results. */
export interface NamePageResult<Item> {
  /** The search text; empty without a search. */
  query: string;
  items: Item[];
  paging: PageLinks;
}

/** A Project with the teams of a member. */
export type MemberProject = ProjectLine & { teams: readonly Team[] };
