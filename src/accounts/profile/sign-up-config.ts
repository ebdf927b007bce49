/** The quota of accounts created by open sign-up. */
import { type Quota, readBuildLimit, readProjectLimit, readStorageLimit } from '../../owners/quota.ts';

export const signUpSettings = [
  'SLIPWAY_SIGN_UP_STORAGE',
  'SLIPWAY_SIGN_UP_BUILDS',
  'SLIPWAY_SIGN_UP_PROJECTS',
] as const;

type Setting = (typeof signUpSettings)[number];
type Read = (name: Setting) => string | null;
type AddError = (text: string) => void;

export function readSignUpQuota(read: Read, addError: AddError): Quota {
  const limit = (name: Setting, fallback: string, reading: (text: string) => number | null) => {
    const text = read(name) ?? fallback;
    if (text.toLowerCase() === 'none') return null;
    try {
      return reading(text);
    } catch {
      addError(`${name} must be a limit such as ${fallback}, or none. It is ${text}.`);
      return null;
    }
  };
  return {
    maxStorageBytes: limit('SLIPWAY_SIGN_UP_STORAGE', '5GiB', readStorageLimit),
    maxBuilds: limit('SLIPWAY_SIGN_UP_BUILDS', '100', readBuildLimit),
    maxProjects: limit('SLIPWAY_SIGN_UP_PROJECTS', '5', readProjectLimit),
  };
}
