/** What a developer should know of a profile and the signature beside it, before a device refuses the app without a word. */
import type { ProvisioningProfile } from '../package-info.ts';

interface ProfiledApp {
  bundleIdentifier: string;
  /** SHA-1 of the certificate that signed the executable; null when unsigned. */
  signature: string | null;
}

/** Full sentences; empty when nothing stands against installing. The dates of the profile are not asked: they depend on today. */
export function profileWarnings(profile: ProvisioningProfile, app: ProfiledApp): string[] {
  const warnings: string[] = [];
  if (!profile.intact) {
    warnings.push(
      'The provisioning profile has been changed after it was signed, so a device refuses the app.',
    );
  }
  if (profile.type === 'app-store') {
    warnings.push('The app is signed for the App Store, so it cannot be installed from here.');
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

/** `TEAM.com.example.app`, or with a `*` at its end. */
function coversBundle(applicationIdentifier: string, bundleIdentifier: string): boolean {
  const pattern = applicationIdentifier.slice(applicationIdentifier.indexOf('.') + 1);
  if (!pattern.endsWith('*')) return pattern === bundleIdentifier;
  return bundleIdentifier.startsWith(pattern.slice(0, -1));
}
