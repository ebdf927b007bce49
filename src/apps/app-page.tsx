import type { Platform } from '../packages/package-info.ts';
import { Badge } from '../web/components/callout.tsx';
import { EmptyState } from '../web/components/empty-state.tsx';
import { SuccessMessage } from '../web/components/form-field.tsx';
import { formatCount } from '../web/components/formats.ts';
import { type PageLinks, Paging } from '../web/components/paging.tsx';
import { Timestamp } from '../web/components/timestamp.tsx';
import { renderPage } from '../web/shell/layout.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { texts } from '../web/shell/texts.ts';
import { type App, appName } from './app.ts';
import { AppDropZones } from './app-actions.tsx';
import { type AppHead, AppHeadBar } from './app-head.tsx';
import { PackageFacts, ProfileFacts, SigningFactsList } from './builds/build-facts.tsx';
import { type BuildLine, BuildList, type BuildListActions } from './builds/build-list.tsx';
import { BuildNotes } from './builds/build-notes.tsx';
import { buildTexts } from './builds/build-texts.ts';
import { DeletedBuildsNotice, RecentlyDeleted } from './deletion/build-deleted.tsx';
import type { DeletedBuild } from './deletion/deletion.ts';
import { keyedPath } from './files/path-with-secret.ts';
import { People, type PeopleProps } from './testers/app-testers-list.tsx';
import { NameList } from './testers/name-list.tsx';

/** A distribution page as listed on the app page. */
export interface AppPageLink {
  name: string;
  address: string;
  active: boolean;
  revision: number;
  updatedAt: number;
  /** Null if the viewer cannot change it. */
  settingsAddress: string | null;
}

/** Additional content for people who manage the app. */
export interface AppManagement extends BuildListActions {
  deleted: readonly DeletedBuild[];
  /** Whether there are more deleted builds than listed. */
  moreDeleted: boolean;
  recentlyDeleted: readonly DeletedBuild[];
  /** Revisions that were just restored. */
  recentlyRestored: readonly number[];
}

export interface PlatformSection {
  app: App;
  /** The newest existing build, or null if all were deleted. */
  latest: BuildLine | null;
  /** One page of builds, newest first. During a search, only matching ones. */
  builds: readonly BuildLine[];
  paging: PageLinks;
  /** Number of builds searched if the search stopped early, or else null. */
  searched: { limit: number; upwards: boolean } | null;
  pages: readonly AppPageLink[];
  /** Path of the form for a new page. Null without permission or without builds. */
  newPageAddress: string | null;
  /** The build after the last one of this page, or null. */
  nextRevision: number | null;
  /** Null if the viewer cannot change the app. */
  management: AppManagement | null;
  /** Who else has access. Null if the viewer cannot manage access. */
  people: PeopleProps['people'] | null;
}

export interface AppPageProps {
  frame: PageFrame;
  head: AppHead;
  section: PlatformSection;
  search: {
    /** Path of this page. The search form submits to it with `q`. */
    address: string;
    /** The search query, or `''`. */
    query: string;
    /** The app secret if the page was opened with `?key=`, so that searches keep it. */
    key: string | null;
  };
}

export function renderAppPage(props: AppPageProps): string {
  const { frame, head, section } = props;
  const { app } = section;
  return renderPage({
    frame,
    title: appName(app),
    section: 'apps',
    forms: true,
    ...(section.management ? { scripts: ['uploadScript'] } : {}),
    head: <AppHeadBar frame={frame} head={head} tab="builds" isTitle />,
    children: (
      <>
        <SuccessNotice section={section} frame={frame} />
        <div class="columns columns-aside">
          <section aria-labelledby="builds">
            <div class="section-head">
              <h2 id="builds">{texts.app.builds}</h2>
              {section.latest && <Search {...props} />}
            </div>
            <Builds {...props} />
            {section.searched && (
              <p class="secondary fine">
                {texts.app.searchedSome(formatCount(section.searched.limit), section.searched.upwards)}
              </p>
            )}
            <Paging links={section.paging} label={texts.app.pagingLabel(texts.platforms[app.platform])} />
            {section.management && (
              <RecentlyDeleted
                frame={frame}
                app={app}
                address={section.management.address}
                builds={section.management.deleted}
                more={section.management.moreDeleted}
              />
            )}
          </section>
          <div class="aside">
            <Pages section={section} frame={frame} />
            {section.people && <People app={app} people={section.people} frame={frame} />}
            {section.latest && <LatestFacts line={section.latest} platform={app.platform} frame={frame} />}
          </div>
        </div>
        <AppDropZones owner={app.owner} apps={section.management ? [app] : []} />
      </>
    ),
  });
}

function SuccessNotice({ section, frame }: { section: PlatformSection; frame: PageFrame }) {
  if (!section.management) return null;
  const { address, recentlyDeleted, recentlyRestored } = section.management;
  return (
    <>
      <DeletedBuildsNotice frame={frame} app={section.app} address={address} builds={recentlyDeleted} />
      {recentlyRestored.length > 0 && (
        <SuccessMessage sentence={buildTexts.restored(recentlyRestored.map(texts.app.revision))} />
      )}
    </>
  );
}

function Search({ section, search }: AppPageProps) {
  const id = `${section.app.platform}-search`;
  return (
    <search>
      <form class="search" method="get" action={search.address}>
        {search.key && <input type="hidden" name="key" value={search.key} />}
        <label class="unseen" for={id}>
          {texts.app.search}
        </label>
        <input
          id={id}
          type="search"
          name="q"
          value={search.query}
          placeholder={texts.app.search}
          maxLength={200}
        />
        <button class="button" type="submit">
          {texts.app.searchButton}
        </button>
      </form>
    </search>
  );
}

function Builds({ section, search, frame }: AppPageProps) {
  if (section.builds.length > 0) {
    const latestRevision = section.latest?.build.revision ?? null;
    return (
      <BuildList
        app={section.app}
        builds={section.builds}
        latestRevision={latestRevision}
        appKey={search.key}
        nextRevision={section.nextRevision}
        management={section.management}
        frame={frame}
      />
    );
  }
  const searching = search.query !== '' && section.latest !== null;
  return (
    <EmptyState
      title={
        searching ? (section.searched ? texts.app.noMatchesYet : texts.app.noMatches) : texts.app.noBuilds
      }
    >
      <p class="secondary">{searching ? texts.app.noMatchesLine : texts.app.noBuildsLine}</p>
      {searching && (
        <p>
          <a href={keyedPath(search.address, search.key)}>{texts.app.clearSearch}</a>
        </p>
      )}
    </EmptyState>
  );
}

function Pages({ section, frame }: { section: PlatformSection; frame: PageFrame }) {
  const id = `${section.app.platform}-pages`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{texts.app.pages}</h2>
      {section.pages.length === 0 ? (
        <p class="secondary">{texts.app.noPages}</p>
      ) : (
        <ul class="link-list">
          {section.pages.map((page) => (
            <li key={page.address}>
              <span class="line">
                <a href={page.address}>
                  <bdi>{page.name}</bdi>
                </a>
                <Badge tone={page.active ? 'good' : 'plain'}>
                  {page.active ? texts.app.active : texts.app.inactive}
                </Badge>
              </span>
              <span class="secondary fine">
                {texts.app.serves(page.revision)}, <Timestamp at={page.updatedAt} now={frame.now} />
              </span>
              {page.settingsAddress && (
                <a
                  class="fine"
                  href={page.settingsAddress}
                  aria-label={texts.links.pageSettingsOf(page.name)}
                >
                  {texts.links.pageSettings}
                </a>
              )}
            </li>
          ))}
        </ul>
      )}
      {section.newPageAddress && (
        <p class="after-list">
          <a class="button" href={section.newPageAddress}>
            {texts.links.newPage}
          </a>
        </p>
      )}
    </section>
  );
}

function LatestFacts(props: { line: BuildLine; platform: Platform; frame: PageFrame }) {
  const { build } = props.line;
  const { info } = build;
  const id = `${props.platform}-facts`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{texts.app.facts}</h2>
      <BuildNotes build={build} now={props.frame.now} />
      <PackageFacts info={info} />
      <h3>{texts.build.signing}</h3>
      <SigningFactsList info={info} verification={build.verification} />
      {info.ios?.profile && (
        <>
          <h3>{texts.build.profile}</h3>
          <ProfileFacts ios={info.ios} now={props.frame.now} />
        </>
      )}
      {info.android && <NameList title={texts.build.permissions} names={info.android.permissions} />}
    </section>
  );
}
