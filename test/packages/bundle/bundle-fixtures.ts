/** The shared bundles, with what bundletool and aapt2 make of them. */
import { readFileSync, statSync } from 'node:fs';
import { runsEverything } from '../../support/runs-everything.ts';
import { sharedFixturePath, sharedFixturesPresent } from '../../support/shared-fixtures.ts';

export interface BundleFixture {
  file: string;
  /** First 32 hexadecimal digits of the SHA-256 of the base module converted by `aapt2 convert`. */
  base_manifest_convert: string;
  arsc_convert?: string;
  /** Facts of the universal APK by bundletool, read by aapt2. */
  universal: Record<string, string | null>;
  /** By name: digest and storage. */
  universal_entries: Record<string, [digest: string, storage: string]>;
}

const folder = sharedFixturesPresent ? sharedFixturePath('aab/') : '';

export function bundleFixtures(): BundleFixture[] {
  if (!sharedFixturesPresent) return [];
  const { files } = JSON.parse(readFileSync(`${folder}manifest.json`, 'utf8'));
  return files.filter(({ file }: BundleFixture) => file.endsWith('.aab'));
}

/** Larger bundles are only in the full run. */
const maxQuickBytes = 200_000;

/** The shared bundles that this run reads. */
export const bundlesOfRun = () =>
  bundleFixtures().filter((one) => runsEverything || statSync(pathOfBundle(one)).size <= maxQuickBytes);

/** Real ones are named after their repository. */
export const pathOfBundle = ({ file }: BundleFixture) =>
  `${folder}${file.includes('__') ? 'real' : 'synthetic'}/${file}`;
