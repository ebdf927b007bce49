/** The Pages tab, with every distribution page of an app. */
import type { AppHead } from '../../apps/app-head.tsx';
import { renderAppArea } from '../../apps/app-head.tsx';
import { distributionPath, newPagePath, pageSettingsPath, revisionPath } from '../../apps/app-paths.ts';
import { appTexts } from '../../apps/app-texts.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import { pageStateOf } from '../../apps/distributions/page-state.ts';
import { conditionsOf, PageMark, PageStateBadge } from '../../apps/distributions/page-state-badge.tsx';
import type { ListedPage } from '../../apps/listed-page.ts';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { formatCount } from '../../web/components/formats.ts';
import { Glyph } from '../../web/components/glyph.tsx';
import { type PageLinks, Paging } from '../../web/components/paging.tsx';
import { ShareActions } from '../../web/components/share-actions.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { pageSettingsTexts } from './page-settings-texts.ts';

export interface AppPagesProps {
  frame: PageFrame;
  head: AppHead;
  /** The most recently updated first. */
  pages: readonly ListedPage[];
  paging: PageLinks;
}

const t = pageSettingsTexts.list;

export function renderAppPages({ frame, head, pages, paging }: AppPagesProps): string {
  const { app } = head;
  return renderAppArea({
    frame,
    head,
    tab: 'pages',
    title: appTexts.tabs.pages,
    line: t.line,
    actions: (
      <a class="button button-primary" href={newPagePath(app.owner, app.platform, app.packageName)}>
        <Glyph name="plus" />
        {texts.links.newPage}
      </a>
    ),
    children:
      pages.length === 0 ? (
        <EmptyState title={t.none}>
          <p class="soft">{t.noneLine}</p>
        </EmptyState>
      ) : (
        <>
          <div class="panel">
            <table class="table cards cards-beside">
              <caption class="unseen">{appTexts.tabs.pages}</caption>
              <thead>
                <tr>
                  <th scope="col">{t.page}</th>
                  <th scope="col">{t.serving}</th>
                  <th scope="col" class="num">
                    {t.installs}
                  </th>
                  <th scope="col">{t.updated}</th>
                  <th scope="col">
                    <span class="unseen">{t.actions}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {pages.map((page) => (
                  <PageRow key={page.id} frame={frame} head={head} page={page} />
                ))}
              </tbody>
            </table>
          </div>
          <Paging links={paging} label={t.more} />
        </>
      ),
  });
}

function PageRow({ frame, head, page }: { frame: PageFrame; head: AppHead; page: ListedPage }) {
  const { app } = head;
  const path = distributionPath(page.accessKey);
  const settings = pageSettingsPath(page.accessKey);
  return (
    <tr>
      <th scope="row">
        <span class="line-1">
          <PageMark page={page} address={settings} now={frame.now} hasBadge />
          <PageStateBadge state={pageStateOf(page, frame.now)} />
        </span>
        <span class="line-2">{conditionsOf(page, frame.now).join(' · ')}</span>
      </th>
      <td>
        <a class="plain" href={revisionPath(app.owner, app.platform, app.packageName, page.revision)}>
          <bdi>{versionText(page)}</bdi>
        </a>{' '}
        <span class="revision">{appTexts.app.revision({ revision: page.revision })}</span>
      </td>
      <td class="num" data-label={t.installs}>
        {formatCount(page.installs)}
      </td>
      <td class="soft" data-label={t.updated}>
        <Timestamp at={page.updatedAt} now={frame.now} />
      </td>
      <td class="tight beside">
        <ShareActions address={frame.origin + path} name={page.name} qrPath={`${settings}#share`} />
      </td>
    </tr>
  );
}
