/** The quota of accounts created by open sign-up. */
import type { SettingName, Settings } from '../../core/settings.ts';
import { type Quota, readBuildLimit, readProjectLimit, readStorageLimit } from '../../owners/quota.ts';

export function readSignUpQuota(settings: Settings): Quota {
  const limit = (name: SettingName, fallback: string, reading: (text: string) => number | null) => {
    const text = settings.text(name) ?? fallback;
    if (text.toLowerCase() === 'none') return null;
    try {
      return reading(text);
    } catch {
      settings.addError(`${name} must be a limit such as ${fallback}, or none. It is ${text}.`);
      return null;
    }
  };
  return {
    maxStorageBytes: limit('SLIPWAY_SIGN_UP_STORAGE', '5GiB', readStorageLimit),
    maxBuilds: limit('SLIPWAY_SIGN_UP_BUILDS', '100', readBuildLimit),
    maxProjects: limit('SLIPWAY_SIGN_UP_PROJECTS', '5', readProjectLimit),
  };
}
