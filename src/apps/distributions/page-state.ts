/** The state of a distribution page: whether, and by whom, its live build can be installed. Pure. */
/** In order of precedence: conditions that stop everyone come first, then those that a visitor meets first. */
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

/** Everything that the state depends on, apart from the time. */
export interface PageConditions {
  active: boolean;
  /** Who may open it: `unlisted`, `passcode`, `members`, `groups`. */
  access: string;
  /** Epoch ms. */
  expiresAt: number | null;
  maxInstalls: number | null;
  /** Installs counted towards `maxInstalls`. */
  installs: number;
  /** CIDRs. Empty for every network. */
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

/** Returns the state of a page that serves the build. */
export const servingState = (
  page: Omit<PageConditions, 'isServable'>,
  { apk }: { apk: { state: string } | null },
  now: number,
): PageState => pageStateOf({ ...page, isServable: isServable(apk?.state ?? null) }, now);

/** Unknown kinds of access admit only members. */
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

/** Returns why the page is closed; null if it is open. */
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

/** Whether a page can serve the build: a package, or an app bundle with its APK. `apkState`: null unless the build is an app bundle. */
export const isServable = (apkState: string | null): boolean => apkState === null || apkState === 'ready';
