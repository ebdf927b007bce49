/** Lists of Projects and of what else has a name, page by page. */
import type { Project, Team } from '../../owners/owner.ts';
import type { PageLinks } from '../../web/components/paging.tsx';

/** One line of a list of Projects. */
export interface ProjectLine {
  project: Project;
  /** Epoch milliseconds of the latest upload to it; null before the first. */
  lastUploadAt: number | null;
}

/** Of which Projects: those in whose teams a User is, those of a Workspace, or, with both, those that are both. */
export interface ProjectScope {
  memberId?: string;
  /** Of the member, the teams that count; every one when absent. */
  teams?: readonly Team[];
  workspaceId?: string;
  /** Only these; null: all of them. */
  within?: readonly string[] | null;
}

/** The first `most` by name, or those that follow behind the name `after`, or those that stand nearest before `before`. */
export interface NamePage {
  most: number;
  after?: string | undefined;
  before?: string | undefined;
}

/** One page of what was found. */
export interface FoundNames<Item> {
  /** What was searched for; `''` when nothing was. */
  query: string;
  items: Item[];
  paging: PageLinks;
}

/** A Project with the teams in which somebody is there. */
export type MemberProject = ProjectLine & { teams: readonly Team[] };
