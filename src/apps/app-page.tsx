import { projectPath, userPath } from '../owners/owner-addresses.ts';
import type { Platform } from '../packages/package-info.ts';
import { AppIcon } from '../web/app-icon.tsx';
import { Badge } from '../web/callout.tsx';
import { Machine } from '../web/code-block.tsx';
import { EmptyState } from '../web/empty-state.tsx';
import { renderPage } from '../web/layout.tsx';
import { Moment } from '../web/moment.tsx';
import type { PageFrame } from '../web/page-frame.ts';
import { type PageLinks, Paging } from '../web/paging.tsx';
import { texts } from '../web/texts.ts';
import type { App, OwnerName } from './app.ts';
import { PackageFacts, ProfileFacts, SigningFactsList } from './build-facts.tsx';
import { type BuildLine, BuildList } from './build-list.tsx';
import { BuildNotes } from './build-notes.tsx';
import { keyedPath } from './keyed-path.ts';
import { NameList } from './name-list.tsx';
import { versionText } from './version-text.ts';

/** A distribution page of an App, as the App's own page names it. */
export interface AppPageLink {
  name: string;
  address: string;
  active: boolean;
  revision: number;
  updatedAt: number;
}

export interface AppHalf {
  app: App;
  /** The newest build that is still there; null when all are deleted. */
  latest: BuildLine | null;
  /** One page of builds, newest first; those that match while searching. */
  builds: readonly BuildLine[];
  paging: PageLinks;
  pages: readonly AppPageLink[];
}

export interface AppPageProps {
  frame: PageFrame;
  owner: OwnerName;
  packageName: string;
  /** One half, or an Android and an iOS half of the same package name. */
  halves: readonly AppHalf[];
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
  const name = props.halves[0]?.latest?.build.info.name ?? props.packageName;
  const both = props.halves.length > 1;
  return renderPage({
    frame: props.frame,
    title: name,
    children: (
      <>
        {both && (
          <nav class="jump" aria-label={texts.app.jump}>
            {props.halves.map(({ app }) => (
              <a key={app.platform} href={`#${app.platform}`}>
                {texts.platforms[app.platform]}
              </a>
            ))}
          </nav>
        )}
        {props.halves.map((half, index) => (
          <Half key={half.app.id} half={half} isFirst={index === 0} both={both} {...props} />
        ))}
      </>
    ),
  });
}

type HalfProps = AppPageProps & { half: AppHalf; isFirst: boolean; both: boolean };

function Half(props: HalfProps) {
  const { half, frame } = props;
  const { platform } = half.app;
  return (
    <article class="half" id={platform} aria-labelledby={`${platform}-name`}>
      <HalfHead {...props} />
      <div class="columns">
        <section aria-labelledby={`${platform}-builds`}>
          <div class="section-head">
            <h2 id={`${platform}-builds`}>{texts.app.builds}</h2>
            {half.latest && <Search {...props} />}
          </div>
          <Builds {...props} />
          <Paging links={half.paging} label={texts.app.pagingLabel(texts.platforms[platform])} />
        </section>
        <div class="aside">
          <Pages half={half} frame={frame} />
          {half.latest && <LatestFacts line={half.latest} platform={platform} frame={frame} />}
        </div>
      </div>
    </article>
  );
}

function HalfHead({ half, owner, packageName, isFirst, frame }: HalfProps) {
  const { platform } = half.app;
  const info = half.latest?.build.info;
  const name = info?.name ?? packageName;
  const Heading = isFirst ? 'h1' : 'h2';
  return (
    <div class="page-head page-head-icon">
      <AppIcon
        address={half.latest?.iconAddress ?? null}
        origin={frame.origin}
        name={name}
        size="medium"
        eager
      />
      <div>
        <p class="kind">
          <a href={owner.kind === 'project' ? projectPath(owner.name) : userPath(owner.name)}>{owner.name}</a>
          <Badge>{texts.platforms[platform]}</Badge>
        </p>
        <Heading class="title" id={`${platform}-name`}>
          <bdi>{name}</bdi>
        </Heading>
        <p class="under-title">
          {info && <bdi class="version">{versionText(info)}</bdi>}
          <Machine text={packageName} />
        </p>
      </div>
    </div>
  );
}

function Search({ half, search }: HalfProps) {
  const id = `${half.app.platform}-search`;
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

function Builds({ half, search, frame }: HalfProps) {
  if (half.builds.length > 0) {
    const latestRevision = half.latest?.build.revision ?? null;
    return (
      <BuildList
        app={half.app}
        builds={half.builds}
        latestRevision={latestRevision}
        appKey={search.key}
        now={frame.now}
      />
    );
  }
  const searching = search.query !== '' && half.latest !== null;
  return (
    <EmptyState title={searching ? texts.app.noMatches : texts.app.noBuilds}>
      <p class="secondary">{searching ? texts.app.noMatchesLine : texts.app.noBuildsLine}</p>
      {searching && (
        <p>
          <a href={keyedPath(search.address, search.key)}>{texts.app.clearSearch}</a>
        </p>
      )}
    </EmptyState>
  );
}

function Pages({ half, frame }: { half: AppHalf; frame: PageFrame }) {
  const id = `${half.app.platform}-pages`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{texts.app.pages}</h2>
      {half.pages.length === 0 ? (
        <p class="secondary">{texts.app.noPages}</p>
      ) : (
        <ul class="link-list">
          {half.pages.map((page) => (
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
            </li>
          ))}
        </ul>
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
