/** The bundles inside an app: extensions (also those of watch apps and app clips), app clips and watch apps, each by its bundle identifier. */
import { type IosFacts, UnreadablePackage } from '../../package-info.ts';
import { type AppBundle, readPropertyListFile } from '../app-bundle.ts';
import { bundleIdentifierOf } from '../info-plist-facts.ts';

/** Maximum number of nested bundles; the rest are skipped. */
export const maxNestedBundles = 100;

export interface NestedBundles extends Pick<IosFacts, 'extensions' | 'appClips' | 'watchApps'> {
  /** Info.plist files that could not be read. */
  unreadable: string[];
}

/** Folder and extension, from Apple's "Placing content in a bundle"; `Extensions` is for ExtensionKit. */
const places = [
  {
    pattern: /^(?:(?:Watch|AppClips)\/[^/]+\.app\/)?(?:PlugIns|Extensions)\/[^/]+\.appex\/Info\.plist$/,
    kind: 'extensions',
  },
  { pattern: /^AppClips\/[^/]+\.app\/Info\.plist$/, kind: 'appClips' },
  { pattern: /^Watch\/[^/]+\.app\/Info\.plist$/, kind: 'watchApps' },
] as const;

/** Returns nested bundles in archive order. */
export async function readNestedBundles(bundle: AppBundle): Promise<NestedBundles> {
  const found: NestedBundles = { extensions: [], appClips: [], watchApps: [], unreadable: [] };
  let left = maxNestedBundles;
  for (const name of bundle.files.keys()) {
    const place = name.endsWith('/Info.plist') ? places.find(({ pattern }) => pattern.test(name)) : undefined;
    if (!place || left-- <= 0) continue;
    try {
      const infoPlist = await readPropertyListFile(bundle, name);
      if (infoPlist) found[place.kind].push(bundleIdentifierOf(infoPlist));
    } catch (error) {
      if (!(error instanceof UnreadablePackage)) throw error;
      found.unreadable.push(name);
    }
  }
  return found;
}
