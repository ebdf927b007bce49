import { say } from '../messages/package-messages.ts';
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
    warnings.push(say('test-only'));
  }
  if (manifest.testedPackage !== null) {
    warnings.push(say('tests-of-app', { name: manifest.testedPackage }));
  }
  if (manifest.splitRequired) {
    warnings.push(say('splits-required'));
  }
  if (manifest.applications > 1) {
    warnings.push(say('several-applications'));
  }
  if (manifest.usesSdks > 1) {
    warnings.push(say('several-uses-sdks'));
  }
  if (manifest.applications === 0 && manifest.instrumentations === 0) {
    warnings.push(say('no-application'));
  }
  const refusing = minTargets.find(({ target }) => targetSdkVersion < target);
  if (refusing) {
    warnings.push(say('target-too-old', { target: refusing.target, release: refusing.release }));
  }
  return warnings;
}
