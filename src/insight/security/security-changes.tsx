/** What changed between two builds about their security. */
import { compareNames } from '../../apps/compare/compare-builds.ts';
import { SetChange } from '../../apps/compare/compare-builds-page.tsx';
import type { PackageAnalysis } from '../../packages/analysis/analysis.ts';
import { type BackupScope, entitlementLines, scopeLines } from './security-facts.ts';
import { securityTexts } from './security-texts.ts';

const t = securityTexts.sets;

/** Lists only what is known of both builds, because a part that was not analyzed would look like a removal. */
function changedSets(from: PackageAnalysis, to: PackageAnalysis) {
  const isKnown = (part: PackageAnalysis['gaps'][number]['part']) =>
    ![from, to].some(({ gaps }) => gaps.some((gap) => gap.part === part));
  const set = (
    label: string,
    isComparable: boolean,
    read: (analysis: PackageAnalysis) => readonly string[],
  ) => (isComparable ? [compareNames(label, read(from), read(to))] : []);
  return [
    ...set(t.exported, isKnown('manifest'), ({ android }) =>
      (android?.manifest.exported ?? [])
        .filter(({ permission }) => permission === null)
        .map(({ kind, name }) => `${kind} ${name}`),
    ),
    ...set(t.deepLinks, isKnown('manifest') && isKnown('properties'), ({ android, ios }) => [
      ...(android?.manifest.deepLinks ?? []),
      ...(ios?.urlSchemes ?? []).map((scheme) => `${scheme}:`),
      ...(ios?.associatedDomains ?? []),
    ]),
    ...set(t.domains, isKnown('manifest') && isKnown('properties'), ({ android, ios }) => [
      ...(android?.networkSecurity?.cleartextDomains ?? []),
      ...(ios?.appTransportSecurity.exceptions ?? []).flatMap(({ domain, insecure }) =>
        insecure ? [domain] : [],
      ),
    ]),
    ...(['cloud', 'transfer'] as const).flatMap((mode) =>
      set(
        mode === 'cloud' ? t.backup : t.deviceTransfer,
        [from, to].every(({ android }) => !android || android.backup),
        ({ android }) => backupLines(android?.backup?.[mode]),
      ),
    ),
    ...set(t.entitlements, isKnown('signature') && isKnown('native'), ({ ios }) =>
      ios ? entitlementLines(ios) : [],
    ),
  ].filter(({ added, removed }) => added.names.length + removed.names.length > 0);
}

/** Without rules, all data; nothing if none is part of it. */
function backupLines(scope: BackupScope | undefined): readonly string[] {
  const lines = scope ? scopeLines(scope) : [];
  return scope?.allowed && lines.length === 0 ? [t.allData] : lines;
}

export function renderSecurityChanges(from: PackageAnalysis, to: PackageAnalysis) {
  const sets = changedSets(from, to);
  if (sets.length === 0) return null;
  return (
    <section class="section" aria-labelledby="security">
      <h2 id="security">{t.heading}</h2>
      <div class="changed-sets">
        {sets.map((set) => (
          <SetChange key={set.label} set={set} />
        ))}
      </div>
    </section>
  );
}
