/**
 * Who can see and install what, and how they got there. Pure: permissions are decided by `owners/permissions.ts` and visits by
 * `distributions/access/page-rules.ts`, like those of requests.
 */
import { decideVisit } from '../distributions/access/page-rules.ts';
import type { PageRules } from '../distributions/distribution-page.ts';
import type { Owner, Project, Team, User, Workspace, WorkspaceRole } from '../owners/owner.ts';
import { type OwnerPermissions, permissionsOf } from '../owners/owner-permissions.ts';

/** What is reviewed. */
export type ReviewScope =
  | { kind: 'project'; project: Project }
  | { kind: 'workspace'; workspace: Workspace }
  | { kind: 'installation' };

export interface ReviewSubject {
  scope: ReviewScope;
  /** The viewer's; null unless a Project is reviewed. */
  permissions: OwnerPermissions | null;
}

/** A rule that maps a directory group, and added the person. */
export interface GrantingRule {
  directoryGroup: string;
  createdBy: string;
  createdAt: number;
}

/** How a person got into a place. `since`, `addedBy`: null if not recorded. */
export interface Way {
  kind: 'account' | 'team' | 'group' | 'group-manager' | 'app' | `workspace-${WorkspaceRole}`;
  /** The team, or the name of the group. */
  name: string | null;
  /** The id of the group or app. */
  id: string | null;
  since: number | null;
  addedBy: string | null;
  rules: readonly GrantingRule[];
}

export interface ReviewedApp {
  id: string;
  platform: 'android' | 'ios';
  packageName: string;
}

export interface ReviewedPage extends PageRules {
  id: string;
  name: string;
  app: ReviewedApp;
  /** Ids of the groups that it admits, if it is limited to groups. */
  groups: readonly string[];
}

/** What an owner has. */
export interface OwnerContent {
  apps: readonly ReviewedApp[];
  pages: readonly ReviewedPage[];
}

export interface ReviewedPerson {
  user: User;
  disabled: boolean;
  lastUsed: LastUsed;
  places: readonly PersonPlace[];
}

/** Null for what the database does not know. */
export interface LastUsed {
  signIn: number | null;
  key: number | null;
  visit: number | null;
  install: number | null;
}

export type ReviewedPlace = Owner | ({ kind: 'workspace' } & Workspace);

export interface PersonPlace {
  place: ReviewedPlace;
  ways: readonly Way[];
  reach: Reach;
}

export interface Reach {
  apps: readonly ReviewedApp[];
  pages: readonly ReviewedPage[];
  uploads: boolean;
}

export const noReach: Reach = { apps: [], pages: [], uploads: false };

/** A page with what it decides about people who see its app: computed once, because many people see the same pages. */
interface DecidedPage {
  page: ReviewedPage;
  admits: boolean;
  /** Whether it admits people in one of its groups. */
  admitsGroups: boolean;
}

export interface DecidedContent {
  apps: readonly ReviewedApp[];
  pages: readonly DecidedPage[];
  /** What people with the same rights see, of whom there are many. */
  reaches: Map<string, Reach>;
}

const maxRememberedReaches = 1000;

export function decideContent({ apps, pages }: OwnerContent, now: number): DecidedContent {
  const visit = { now, address: null, signedIn: true, knowsPasscode: false, member: true };
  const admits = (page: ReviewedPage, inGroup: boolean) =>
    decideVisit(page, { ...visit, inGroup }).kind === 'admitted';
  return {
    apps,
    reaches: new Map(),
    pages: pages.map((page) => ({
      page,
      admits: admits(page, false),
      admitsGroups: admits(page, true),
    })),
  };
}

/** What the person can see in a place of apps, and which of its pages admit them from an allowed network. */
export function reachOf(
  { user, disabled }: Pick<ReviewedPerson, 'user' | 'disabled'>,
  owner: Owner,
  ways: readonly Way[],
  content: DecidedContent,
): Reach {
  if (disabled) return noReach;
  const named = (kind: Way['kind']) => ways.filter((way) => way.kind === kind);
  const teams = named('team').map(({ name }) => name as Team);
  const groups = new Set(named('group').map(({ id }) => id));
  const shared = new Set(named('app').map(({ id }) => id));
  const { views, uploads } = permissionsOf({ kind: 'user', user }, owner, teams);
  const sees = ({ id }: ReviewedApp) => views || shared.has(id);
  const opensAll = opensAllPages(ways, uploads);
  const key = JSON.stringify([views, uploads, opensAll, [...groups], [...shared]]);
  const known = content.reaches.get(key);
  if (known) return known;
  const admits = ({ page, ...decided }: DecidedPage) =>
    sees(page.app) &&
    (opensAll || page.groups.some((id) => groups.has(id)) ? decided.admitsGroups : decided.admits);
  const reach = {
    apps: content.apps.filter(sees),
    pages: content.pages.filter(admits).map(({ page }) => page),
    uploads,
  };
  if (content.reaches.size >= maxRememberedReaches) content.reaches.clear();
  content.reaches.set(key, reach);
  return reach;
}

/** Whether pages that are limited to groups admit the person without a group: those who manage them, and auditors. */
const opensAllPages = (ways: readonly Way[], uploads: boolean) =>
  uploads || ways.some(({ kind, name }) => kind === 'team' && name === 'auditor');

/** Returns the ways without which the page would not admit the person. */
export function waysTo(page: ReviewedPage, { ways, reach }: PersonPlace): readonly Way[] {
  const isOf = (way: Way) =>
    way.kind !== 'group-manager' &&
    (way.kind === 'group'
      ? page.groups.includes(way.id ?? '')
      : way.kind !== 'app' || way.id === page.app.id);
  if (page.access !== 'groups' || opensAllPages(ways, reach.uploads))
    return ways.filter((way) => way.kind !== 'group' && isOf(way));
  return ways.filter((way) => way.kind === 'group' && isOf(way));
}

/** What gives access without an account. */
export const credentialKinds = [
  'key',
  'trusted-publisher',
  'invitation',
  'invite-link',
  'page-link',
  'scim-token',
  'app-secret',
] as const;
export type CredentialKind = (typeof credentialKinds)[number];

export interface Credential {
  kind: CredentialKind;
  id: string;
  name: string;
  /** The owner or Workspace. */
  place: { kind: 'user' | 'project' | 'workspace'; name: string };
  createdBy: string | null;
  since: number | null;
  lastUsedAt: number | null;
  expiresAt: number | null;
  /** For a link to a page: `unlisted`, `passcode` or `closed`. For the secret of an app: `unlisted` or `closed`. For a key: its scopes. For an invitation: the team. */
  details: string | null;
}

/** What a person who leaves would keep, or leaves behind. */
export interface Belongings {
  sessions: number;
  credentials: readonly Credential[];
  devices: readonly { id: string; name: string; owner: string; since: number }[];
  webhooks: readonly { id: string; name: string; owner: string; since: number }[];
  /** Pages whose address was emailed to them. */
  mailedPages: readonly { name: string; packageName: string; at: number }[];
  /** Names of Projects and Workspaces. */
  lastOwnerOf: readonly string[];
}

export const maxBelongings = 500;
