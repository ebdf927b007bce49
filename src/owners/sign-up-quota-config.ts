import { type Quota, readBuildLimit, readProjectLimit, readStorageLimit } from './quota.ts';

export const signUpQuotaSettings = [
  'SLIPWAY_SIGN_UP_STORAGE',
  'SLIPWAY_SIGN_UP_BUILDS',
  'SLIPWAY_SIGN_UP_PROJECTS',
] as const;

/** Limits of an account that someone creates for themselves. */
export function readSignUpQuota(
  read: (name: (typeof signUpQuotaSettings)[number]) => string | null,
  fault: (text: string) => void,
): Quota {
  const limit = (
    name: (typeof signUpQuotaSettings)[number],
    fallback: string,
    reading: (text: string) => number | null,
  ) => {
    const text = read(name) ?? fallback;
    if (text.toLowerCase() === 'none') return null;
    try {
      return reading(text);
    } catch {
      fault(`${name} is a limit such as ${fallback}, or none, not ${text}`);
      return null;
    }
  };
  return {
    maxStorageBytes: limit('SLIPWAY_SIGN_UP_STORAGE', '5GiB', readStorageLimit),
    maxBuilds: limit('SLIPWAY_SIGN_UP_BUILDS', '100', readBuildLimit),
    maxProjects: limit('SLIPWAY_SIGN_UP_PROJECTS', '5', readProjectLimit),
  };
}
