/** The state of a distribution page: one answer to whether, and by whom, its live build can be installed. Pure. */
/** In the order in which they decide: what stops everyone, then what a visitor meets first. */
export const pageStates = [
  'closed',
  'expired',
  'no_installs_left',
  'not_yet',
  'networks',
  'groups',
  'members',
  'passcode',
  'open',
] as const;
export type PageState = (typeof pageStates)[number];

/** What the state depends on, apart from the time. */
export interface PageConditions {
  active: boolean;
  /** Who may open it: `unlisted`, `passcode`, `members`, `groups`. */
  access: string;
  /** Epoch ms. */
  expiresAt: number | null;
  maxInstalls: number | null;
  /** Installs counted towards `maxInstalls`. */
  installs: number;
  /** CIDRs. Empty: every network. */
  networks: readonly string[];
  /** False while the live build is an app bundle without an APK. */
  isServable: boolean;
}

/** `now`: epoch ms. */
export function pageStateOf(page: PageConditions, now: number): PageState {
  const closed = closedReason(page, now);
  if (closed) return closed === 'inactive' ? 'closed' : closed;
  if (!hasInstallsLeft(page)) return 'no_installs_left';
  if (!page.isServable) return 'not_yet';
  if (page.networks.length > 0) return 'networks';
  return accessStates[page.access] ?? 'members';
}

/** The state of a page that serves the build. */
export const servingState = (
  page: Omit<PageConditions, 'isServable'>,
  { apk }: { apk: { state: string } | null },
  now: number,
): PageState => pageStateOf({ ...page, isServable: isServable(apk?.state ?? null) }, now);

/** Unknown kinds of access admit members only. */
const accessStates: Readonly<Record<string, PageState>> = {
  unlisted: 'open',
  passcode: 'passcode',
  members: 'members',
  groups: 'groups',
};

/** Whether people who may open the page can install its live build. */
export const isInstallable = (state: PageState): boolean =>
  !(['closed', 'expired', 'no_installs_left', 'not_yet'] as PageState[]).includes(state);

export type ClosedReason = 'inactive' | 'expired';

/** Null if the page is open. */
export function closedReason(
  { active, expiresAt }: Pick<PageConditions, 'active' | 'expiresAt'>,
  now: number,
): ClosedReason | null {
  if (!active) return 'inactive';
  return expiresAt !== null && expiresAt <= now ? 'expired' : null;
}

export const hasInstallsLeft = ({
  maxInstalls,
  installs,
}: Pick<PageConditions, 'maxInstalls' | 'installs'>) => maxInstalls === null || installs < maxInstalls;

/** A page can serve packages, and app bundles once their APK is ready. `apkState`: null unless the build is an app bundle. */
export const isServable = (apkState: string | null): boolean => apkState === null || apkState === 'ready';
