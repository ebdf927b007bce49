import { say } from '../messages/package-messages.ts';
import type { ManifestFacts } from './android-manifest.ts';
import { androidVersionOf, targetRefusal } from './android-releases.ts';

/** Users of the platform itself: `system`, `phone`, `bluetooth` and so on. */
const systemUsers = /^android\.uid\./;

/** Returns warnings about properties that prevent installation, in general or on the device, as full sentences. */
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
  const refusal = targetRefusal(targetSdkVersion);
  if (refusal) {
    const release = androidVersionOf(refusal.fromLevel) ?? refusal.fromLevel;
    warnings.push(say('target-too-old', { target: refusal.target, release }));
  }
  const preview = manifest.minSdk.codename ?? manifest.targetSdk.codename;
  if (preview !== null) warnings.push(say('preview-required', { codename: preview }));
  if (manifest.sharedUserId !== null && systemUsers.test(manifest.sharedUserId)) {
    warnings.push(say('system-user', { user: manifest.sharedUserId }));
  }
  return warnings;
}
