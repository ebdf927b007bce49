/** The libraries of a build, where they come from, and what changed. */

import type { Build } from '../../apps/app.ts';
import type { AppHead } from '../../apps/app-head.tsx';
import { buildDependenciesPath, buildSbomPath } from '../../apps/app-paths.ts';
import { keyedPath } from '../../apps/files/path-with-secret.ts';
import { renderBuildTab } from '../../apps/insight/build-tabs.tsx';
import type { DependencyAnalysis, PackageAnalysis } from '../../packages/analysis/analysis.ts';
import { Badge } from '../../web/components/callout.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { SubmitButton } from '../../web/components/form-field.tsx';
import { formatList } from '../../web/components/formats.ts';
import { LivePart } from '../../web/components/live-part.tsx';
import { LiveSearch } from '../../web/components/live-search.tsx';
import { SearchResults } from '../../web/components/result-list.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths, withQuery } from '../../web/shell/site-paths.ts';
import type { BuildAnalysis } from '../analyses.ts';
import { NotAnalyzed } from '../not-analyzed.tsx';
import { compareLibraries, type Library, libraryName, repeatedLibraries } from './compare-libraries.ts';
import { dependencyTexts } from './dependency-texts.ts';

export interface DependenciesPageProps {
  frame: PageFrame;
  head: AppHead;
  build: Build;
  found: BuildAnalysis;
  query: string;
  /** The build to compare with; null without one. `analysis`: null if it is not analyzed. */
  compared: { revision: number; exists: boolean; analysis: PackageAnalysis | null } | null;
}

const t = dependencyTexts;
/** More rows make the page slow on a phone, and are found by searching. */
const maxShownLibraries = 500;
const maxShownParents = 3;

export function renderDependenciesPage(props: DependenciesPageProps): string {
  const { frame, head, build, found } = props;
  return renderBuildTab({
    frame,
    head,
    build,
    tab: 'dependencies',
    documentTitle: t.titleOf({ revision: build.revision }),
    actions: found.state === 'analyzed' && (
      <a
        class="button"
        href={keyedPath(buildSbomPath(head.app, build.revision), head.key)}
        title={t.sbomHint}
      >
        {t.sbom}
      </a>
    ),
    children: (
      <LivePart id="dependencies" pending={found.state === 'waiting'}>
        {found.state === 'analyzed' ? (
          <Analyzed {...props} analysis={found.analysis} />
        ) : (
          <NotAnalyzed found={found} />
        )}
      </LivePart>
    ),
  });
}

function Analyzed(props: DependenciesPageProps & { analysis: PackageAnalysis }) {
  const { analysis } = props;
  const { dependencies } = analysis;
  const isIncomplete = analysis.gaps.some(({ part }) => part === 'metadata' || part === 'archive');
  return (
    <>
      {isIncomplete && (
        <p class="callout callout-warning" role="note">
          {t.incomplete}
        </p>
      )}
      {dependencies.libraries.length === 0 ? (
        <EmptyState title={t.none}>
          <p>{t.noneLine}</p>
        </EmptyState>
      ) : (
        <>
          <Summary dependencies={dependencies} />
          <Repeated dependencies={dependencies} />
          <Libraries {...props} dependencies={dependencies} />
        </>
      )}
      <Changes {...props} dependencies={dependencies} />
    </>
  );
}

function Summary({ dependencies: { source, libraries } }: { dependencies: DependencyAnalysis }) {
  const isDeclared = source === 'declared';
  const direct = libraries.filter((one) => one.direct).length;
  return (
    <div class="section">
      <p>
        {isDeclared
          ? t.declared({ count: libraries.length, direct })
          : t.evidence({ count: libraries.length })}
      </p>
      <p class="soft fine">{isDeclared ? t.declaredHelp : t.evidenceHelp}</p>
    </div>
  );
}

const maxShownRepeated = 10;

function Repeated({ dependencies }: { dependencies: DependencyAnalysis }) {
  const repeated = repeatedLibraries(dependencies);
  if (repeated.length === 0) return null;
  return (
    <div class="callout" role="note">
      <p class="callout-title">{t.repeated}</p>
      {dependencies.source === 'declared' && <p>{t.repeatedLine}</p>}
      <ul>
        {repeated.slice(0, maxShownRepeated).map(({ name, versions }) => (
          <li key={name}>
            <code>{name}</code> {formatList(versions)}
          </li>
        ))}
        {repeated.length > maxShownRepeated && (
          <li>{t.more({ count: repeated.length - maxShownRepeated })}</li>
        )}
      </ul>
    </div>
  );
}

interface Shown extends DependenciesPageProps {
  dependencies: DependencyAnalysis;
}

function Libraries(props: Shown) {
  const { head, build, query, dependencies } = props;
  const wanted = query.toLowerCase();
  const parents = parentsOf(dependencies);
  const found = dependencies.libraries
    .map((library, index) => ({ library, index, parents: [...(parents.get(index) ?? [])] }))
    .filter(({ library }) => libraryName(library).toLowerCase().includes(wanted));
  const shown = found.slice(0, maxShownLibraries);
  return (
    <section class="section" aria-label={t.columns.library}>
      <div class="list-tools">
        <LiveSearch
          address={buildDependenciesPath(head.app, build.revision)}
          part="libraries"
          hidden={{ ...(head.key === null ? {} : { key: head.key }) }}
          query={query}
          label={t.find}
          hint={t.findHint}
          button={t.search}
        />
      </div>
      <div id="libraries">
        <SearchResults
          said={query === '' ? '' : t.foundCount({ count: found.length })}
          columnHeadings={[t.columns.library, t.columns.version, t.columns.relation]}
          lines={shown.map((one) => <Row key={one.index} {...props} {...one} />)}
          nothing={<EmptyState title={t.noMatch({ query })} />}
          paging={{ newer: null, older: null }}
          label={t.find}
          byName
        />
        {found.length > shown.length && <p class="soft fine">{t.shownFirst({ count: shown.length })}</p>}
      </div>
    </section>
  );
}

/** The libraries that need each one. */
function parentsOf({ edges, libraries }: DependencyAnalysis): Map<number, Set<string>> {
  const parents = new Map<number, Set<string>>();
  for (const [from, to] of edges) {
    const library = libraries[from];
    if (library) parents.set(to, (parents.get(to) ?? new Set()).add(library.name));
  }
  return parents;
}

function Row({ frame, library, parents }: Shown & { library: Library; parents: readonly string[] }) {
  const { evidence, version, direct } = library;
  const name = libraryName(library);
  const relation = direct === null ? 'unknown' : direct ? 'direct' : 'transitive';
  return (
    <tr class="library">
      <td>
        <code>
          {frame.viewer ? (
            <a class="soft" href={withQuery(sitePaths.librarySearch, { library: name })} title={t.elsewhere}>
              {name}
            </a>
          ) : (
            name
          )}
        </code>
        {evidence !== null && <p class="soft fine break">{t.foundIn({ path: evidence })}</p>}
        {direct === false && parents.length > 0 && <p class="soft fine break">{parentsText(parents)}</p>}
      </td>
      <td data-label={t.columns.version}>
        {version === null ? <span class="soft">{t.unknownVersion}</span> : <code>{version}</code>}
      </td>
      <td>{t.relation[relation]}</td>
    </tr>
  );
}

function parentsText(parents: readonly string[]): string {
  const names = parents.slice(0, maxShownParents).join(', ');
  const count = parents.length - maxShownParents;
  return count > 0 ? t.neededByMore({ names, count }) : t.neededBy({ names });
}

function Changes(props: Shown) {
  const { head, build, compared } = props;
  return (
    <section class="section" aria-labelledby={compared ? 'changes' : undefined}>
      {compared && (
        <>
          <h2 id="changes">{t.compare.title({ revision: compared.revision })}</h2>
          <ComparedLibraries {...props} compared={compared} />
        </>
      )}
      {head.app.lastRevision > 1 && (
        <form class="choose-two" method="get" action={buildDependenciesPath(head.app, build.revision)}>
          {head.key !== null && <input type="hidden" name="key" value={head.key} />}
          <div class="field">
            <label for="compare">{t.compare.field}</label>
            <input
              id="compare"
              name="compare"
              type="number"
              min={1}
              max={head.app.lastRevision}
              value={compared?.revision ?? (build.revision > 1 ? build.revision - 1 : 2)}
              required
            />
          </div>
          <SubmitButton label={t.compare.button} />
        </form>
      )}
    </section>
  );
}

function ComparedLibraries({
  compared,
  dependencies,
}: Shown & { compared: NonNullable<DependenciesPageProps['compared']> }) {
  const { revision, exists, analysis } = compared;
  if (!analysis)
    return <p class="soft">{(exists ? t.compare.notAnalyzed : t.compare.missing)({ revision })}</p>;
  const { added, removed, changed } = compareLibraries(analysis.dependencies, dependencies);
  const count = added.length + removed.length + changed.length;
  return (
    <>
      {analysis.dependencies.source !== dependencies.source && (
        <p class="callout callout-warning" role="note">
          {t.compare.differentSources}
        </p>
      )}
      {count === 0 && <p class="soft">{t.compare.same}</p>}
      {changed.length > 0 && (
        <>
          <h3>{t.compare.changed}</h3>
          <ul class="machine-list">
            {changed.map(({ library, from, to, change }) => (
              <li key={libraryName(library)}>
                <code>{libraryName(library)}</code>{' '}
                {t.compare.becomes({ from: from ?? t.unknownVersion, to: to ?? t.unknownVersion })}{' '}
                {change === 'downgraded' && <Badge tone="warning">{t.compare.downgrade}</Badge>}
              </li>
            ))}
          </ul>
        </>
      )}
      <Names libraries={added} title={t.compare.added} />
      <Names libraries={removed} title={t.compare.removed} />
    </>
  );
}

function Names({ libraries, title }: { libraries: readonly Library[]; title: string }) {
  if (libraries.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="machine-list">
        {libraries.map((library) => (
          <li key={libraryName(library)}>
            <code>{libraryName(library)}</code> {library.version}
          </li>
        ))}
      </ul>
    </>
  );
}
