/** Localized names of an app: `<language>.lproj/InfoPlist.strings`, or all languages at once in `InfoPlist.loctable`. */
import { UnreadablePackage } from '../package-info.ts';
import { isDictionary, type PropertyListDictionary } from '../property-list/property-list-value.ts';
import { type AppBundle, readPropertyListFile } from './app-bundle.ts';
import { bundleNameOf } from './info-plist-facts.ts';

/** Maximum number of languages; others are skipped. */
export const maxLabelLanguages = 500;

/** Legacy folder names, which Xcode still accepts. */
const namedLanguages: ReadonlyMap<string, string> = new Map([
  ['English', 'en'],
  ['French', 'fr'],
  ['German', 'de'],
  ['Italian', 'it'],
  ['Japanese', 'ja'],
  ['Spanish', 'es'],
  ['Dutch', 'nl'],
  ['Danish', 'da'],
  ['Finnish', 'fi'],
  ['Norwegian', 'no'],
  ['Swedish', 'sv'],
  ['Portuguese', 'pt'],
  ['Korean', 'ko'],
  ['Chinese', 'zh'],
  ['Russian', 'ru'],
]);

export interface BundleLabels {
  /** By BCP 47 tag, the default under `""`. */
  labels: Record<string, string>;
  /** Files that could not be read. */
  unreadable: string[];
}

export async function readLabels(
  bundle: AppBundle,
  infoPlist: PropertyListDictionary,
): Promise<BundleLabels> {
  const labels = new Map<string, string>();
  const unreadable: string[] = [];
  const defaultName = bundleNameOf(infoPlist);
  if (defaultName !== null) labels.set('', defaultName);
  const table = await readStrings(bundle, 'InfoPlist.loctable', unreadable);
  for (const [language, strings] of Object.entries(table ?? {}).slice(0, maxLabelLanguages)) {
    if (isDictionary(strings)) addLabel(labels, language, strings);
  }
  for (const [language, file] of stringsFiles(bundle)) {
    const strings = await readStrings(bundle, file, unreadable);
    if (strings) addLabel(labels, language, strings);
  }
  return { labels: Object.fromEntries(labels), unreadable };
}

function stringsFiles(bundle: AppBundle): [string, string][] {
  const found: [string, string][] = [];
  for (const { path } of bundle.files.entries) {
    const language = /^([^/]+)\.lproj\/InfoPlist\.strings$/.exec(path)?.[1];
    if (language !== undefined && found.length < maxLabelLanguages) found.push([language, path]);
  }
  return found;
}

/** Returns null if it is missing, blank or unreadable, because a broken translation is no reason to reject an app. */
async function readStrings(
  bundle: AppBundle,
  name: string,
  unreadable: string[],
): Promise<PropertyListDictionary | null> {
  if (bundle.files.find(name)?.uncompressedBytes === 0) return null;
  try {
    return await readPropertyListFile(bundle, name);
  } catch (error) {
    if (!(error instanceof UnreadablePackage)) throw error;
    unreadable.push(name);
    return null;
  }
}

function addLabel(labels: Map<string, string>, language: string, strings: PropertyListDictionary): void {
  const tag = languageTag(language);
  const label = bundleNameOf(strings);
  if (tag !== null && label !== null) labels.set(tag, label);
}

/** Converts `zh_CN` to `zh-CN` and `English` to `en`; returns null for `Base` and unknown languages. */
export function languageTag(folder: string): string | null {
  if (folder === 'Base') return null;
  try {
    return Intl.getCanonicalLocales(namedLanguages.get(folder) ?? folder.replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null;
  }
}
