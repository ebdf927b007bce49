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
  /** How many of the rules include and exclude paths. */
  rules?: { included: number; excluded: number };
}

export type SecurityKind = keyof typeof kinds;
type Android = NonNullable<PackageAnalysis['android']>;
export type BackupScope = NonNullable<Android['backup']>['cloud'];

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
  backup_rules: 'info',
  backup_encryption: 'info',
  device_transfer: 'low',
  device_transfer_rules: 'info',
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
  { manifest, networkSecurity, backup = null }: Android,
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
    ...backupFacts(isUnknown ? null : backup),
    ...listed('deep_links', manifest.deepLinks),
  ];
}

/** Without rules, the mode as a whole is a fact; with rules, they are. */
function backupFacts(backup: Android['backup']): SecurityFact[] {
  const mode = (whole: 'backup' | 'device_transfer', scope: BackupScope | undefined): SecurityFact =>
    scope === undefined
      ? fact(whole, null)
      : hasRules(scope)
        ? {
            ...fact(`${whole}_rules`, scopeLines(scope)),
            rules: { included: scope.includes.length, excluded: scope.excludes.length },
          }
        : fact(whole, scope.allowed);
  const cloud = backup?.cloud;
  return [
    mode('backup', cloud),
    ...(cloud?.allowed ? [fact('backup_encryption', !cloud.needsEncryption)] : []),
    mode('device_transfer', backup?.transfer),
  ];
}

const hasRules = ({ includes, excludes }: BackupScope) => includes.length + excludes.length > 0;

/** As in the file: `exclude sharedpref auth.xml`. */
export const scopeLines = ({ includes, excludes }: BackupScope) => [
  ...includes.map((rule) => `include ${rule}`),
  ...excludes.map((rule) => `exclude ${rule}`),
];

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
