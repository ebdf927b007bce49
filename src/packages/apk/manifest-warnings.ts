import type { ManifestFacts } from './android-manifest.ts';

/** The minimum target SDK that each release of Android installs. */
const minTargets: readonly { release: number; target: number }[] = [
  { release: 14, target: 23 },
  { release: 15, target: 24 },
];

/** Returns warnings about what prevents installation, or installation on the device; full sentences. */
export function manifestWarnings(manifest: ManifestFacts, targetSdkVersion: number): string[] {
  const warnings: string[] = [];
  if (manifest.testOnly) {
    warnings.push(
      'The package is marked as testOnly. It can only be installed from a computer, with adb install -t.',
    );
  }
  if (manifest.testedPackage !== null) {
    warnings.push(
      `The package contains tests of ${manifest.testedPackage} and cannot be used without that app.`,
    );
  }
  if (manifest.splitRequired) {
    warnings.push('The package requires its split packages. Android does not install it alone.');
  }
  if (manifest.applications > 1) {
    warnings.push('The manifest has more than one application element. Android uses the first.');
  }
  if (manifest.usesSdks > 1) {
    warnings.push('The manifest has more than one uses-sdk element. Android uses the last.');
  }
  if (manifest.applications === 0 && manifest.instrumentations === 0) {
    warnings.push('The manifest has no application element. Android does not install it.');
  }
  const refusing = minTargets.find(({ target }) => targetSdkVersion < target);
  if (refusing) {
    warnings.push(
      `The target SDK is below ${refusing.target}. Android ${refusing.release} and newer do not install it.`,
    );
  }
  return warnings;
}
