/** Which builds contain a library: for a vulnerability or a version that has to go. */

import { appName } from '../apps/app.ts';
import { buildDependenciesPath, platformAppPath } from '../apps/app-paths.ts';
import { versionText } from '../apps/builds/version-text.ts';
import { EmptyState } from '../web/components/empty-state.tsx';
import { Choice, ChoiceGroup, SubmitButton } from '../web/components/form-field.tsx';
import { SearchResults } from '../web/components/result-list.tsx';
import { TextField } from '../web/components/text-field.tsx';
import { TitleBlock } from '../web/shell/console-head.tsx';
import { renderPage } from '../web/shell/layout.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { sitePaths } from '../web/shell/site-paths.ts';
import { texts } from '../web/shell/texts.ts';
import {
  type LibraryResults,
  type LibrarySearch,
  libraryScopes,
  maxLibraryLength,
  maxVersionLength,
} from './library-search.ts';
import { searchTexts } from './search-texts.ts';

const t = searchTexts.libraries;

export interface LibrarySearchProps {
  frame: PageFrame;
  search: LibrarySearch;
  results: LibraryResults;
  /** Address of the next page; null on the last one. */
  next: string | null;
}

export function renderLibrarySearch(props: LibrarySearchProps): string {
  const { frame, search, results } = props;
  return renderPage({
    frame,
    title: t.title,
    forms: true,
    children: (
      <>
        <TitleBlock title={t.title} line={t.line} />
        <form class="form section" method="get" action={sitePaths.librarySearch}>
          <TextField
            id="library"
            label={t.library}
            hint={t.libraryHint}
            value={search.library}
            errors={undefined}
            maxLength={maxLibraryLength}
          />
          <TextField
            id="version"
            label={t.version}
            hint={t.versionHint}
            value={search.version}
            errors={results.isVersionInvalid ? [t.versionInvalid] : undefined}
            maxLength={maxVersionLength}
            short
          />
          <ChoiceGroup id="scope" legend={t.scope}>
            {libraryScopes.map((scope) => (
              <Choice
                key={scope}
                type="radio"
                id={`scope-${scope}`}
                name="scope"
                value={scope}
                checked={scope === search.scope}
                label={t.scopes[scope]}
              />
            ))}
          </ChoiceGroup>
          <p class="actions">
            <SubmitButton label={searchTexts.button} tone="primary" />
          </p>
        </form>
        {search.library.trim() !== '' && !results.isVersionInvalid && <Results {...props} />}
      </>
    ),
  });
}

function Results({ results: { found }, next }: LibrarySearchProps) {
  const apps = new Set(found.map(({ app }) => app.id)).size;
  return (
    <section class="section" aria-label={t.results}>
      <SearchResults
        said={t.found({ count: found.length, apps })}
        columnHeadings={[t.columns.app, t.columns.build, t.columns.library, t.columns.version]}
        lines={found.map(({ app, build, library, version }) => (
          <tr key={`${build.id} ${library}`}>
            <td data-label={t.columns.app}>
              <a href={platformAppPath(app.owner, app.platform, app.packageName)}>
                <bdi>{appName(app)}</bdi>
              </a>
              <p class="soft fine">
                {app.owner.name} · {texts.platforms[app.platform]}
              </p>
            </td>
            <td data-label={t.columns.build}>
              <a href={buildDependenciesPath(app, build.revision)}>
                <bdi>{versionText(build.info)}</bdi> {searchTexts.revision({ revision: build.revision })}
              </a>
            </td>
            <td data-label={t.columns.library}>
              <code class="break">{library}</code>
            </td>
            <td data-label={t.columns.version}>
              {version === null ? <span class="soft">{t.unknownVersion}</span> : <code>{version}</code>}
            </td>
          </tr>
        ))}
        nothing={
          <EmptyState title={t.nothing}>
            <p>{t.nothingLine}</p>
          </EmptyState>
        }
        paging={{
          newer: null,
          older: next,
        }}
        label={t.results}
        byName
      />
      {found.length > 0 && (
        <p class="soft fine">
          {t.found({ count: found.length, apps })} {next && t.more}
        </p>
      )}
    </section>
  );
}
