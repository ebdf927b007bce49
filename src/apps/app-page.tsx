/** The Builds tab: what is live now, and the list of builds with its search and filters. */

import type { ComponentChildren } from 'preact';
import { formatBytes } from '../core/byte-size.ts';
import { workspaceOf } from '../owners/owner.ts';
import { retentionTexts } from '../owners/retention/retention-texts.ts';
import { EmptyState } from '../web/components/empty-state.tsx';
import { SuccessMessage } from '../web/components/form-field.tsx';
import { formatCount, formatList } from '../web/components/formats.ts';
import { Glyph } from '../web/components/glyph.tsx';
import { type PageLinks, Paging } from '../web/components/paging.tsx';
import { renderPage } from '../web/shell/layout.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { texts } from '../web/shell/texts.ts';
import { type App, appName } from './app.ts';
import { AppDropZones } from './app-actions.tsx';
import { type AppHead, AppHeadBar } from './app-head.tsx';
import { appRetentionPath, sizeTrendPath } from './app-paths.ts';
import { appTexts } from './app-texts.ts';
import { BuildFilterBar } from './builds/build-filter-bar.tsx';
import { type BuildFilters, type FilterOptions, hasFilters } from './builds/build-filters.ts';
import { type BuildLine, BuildList } from './builds/build-list.tsx';
import { buildTexts } from './builds/build-texts.ts';
import { DeletedBuildsNotice, RecentlyDeleted } from './deletion/build-deleted.tsx';
import { maxBuildsPerRequest } from './deletion/build-deletion.ts';
import type { DeletedBuild } from './deletion/deletion.ts';
import { LivePages } from './distributions/live-pages.tsx';
import { keyedPath } from './files/path-with-secret.ts';
import type { BuildSize } from './insight/build-insight.ts';
import { NewBuildNotice } from './latest-build/new-build-notice.tsx';
import type { ListedPage, MarkedPage } from './listed-page.ts';

/** Additional content for people who manage the app. */
export interface AppManagement {
  /** Path of the app's builds, prefix of the forms. */
  address: string;
  deleted: readonly DeletedBuild[];
  /** Whether more builds are deleted than listed. */
  moreDeleted: boolean;
  recentlyDeleted: readonly DeletedBuild[];
  /** Revisions that were just restored, protected or labeled. */
  restored: readonly number[];
  protected: readonly number[];
  labeled: readonly number[];
}

export interface AppPageProps {
  frame: PageFrame;
  head: AppHead;
  app: App;
  /** How a tester installs the latest build; null for everyone else. */
  install: ComponentChildren;
  /** Null if all builds were deleted. */
  latestRevision: number | null;
  /** One page of builds, newest first. During a search, only matching ones. */
  builds: readonly BuildLine[];
  live: ReadonlyMap<string, readonly MarkedPage[]>;
  installs: ReadonlyMap<string, number>;
  checks: ReadonlyMap<string, ComponentChildren>;
  sizes: ReadonlyMap<string, BuildSize>;
  paging: PageLinks;
  /** Number of builds searched, if the search stopped early; otherwise null. */
  searched: { limit: number; upwards: boolean } | null;
  /** Number and size of the builds that match the filters; null during a search, which does not count. */
  total: { builds: number; bytes: number } | null;
  /**
   * Link that selects all matching builds, up to the number that one request can change; once `selected`, it links back. Null if
   * the page lists all of them, or the viewer cannot change builds.
   */
  selection: { selected: boolean; address: string } | null;
  search: {
    /** Path of this page. The search form submits to it with `q`. */
    address: string;
    /** The search query, or `''`. */
    query: string;
    /** The app secret if the page was opened with `?key=`, so that searches include it. */
    key: string | null;
    filters: BuildFilters;
  };
  /** Null without builds. */
  options: FilterOptions | null;
  /** Open pages, the most recently updated first. */
  pages: readonly ListedPage[];
  /** Null if the viewer cannot change the app. */
  management: AppManagement | null;
}

const t = buildTexts.list;

export function renderAppPage(props: AppPageProps): string {
  const { frame, head, app, management } = props;
  return renderPage({
    frame,
    workspace: workspaceOf(app.owner),
    title: appName(app),
    section: 'apps',
    forms: true,
    ...(management ? { scripts: ['uploadScript'] } : {}),
    head: <AppHeadBar frame={frame} head={head} tab="builds" isTitle />,
    children: (
      <>
        <Notices {...props} />
        {props.install}
        <LivePages
          frame={frame}
          app={app}
          pages={props.pages}
          manages={management !== null}
          appKey={props.search.key}
        />
        <section class="section" aria-labelledby="builds">
          <h2 class={props.install ? undefined : 'unseen'} id="builds">
            {appTexts.app.builds}
          </h2>
          {props.options && <BuildFilterBar {...props.search} options={props.options} />}
          <p class="status-line">
            <span id="build-count" data-live-part="">
              {countLine(props)}
              <SelectAll {...props} />
              {management && props.total && (
                <>
                  {' · '}
                  <a href={appRetentionPath(app)}>{retentionTexts.title}</a>
                </>
              )}
              {props.sizes.size > 0 && (
                <>
                  {' · '}
                  <a href={keyedPath(sizeTrendPath(app), props.search.key)}>{buildTexts.size.overBuilds}</a>
                </>
              )}
            </span>
            <NewBuildNotice
              app={app}
              revision={props.latestRevision}
              listedFrom={listedFrom(props)}
              address={props.search.address}
              appKey={props.search.key}
            />
          </p>
          <Builds {...props} />
          {props.searched && (
            <p class="soft fine">
              {(props.searched.upwards ? appTexts.app.searchedNewer : appTexts.app.searchedOlder)({
                count: props.searched.limit,
              })}
            </p>
          )}
          <Paging
            links={props.paging}
            label={appTexts.app.pagingLabel({ platform: texts.platforms[app.platform] })}
          />
        </section>
        {management && (
          <RecentlyDeleted
            frame={frame}
            app={app}
            address={management.address}
            builds={management.deleted}
            more={management.moreDeleted}
          />
        )}
        <AppDropZones owner={app.owner} apps={management ? [app] : []} />
      </>
    ),
  });
}

function listedFrom({ builds: [first], latestRevision }: AppPageProps): number | null {
  return first && first.build.revision !== latestRevision ? first.build.revision : null;
}

function countLine({ total, search }: AppPageProps): string {
  if (total === null) return '';
  const count = formatCount(total.builds);
  const counted = hasFilters(search.filters)
    ? t.filtered({ count, total: total.builds })
    : t.count({ count, total: total.builds });
  return total.builds === 0 ? counted : `${counted} · ${formatBytes(total.bytes)}`;
}

function SelectAll({ selection, total, search }: AppPageProps) {
  if (!selection || selection.selected) return null;
  const limit = formatCount(maxBuildsPerRequest);
  const fits = total !== null && total.builds <= maxBuildsPerRequest;
  const matches = hasFilters(search.filters) || search.query !== '';
  return (
    <>
      {total !== null && ' · '}
      <a href={selection.address}>
        {fits && (matches ? t.selectMatching : t.selectAllOf)({ count: formatCount(total.builds) })}
        {!fits && (matches ? t.selectNewestMatching : t.selectNewest)({ count: limit })}
      </a>
    </>
  );
}

function Notices({ management, frame, app }: AppPageProps) {
  if (!management) return null;
  const named = (revisions: readonly number[]) =>
    formatList(revisions.map((revision) => appTexts.app.revision({ revision })));
  const { recentlyDeleted, restored, labeled } = management;
  return (
    <>
      <DeletedBuildsNotice frame={frame} app={app} address={management.address} builds={recentlyDeleted} />
      {restored.length > 0 && (
        <SuccessMessage sentence={buildTexts.restored({ count: restored.length, builds: named(restored) })} />
      )}
      {management.protected.length > 0 && (
        <SuccessMessage sentence={t.protectedAll({ builds: named(management.protected) })} />
      )}
      {labeled.length > 0 && <SuccessMessage sentence={t.labelsSet({ builds: named(labeled) })} />}
    </>
  );
}

function Builds(props: AppPageProps) {
  const { search, management } = props;
  if (props.builds.length > 0) {
    return (
      <BuildList
        {...props}
        appKey={search.key}
        formsAddress={management?.address ?? null}
        unselectAddress={props.selection?.selected ? props.selection.address : null}
      />
    );
  }
  const searching = (search.query !== '' || hasFilters(search.filters)) && props.latestRevision !== null;
  return (
    <EmptyState
      title={
        searching
          ? props.searched
            ? appTexts.app.noMatchesYet
            : appTexts.app.noMatches
          : appTexts.app.noBuilds
      }
    >
      <p class="secondary">{searching ? appTexts.app.noMatchesLine : appTexts.app.noBuildsLine}</p>
      {searching && (
        <p class="actions">
          <a class="button" href={keyedPath(search.address, search.key)}>
            <Glyph name="close" />
            {appTexts.app.clearSearch}
          </a>
        </p>
      )}
    </EmptyState>
  );
}
