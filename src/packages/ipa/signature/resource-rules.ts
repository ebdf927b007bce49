/**
 * Determines which files of an app its signature must cover, like `ResourceBuilder` in Apple's Security framework: the matching
 * rule with the highest weight applies. Rules are regular expressions from the package, so only known expressions from common
 * signing tools are executed.
 */
import { isDictionary, type PropertyListValue } from '../../property-list/property-list-value.ts';

interface ResourceRule {
  pattern: RegExp;
  weight: number;
  /** Whether matching files need no seal: they are omitted, or code in a nested bundle. */
  isExempt: boolean;
}

const sharedInfo = String.raw`(Frameworks/[^/]+\.framework/|PlugIns/[^/]+\.appex/|())SC_Info/[^/]+\.(sinf|supf|supp)$`;
const nestedInfo = String.raw`(Frameworks/[^/]+\.framework/|PlugIns/[^/]+\.appex/|PlugIns/[^/]+\.appex/Frameworks/[^/]+\.framework/|())SC_Info/[^/]+\.(sinf|supf|supp)$`;

/** All of these are fast, because they match the start of a name or a fixed text. */
const knownPatterns: ReadonlySet<string> = new Set([
  ...[
    '^',
    '.*',
    '^.*',
    '^[^/]+$',
    '^Resources/',
    String.raw`^Base\.lproj/`,
    String.raw`^Resources/Base\.lproj/`,
  ],
  ...[String.raw`^.*\.lproj/`, String.raw`^.*\.lproj/locversion.plist$`],
  ...[String.raw`^Resources/.*\.lproj/`, String.raw`^Resources/.*\.lproj/locversion.plist$`],
  ...['^version.plist$', String.raw`^version\.plist$`, 'Info.plist', String.raw`^Info\.plist$`, '^PkgInfo$'],
  ...['ResourceRules.plist', String.raw`^ResourceRules\.plist$`, String.raw`^embedded\.provisionprofile$`],
  ...[String.raw`.*\.dSYM($|/)`, String.raw`^(.*/)?\.DS_Store$`, `^${sharedInfo}`, `^${nestedInfo}`],
  '^(Frameworks|SharedFrameworks|Plugins|Plug-ins|XPCServices|Helpers|MacOS)/',
  '^(Frameworks|SharedFrameworks|PlugIns|Plug-ins|XPCServices|Helpers|MacOS|Library/(Automator|Spotlight|LoginItems))/',
]);

/**
 * Files that are exempt from rules (`BundleDiskRep::adjustResources`), sealed in the code directory, or added to a signed app by
 * the App Store.
 */
const neverSealed = /^(?:_CodeSignature|_MASReceipt)\/|^(?:CodeResources|Info\.plist)$|(?:^|\/)SC_Info\//;

/** Maximum length of a path on the device (`PATH_MAX`). Archive entries with longer names are not files there. */
export const maxSealedPathCharacters = 1024;

/** Returns null if there are no rules, or one of them is unknown. */
export function readResourceRules(stated: PropertyListValue | undefined): ResourceRule[] | null {
  if (!isDictionary(stated)) return null;
  const rules: ResourceRule[] = [];
  for (const [pattern, rule] of Object.entries(stated)) {
    if (!knownPatterns.has(pattern)) return null;
    const { weight, omit, nested } = isDictionary(rule) ? rule : { weight: 1, omit: rule === false };
    rules.push({
      // A leading `.*` is redundant, and slow because it is tried at every position.
      pattern: new RegExp(pattern.replace(/^\.\*/, ''), 's'),
      weight: typeof weight === 'number' ? Math.trunc(weight) : 1,
      isExempt: omit === true || nested === true,
    });
  }
  return rules;
}

/** `name` is relative to the app folder. Returns false if rules of equal weight differ, or none matches. */
export function needsSeal(rules: readonly ResourceRule[], name: string): boolean {
  if (name.length > maxSealedPathCharacters || neverSealed.test(name)) return false;
  const matching = rules.filter(({ pattern }) => pattern.test(name));
  const heaviest = Math.max(...matching.map(({ weight }) => weight));
  const deciding = matching.filter(({ weight }) => weight === heaviest);
  return deciding.length > 0 && deciding.every(({ isExempt }) => !isExempt);
}
