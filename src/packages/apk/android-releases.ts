/** Releases of Android; see https://developer.android.com/tools/releases/platforms and `Build.VERSION_CODES`. */

interface AndroidRelease {
  level: number;
  version: string;
  /** Names during development, in lower case without underscores. */
  codenames: readonly string[];
  /** Month of the stable release; only stated for releases since the age of the table has been checked. */
  released?: string;
}

/** Newest last. `test/packages/platform-tables.test.ts` fails when the last one is too old. */
export const androidReleases: readonly AndroidRelease[] = [
  { level: 1, version: '1.0', codenames: ['base'] },
  { level: 2, version: '1.1', codenames: ['base11'] },
  { level: 3, version: '1.5', codenames: ['cupcake'] },
  { level: 4, version: '1.6', codenames: ['donut'] },
  { level: 5, version: '2.0', codenames: ['eclair'] },
  { level: 6, version: '2.0.1', codenames: ['eclair01'] },
  { level: 7, version: '2.1', codenames: ['eclairmr1'] },
  { level: 8, version: '2.2', codenames: ['froyo'] },
  { level: 9, version: '2.3', codenames: ['gingerbread'] },
  { level: 10, version: '2.3.3', codenames: ['gingerbreadmr1'] },
  { level: 11, version: '3.0', codenames: ['honeycomb'] },
  { level: 12, version: '3.1', codenames: ['honeycombmr1'] },
  { level: 13, version: '3.2', codenames: ['honeycombmr2'] },
  { level: 14, version: '4.0', codenames: ['icecreamsandwich'] },
  { level: 15, version: '4.0.3', codenames: ['icecreamsandwichmr1'] },
  { level: 16, version: '4.1', codenames: ['jellybean'] },
  { level: 17, version: '4.2', codenames: ['jellybeanmr1'] },
  { level: 18, version: '4.3', codenames: ['jellybeanmr2'] },
  { level: 19, version: '4.4', codenames: ['kitkat'] },
  { level: 20, version: '4.4W', codenames: ['kitkatwatch'] },
  { level: 21, version: '5.0', codenames: ['l', 'lollipop'] },
  { level: 22, version: '5.1', codenames: ['lollipopmr1'] },
  { level: 23, version: '6.0', codenames: ['m', 'mnc'] },
  { level: 24, version: '7.0', codenames: ['n'] },
  { level: 25, version: '7.1', codenames: ['nmr1'] },
  { level: 26, version: '8.0', codenames: ['o'] },
  { level: 27, version: '8.1', codenames: ['omr1'] },
  { level: 28, version: '9', codenames: ['p'] },
  { level: 29, version: '10', codenames: ['q'] },
  { level: 30, version: '11', codenames: ['r'] },
  { level: 31, version: '12', codenames: ['s'] },
  { level: 32, version: '12L', codenames: ['sv2'] },
  { level: 33, version: '13', codenames: ['tiramisu'] },
  { level: 34, version: '14', codenames: ['upsidedowncake'] },
  { level: 35, version: '15', codenames: ['vanillaicecream'] },
  { level: 36, version: '16', codenames: ['baklava'], released: '2025-06' },
  { level: 37, version: '17', codenames: ['cinnamonbun'], released: '2026-06' },
];

/** A level above all released ones: `Build.VERSION_CODES.CUR_DEVELOPMENT`. */
export const unreleasedApiLevel = 10_000;

const versions = new Map(androidReleases.map(({ level, version }) => [level, version]));
const levels = new Map(
  androidReleases.flatMap(({ level, codenames }) => codenames.map((name) => [name, level])),
);
const newestLevel = Math.max(...versions.keys());

/** Since Android 13, each version has one level. */
const firstVersionOfRule = 13;
const levelsBeforeVersions = 20;

/**
 * Returns the version with the API level, such as `17` for 37; for levels that are not known yet, derived by the rule. Null for a
 * level without a release.
 */
export function androidVersionOf(level: number): string | null {
  const known = versions.get(level);
  if (known !== undefined) return known;
  return level > newestLevel && level < unreleasedApiLevel ? String(level - levelsBeforeVersions) : null;
}

/**
 * Returns the API level of a codename; 10000 for an unknown name, which is that of a later preview. Ignores a fingerprint after a
 * dot, as in `S.0123abcd`. Digits are the level itself.
 */
export function apiLevelOfCodename(codename: string): number {
  if (/^\d{1,5}$/.test(codename)) return Number(codename);
  const name = codename.split('.', 1)[0]?.toLowerCase().replaceAll('_', '') ?? '';
  return levels.get(name) ?? unreleasedApiLevel;
}

/** Returns the highest API level that a phone with this version can have, because missing parts of the version are unknown. */
export function highestApiLevelOf(version: string): number {
  const stated = version.split('.').map(Number);
  const [major = 0] = stated;
  if (major >= firstVersionOfRule) return major + levelsBeforeVersions;
  const reached = androidReleases.filter((release) =>
    reaches(stated, release.version.split('.').map(Number.parseFloat)),
  );
  return Math.max(0, ...reached.map(({ level }) => level));
}

function reaches(stated: readonly number[], needed: readonly number[]): boolean {
  const at = stated.findIndex((part, index) => part !== (needed[index] ?? 0));
  return at === -1 || (stated[at] ?? 0) > (needed[at] ?? 0);
}

/** The lowest target SDK that Android can install, from an API level on (developer.android.com, "Minimum installable target API level"). */
const minTargets: readonly { fromLevel: number; target: number }[] = [
  { fromLevel: 34, target: 23 },
  { fromLevel: 35, target: 24 },
];

/** Returns the API level from which on Android refuses a target SDK, and the target SDK that it requires. Null if no level refuses it. */
export const targetRefusal = (targetSdk: number) =>
  minTargets.find(({ target }) => targetSdk < target) ?? null;
