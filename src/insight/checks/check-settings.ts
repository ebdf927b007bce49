/** The settings of the checks of an app. */

import type { Platform } from '../../packages/package-info.ts';
import { compareVersions } from '../dependencies/maven-version.ts';
import { type Destination, destinationsOf, type StoreRuleKind } from './store-rules.ts';

export const levels = ['fail', 'warn', 'off'] as const;
export type Level = (typeof levels)[number];

/** Checks that compare a build with limits of the app itself. */
export const ownChecks = [
  'download_growth',
  'install_growth',
  'download_limit',
  'profile_expiry',
  'new_permissions',
  'new_exported_components',
  'libraries',
] as const;
export type CheckKind = (typeof ownChecks)[number] | StoreRuleKind;

/** The checks whose level is a setting; a growth has a limit for each level instead. */
export const leveledChecks = [
  'download_limit',
  'store_rules',
  'profile_expiry',
  'new_permissions',
  'new_exported_components',
  'libraries',
] as const;
export type LeveledCheck = (typeof leveledChecks)[number];

export interface GrowthLimit {
  /** The larger of the two applies; null: none. */
  bytes: number | null;
  percent: number | null;
}

export interface CheckSettings {
  destinations: readonly Destination[];
  defaultBranch: string;
  warnAbove: GrowthLimit;
  failAbove: GrowthLimit;
  maxDownloadBytes: number | null;
  levels: Readonly<Record<LeveledCheck, Level>>;
  /** `group:name` or `group:name<version`, with `*` for any characters. */
  deniedLibraries: readonly string[];
  /** All others are denied; empty: all are allowed. */
  allowedLibraries: readonly string[];
}

export const defaultSettings: CheckSettings = {
  destinations: [],
  defaultBranch: 'main',
  warnAbove: { bytes: 100_000, percent: 2 },
  failAbove: { bytes: null, percent: null },
  maxDownloadBytes: null,
  levels: {
    download_limit: 'fail',
    store_rules: 'fail',
    profile_expiry: 'warn',
    new_permissions: 'warn',
    new_exported_components: 'warn',
    libraries: 'fail',
  },
  deniedLibraries: [],
  allowedLibraries: [],
};

export const maxPatterns = 200;
export const maxPatternCharacters = 200;
export const maxBranchCharacters = 255;

/** Settings may have been stored by another version. */
export function toSettings(stored: string | null, platform: Platform): CheckSettings {
  const given = stored === null ? {} : (JSON.parse(stored) as Partial<CheckSettings>);
  const known = destinationsOf(platform);
  return {
    ...defaultSettings,
    ...given,
    levels: { ...defaultSettings.levels, ...given.levels },
    destinations: (given.destinations ?? []).filter((one) => known.includes(one)),
  };
}

/** Whether the pattern names the library `group:name:version`. */
export function matchesLibrary(pattern: string, library: string): boolean {
  const [name = '', below] = pattern.split('<', 2);
  const end = library.lastIndexOf(':');
  if (!matchesName(name.trim(), library.slice(0, end))) return false;
  if (below === undefined) return true;
  const version = library.slice(end + 1);
  return version !== '' && compareVersions(version, below.trim()) < 0;
}

/** Takes the first place of each part, so that the time is linear. */
function matchesName(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
