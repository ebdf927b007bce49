/** Warnings about a profile and its signature, because devices reject such apps without an explanation. */
import type { ProvisioningProfile } from '../package-info.ts';

interface ProfiledApp {
  bundleIdentifier: string;
  /** SHA-1 of the certificate that signed the executable; null when unsigned. */
  signature: string | null;
}

/** Returns full sentences; empty when nothing prevents installation. Ignores the profile's dates, which depend on the current date. */
export function profileWarnings(profile: ProvisioningProfile, app: ProfiledApp): string[] {
  const warnings: string[] = [];
  if (!profile.intact) {
    warnings.push('The provisioning profile was changed after it was signed, so devices reject the app.');
  }
  if (profile.type === 'app-store') {
    warnings.push('The app is signed for the App Store, so it cannot be installed from Slipway.');
  }
  const identifier = profile.entitlements['application-identifier'];
  if (typeof identifier === 'string' && !coversBundle(identifier, app.bundleIdentifier)) {
    warnings.push(
      `The provisioning profile is for ${identifier}, which does not cover ${app.bundleIdentifier}.`,
    );
  }
  const { certificateSha1s } = profile;
  if (app.signature !== null && certificateSha1s.length > 0 && !certificateSha1s.includes(app.signature)) {
    warnings.push('The executable is signed with a certificate that the provisioning profile does not list.');
  }
  return warnings;
}

/** Matches `TEAM.com.example.app`, optionally with a trailing `*`. */
function coversBundle(applicationIdentifier: string, bundleIdentifier: string): boolean {
  const pattern = applicationIdentifier.slice(applicationIdentifier.indexOf('.') + 1);
  if (!pattern.endsWith('*')) return pattern === bundleIdentifier;
  return bundleIdentifier.startsWith(pattern.slice(0, -1));
}
