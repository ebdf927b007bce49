/** What a package states about the security of its app, with a severity. Pure. */
import type { PackageAnalysis } from '../../packages/analysis/analysis.ts';

/** The worst comes first. `info`: what reviewers want to know, neither good nor bad. */
export const severities = ['high', 'medium', 'low', 'not_analyzed', 'info', 'good'] as const;
export type Severity = (typeof severities)[number];

export interface SecurityFact {
  kind: SecurityKind;
  severity: Severity;
  /** Names from the package that the severity is about. */
  items: readonly string[];
}

export type SecurityKind = keyof typeof kinds;

/** The severity of each kind if it applies. */
const kinds = {
  debuggable: 'high',
  test_only: 'high',
  cleartext: 'high',
  cleartext_domains: 'medium',
  user_certificates: 'medium',
  exported_components: 'medium',
  exported_activities: 'low',
  backup: 'low',
  deep_links: 'info',
  get_task_allow: 'medium',
  arbitrary_loads: 'high',
  transport_exceptions: 'medium',
  url_schemes: 'low',
  entitlements: 'info',
  usage_descriptions: 'info',
  background_modes: 'info',
} as const satisfies Record<string, Severity>;

/** The system allows cleartext traffic by default to apps that target less. */
const targetWithoutCleartext = 28;
export const maxListedItems = 200;

/** The worst first. Empty if nothing of the package was analyzed. */
export function securityFacts({ android, ios, gaps }: PackageAnalysis): SecurityFact[] {
  const hasGap = (part: PackageAnalysis['gaps'][number]['part']) => gaps.some((gap) => gap.part === part);
  const facts = [
    ...(android ? androidFacts(android, hasGap('manifest')) : []),
    ...(ios ? iosFacts(ios) : []),
  ];
  return severities.flatMap((severity) => facts.filter((fact) => fact.severity === severity));
}

/** Lists only are facts if they have items: an app without deep links has none to be careful with. */
function fact(kind: SecurityKind, found: boolean | null | readonly string[]): SecurityFact {
  if (found === null) return { kind, severity: 'not_analyzed', items: [] };
  const items = typeof found === 'boolean' ? [] : found.slice(0, maxListedItems);
  const applies = typeof found === 'boolean' ? found : found.length > 0;
  return { kind, severity: applies ? kinds[kind] : 'good', items };
}

const listed = (kind: SecurityKind, items: readonly string[]) =>
  items.length > 0 ? [fact(kind, items)] : [];

function androidFacts(
  { manifest, networkSecurity }: NonNullable<PackageAnalysis['android']>,
  isUnknown: boolean,
): SecurityFact[] {
  const known = <T>(value: T) => (isUnknown ? null : value);
  const unprotected = manifest.exported.filter(({ permission }) => permission === null);
  const isActivity = ({ kind }: (typeof unprotected)[number]) => kind === 'activity';
  const allowsCleartext =
    networkSecurity?.cleartextByDefault ??
    manifest.usesCleartextTraffic ??
    (manifest.targetSdk ?? 1) < targetWithoutCleartext;
  return [
    fact('debuggable', known(manifest.debuggable)),
    fact('test_only', known(manifest.testOnly)),
    fact('cleartext', known(allowsCleartext)),
    fact('cleartext_domains', known(networkSecurity?.cleartextDomains ?? [])),
    fact('user_certificates', known(networkSecurity?.userCertificates ?? false)),
    fact(
      'exported_components',
      known(unprotected.filter((one) => !isActivity(one)).map(({ kind, name }) => `${kind} ${name}`)),
    ),
    fact('exported_activities', known(unprotected.filter(isActivity).map(({ name }) => name))),
    fact('backup', known(manifest.allowBackup ?? true)),
    ...listed('deep_links', manifest.deepLinks),
  ];
}

function iosFacts(ios: NonNullable<PackageAnalysis['ios']>): SecurityFact[] {
  const { appTransportSecurity } = ios;
  return [
    fact('get_task_allow', ios.getTaskAllow),
    fact('arbitrary_loads', appTransportSecurity.arbitraryLoads),
    fact(
      'transport_exceptions',
      appTransportSecurity.exceptions.filter(({ insecure }) => insecure).map(({ domain }) => domain),
    ),
    ...listed('url_schemes', ios.urlSchemes),
    ...listed('entitlements', entitlementLines(ios)),
    ...listed('usage_descriptions', ios.usageDescriptions),
    ...listed('background_modes', ios.backgroundModes),
  ];
}

/** `aps-environment = development`, as in a property list for people. */
export function entitlementLines({ entitlements }: NonNullable<PackageAnalysis['ios']>): string[] {
  return Object.entries(entitlements).map(
    ([name, value]) => `${name} = ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
}
