/** The distribution pages of an app, as tiles above its builds. */
import { Glyph } from '../../web/components/glyph.tsx';
import { timeOf } from '../../web/components/message-tags.tsx';
import { ShareActions } from '../../web/components/share-actions.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import type { App } from '../app.ts';
import {
  appPagesPath,
  checkInstallPath,
  distributionPath,
  newPagePath,
  pageAccessSettingsPath,
  pageSettingsPath,
  revisionPath,
} from '../app-paths.ts';
import { appTexts } from '../app-texts.ts';
import { versionText } from '../builds/version-text.ts';
import { keyedPath } from '../files/path-with-secret.ts';
import type { ListedPage } from '../listed-page.ts';
import { pageStateOf } from './page-state.ts';
import { accessWords, PageMark, PageStateBadge } from './page-state-badge.tsx';

const maxTiles = 8;
const t = appTexts.pages;

export function LivePages(props: {
  frame: PageFrame;
  app: App;
  pages: readonly ListedPage[];
  manages: boolean;
  /** The app secret if it opened the page. */
  appKey: string | null;
}) {
  const { app, pages, manages } = props;
  if (pages.length === 0 && !manages) return null;
  return (
    <section class="section" aria-labelledby="live">
      <div class="section-head">
        <h2 id="live">{appTexts.tabs.pages}</h2>
        {pages.length > maxTiles && manages && (
          <a class="button button-quiet" href={appPagesPath(app)}>
            {t.all}
          </a>
        )}
        {manages && (
          <a class="button button-quiet" href={newPagePath(app.owner, app.platform, app.packageName)}>
            <Glyph name="plus" />
            {texts.links.newPage}
          </a>
        )}
      </div>
      {pages.length === 0 ? (
        <p class="soft">{t.none}</p>
      ) : (
        <ul class={`tiles tiles-${Math.min(Math.max(pages.length, 3), 4)}`}>
          {pages.slice(0, maxTiles).map((page) => (
            <PageTile key={page.id} {...props} page={page} />
          ))}
        </ul>
      )}
    </section>
  );
}

function PageTile(props: {
  frame: PageFrame;
  app: App;
  page: ListedPage;
  manages: boolean;
  appKey: string | null;
}) {
  const { frame, app, page, manages } = props;
  const path = distributionPath(page.accessKey);
  const access = accessWords(page);
  const build = revisionPath(app.owner, app.platform, app.packageName, page.revision);
  return (
    <li class="tile">
      <span class="line-1">
        <PageMark
          page={page}
          address={manages ? pageSettingsPath(page.accessKey) : path}
          now={frame.now}
          hasBadge
        />
        <PageStateBadge state={pageStateOf(page, frame.now)} />
      </span>
      <ShareActions
        address={frame.origin + path}
        name={page.name}
        qrPath={manages ? `${pageSettingsPath(page.accessKey)}#share` : path}
      />
      <span class="fine">
        <a class="plain" href={keyedPath(build, props.appKey)}>
          <bdi>{versionText(page)}</bdi>
        </a>{' '}
        <span class="revision">{appTexts.app.revision({ revision: page.revision })}</span>
      </span>
      <span class="line-2">
        {t.facts({ installs: page.installs, time: timeOf(page.updatedAt, frame.now) })}
      </span>
      {manages && (
        <>
          <a
            class="fine soft"
            href={pageAccessSettingsPath(page.accessKey)}
            aria-label={t.accessOf({ page: page.name, access })}
          >
            {access}
          </a>
          <a
            class="fine soft"
            href={checkInstallPath(page.accessKey)}
            aria-label={t.checkOf({ page: page.name })}
          >
            {t.check}
          </a>
        </>
      )}
    </li>
  );
}
