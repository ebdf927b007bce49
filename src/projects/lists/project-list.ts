import type { Project, Team } from '../../owners/owner.ts';
import type { PageLinks } from '../../web/components/paging.tsx';

/** A row in a list of Projects. */
export interface ProjectLine {
  project: Project;
  /** Epoch milliseconds; null before the first upload. */
  lastUploadAt: number | null;
}

/** Selects the Projects of a member, of a Workspace, or those that match both. */
export interface ProjectScope {
  memberId?: string;
  /** The teams of the member that count; absent for any. */
  teams?: readonly Team[];
  workspaceId?: string;
  /** Limits the result to these ids; null for no restriction. */
  within?: readonly string[] | null;
}

/** The first `limit` by name, those after `after`, or those directly before `before`. */
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
