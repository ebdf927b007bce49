import type { Platform } from '../packages/package-info.ts';
import { AppIcon } from '../web/components/app-icon.tsx';
import { Badge } from '../web/components/callout.tsx';
import { Machine } from '../web/components/code-block.tsx';
import { EmptyState } from '../web/components/empty-state.tsx';
import { Done } from '../web/components/form-field.tsx';
import { formatCount } from '../web/components/formats.ts';
import { Moment } from '../web/components/moment.tsx';
import { type PageLinks, Paging } from '../web/components/paging.tsx';
import { renderPage } from '../web/shell/layout.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { texts } from '../web/shell/texts.ts';
import type { App, OwnerName } from './app.ts';
import { AppActions, AppDrops, ManageApp } from './app-actions.tsx';
import { PackageFacts, ProfileFacts, SigningFactsList } from './builds/build-facts.tsx';
import { type BuildLine, BuildList, type BuildListActions } from './builds/build-list.tsx';
import { BuildNotes } from './builds/build-notes.tsx';
import { buildTexts } from './builds/build-texts.ts';
import { platformLabelId } from './builds/platform-label.ts';
import { versionText } from './builds/version-text.ts';
import { JustDeleted, RecentlyDeleted } from './deletion/build-deleted.tsx';
import type { DeletedBuild } from './deletion/deletion.ts';
import { keyedPath } from './files/keyed-path.ts';
import { People, type PeopleProps } from './testers/app-testers-list.tsx';
import { NameList } from './testers/name-list.tsx';

/** A distribution page of an App, as the App's own page names it. */
export interface AppPageLink {
  name: string;
  address: string;
  active: boolean;
  revision: number;
  updatedAt: number;
  /** Null for those who may not change it. */
  settingsAddress: string | null;
}

/** What those who manage the App see besides. */
export interface AppManagement extends BuildListActions {
  deleted: readonly DeletedBuild[];
  /** More are deleted than are listed. */
  moreDeleted: boolean;
  justDeleted: readonly DeletedBuild[];
  /** Revisions that were just brought back. */
  justRestored: readonly number[];
  deletionAddress: string;
  /** Just now. */
  secretRotated: boolean;
}

export interface PlatformSection {
  app: App;
  /** The newest build that is still there; null when all are deleted. */
  latest: BuildLine | null;
  /** One page of builds, newest first; those that match while searching. */
  builds: readonly BuildLine[];
  paging: PageLinks;
  /** Where the search stopped before it was through: how many builds it looked at; else null. */
  searched: { most: number; upwards: boolean } | null;
  pages: readonly AppPageLink[];
  /** Where a page is made by hand; null for those who may not, and while there is no build to hand out. */
  newPageAddress: string | null;
  /** The build that follows the last of this page; null when there is none. */
  nextRevision: number | null;
  /** Null for those who may not change the App. */
  management: AppManagement | null;
  /** Who else sees this App; null for those who have no say in it. */
  people: PeopleProps['people'] | null;
}

export interface AppPageProps {
  frame: PageFrame;
  owner: OwnerName;
  /** The page of the owner; null for those who see this App and nothing else of the owner's. */
  ownerAddress: string | null;
  packageName: string;
  /** One half, or an Android and an iOS half of the same package name. */
  sections: readonly PlatformSection[];
  search: {
    /** Path of this page, to which the form goes with `q`. */
    address: string;
    /** What is being looked for; `''` when nothing is. */
    query: string;
    /** The App's secret when the page was opened with `?key=`, so that searching keeps it. */
    key: string | null;
  };
}

export function renderAppPage(props: AppPageProps): string {
  const name = props.sections[0]?.latest?.build.info.name ?? props.packageName;
  const both = props.sections.length > 1;
  const managed = props.sections.filter(({ management }) => management !== null);
  return renderPage({
    frame: props.frame,
    title: name,
    forms: props.sections.some(({ people }) => people !== null),
    ...(managed.length > 0 ? { scripts: ['uploadScript'] } : {}),
    children: (
      <>
        {both && (
          <nav class="jump" aria-label={texts.app.jump}>
            {props.sections.map(({ app }) => (
              <a key={app.platform} href={`#${app.platform}`}>
                {texts.platforms[app.platform]}
              </a>
            ))}
          </nav>
        )}
        {props.sections.map((section, index) => (
          <Half key={section.app.id} section={section} isFirst={index === 0} both={both} {...props} />
        ))}
        <AppDrops owner={props.owner} apps={managed.map(({ app }) => app)} />
      </>
    ),
  });
}

type HalfProps = AppPageProps & { section: PlatformSection; isFirst: boolean; both: boolean };

function Half(props: HalfProps) {
  const { section, frame } = props;
  const { platform } = section.app;
  return (
    <article class="half" id={platform} aria-labelledby={`${platform}-name`}>
      <HalfHead {...props} />
      <JustDone section={section} frame={frame} />
      <div class="columns">
        <section aria-labelledby={`${platform}-builds ${platformLabelId(platform)}`}>
          <div class="section-head">
            <h2 id={`${platform}-builds`}>{texts.app.builds}</h2>
            {section.latest && <Search {...props} />}
          </div>
          <Builds {...props} />
          {section.searched && (
            <p class="secondary fine">
              {texts.app.searchedSome(formatCount(section.searched.most), section.searched.upwards)}
            </p>
          )}
          <Paging links={section.paging} label={texts.app.pagingLabel(texts.platforms[platform])} />
          {section.management && (
            <RecentlyDeleted
              frame={frame}
              app={section.app}
              address={section.management.address}
              builds={section.management.deleted}
              more={section.management.moreDeleted}
            />
          )}
        </section>
        <div class="aside">
          <Pages section={section} frame={frame} />
          {section.people && <People app={section.app} people={section.people} frame={frame} />}
          {section.latest && <LatestFacts line={section.latest} platform={platform} frame={frame} />}
          {section.management && (
            <ManageApp app={section.app} deletionAddress={section.management.deletionAddress} frame={frame} />
          )}
        </div>
      </div>
    </article>
  );
}

function JustDone({ section, frame }: { section: PlatformSection; frame: PageFrame }) {
  if (!section.management) return null;
  const { address, justDeleted, justRestored, secretRotated } = section.management;
  return (
    <>
      <JustDeleted frame={frame} app={section.app} address={address} builds={justDeleted} />
      {justRestored.length > 0 && (
        <Done sentence={buildTexts.restored(justRestored.map(texts.app.revision))} />
      )}
      {secretRotated && <Done sentence={buildTexts.rotateSecret.done} />}
    </>
  );
}

function HalfHead({ section, owner, ownerAddress, packageName, isFirst, frame }: HalfProps) {
  const { platform } = section.app;
  const info = section.latest?.build.info;
  const name = info?.name ?? packageName;
  const Heading = isFirst ? 'h1' : 'h2';
  return (
    <div class="page-head page-head-icon">
      <AppIcon
        address={section.latest?.iconAddress ?? null}
        origin={frame.origin}
        name={name}
        size="medium"
        eager
      />
      <div>
        <p class="kind">
          {ownerAddress === null ? owner.name : <a href={ownerAddress}>{owner.name}</a>}
          <span id={platformLabelId(platform)}>
            <Badge>{texts.platforms[platform]}</Badge>
          </span>
        </p>
        <Heading class="title" id={`${platform}-name`}>
          <bdi>{name}</bdi>
        </Heading>
        <p class="under-title">
          {info && <bdi class="version">{versionText(info)}</bdi>}
          <Machine text={packageName} />
        </p>
      </div>
      {section.management && <AppActions app={section.app} />}
    </div>
  );
}

function Search({ section, search }: HalfProps) {
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
        <button class="button button-plain button-small" type="submit">
          {texts.app.searchButton}
        </button>
      </form>
    </search>
  );
}

function Builds({ section, search, frame }: HalfProps) {
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
    <section aria-labelledby={`${id} ${platformLabelId(section.app.platform)}`}>
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
                {texts.app.serves(page.revision)}, <Moment at={page.updatedAt} now={frame.now} />
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
          <a class="button button-small" href={section.newPageAddress}>
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
    <section aria-labelledby={`${id} ${platformLabelId(props.platform)}`}>
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
