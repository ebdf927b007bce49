/**
 * Which files of an app its signature has to cover, after `ResourceBuilder` of Apple's Security framework: the heaviest rule that
 * matches a name decides. Rules are regular expressions that a package brings along; only those that Apple's and others' signing
 * tools write are known here, and no other is ever run.
 */
import { isDictionary, type PropertyListValue } from '../../property-list/property-list-value.ts';

interface ResourceRule {
  pattern: RegExp;
  weight: number;
  /** Files that it decides over need no seal: left out, or code within a bundle of its own. */
  exempts: boolean;
}

const sharedInfo = String.raw`(Frameworks/[^/]+\.framework/|PlugIns/[^/]+\.appex/|())SC_Info/[^/]+\.(sinf|supf|supp)$`;
const nestedInfo = String.raw`(Frameworks/[^/]+\.framework/|PlugIns/[^/]+\.appex/|PlugIns/[^/]+\.appex/Frameworks/[^/]+\.framework/|())SC_Info/[^/]+\.(sinf|supf|supp)$`;

/** None of them takes long: what they look for stands at the start of a name, or is a fixed text. */
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
 * What no rule is asked about (`BundleDiskRep::adjustResources`), what has a seal in the code directory, and what the App Store adds
 * to a signed app.
 */
const neverSealed = /^(?:_CodeSignature|_MASReceipt)\/|^(?:CodeResources|Info\.plist)$|(?:^|\/)SC_Info\//;

/** Of a path on the device (`PATH_MAX`); a longer name of the archive is no file there. */
export const maxSealedPathCharacters = 1024;

/** Null when there are no rules, or one of them is not known. */
export function readResourceRules(stated: PropertyListValue | undefined): ResourceRule[] | null {
  if (!isDictionary(stated)) return null;
  const rules: ResourceRule[] = [];
  for (const [pattern, rule] of Object.entries(stated)) {
    if (!knownPatterns.has(pattern)) return null;
    const { weight, omit, nested } = isDictionary(rule) ? rule : { weight: 1, omit: rule === false };
    rules.push({
      // At the start it changes nothing, but is tried from every place of a name.
      pattern: new RegExp(pattern.replace(/^\.\*/, ''), 's'),
      weight: typeof weight === 'number' ? Math.trunc(weight) : 1,
      exempts: omit === true || nested === true,
    });
  }
  return rules;
}

/** `name` is a file's name within the app folder. Where rules of one weight differ, or none matches, it need not. */
export function needsSeal(rules: readonly ResourceRule[], name: string): boolean {
  if (name.length > maxSealedPathCharacters || neverSealed.test(name)) return false;
  const matching = rules.filter(({ pattern }) => pattern.test(name));
  const heaviest = Math.max(...matching.map(({ weight }) => weight));
  const deciding = matching.filter(({ weight }) => weight === heaviest);
  return deciding.length > 0 && deciding.every(({ exempts }) => !exempts);
}
