/** Apps as a table with two lines per row; as cards on phones. */
import { AppIcon } from '../../web/components/app-icon.tsx';
import { Badge } from '../../web/components/callout.tsx';
import { markdownExcerpt } from '../../web/components/markdown.ts';
import { Timestamp } from '../../web/components/timestamp.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import type { App, Build } from '../app.ts';
import { distributionPath, platformAppPath } from '../app-paths.ts';
import { appTexts } from '../app-texts.ts';
import { versionText } from '../builds/version-text.ts';
import { PageMark } from '../distributions/page-state-badge.tsx';
import type { MarkedPage } from '../listed-page.ts';
import { InstallStatus, installStatusTexts, type TesterState } from './install-status.tsx';

const maxMessageExcerpt = 90;

export interface AppListItem {
  app: Pick<App, 'owner' | 'platform' | 'packageName'>;
  iconAddress: string | null;
  /** Null when every build has been deleted. */
  latest: Pick<Build, 'revision' | 'info' | 'createdAt' | 'uploadedBy' | 'message'> | null;
  /** Open pages, the most recently updated first; at most two. */
  live: readonly MarkedPage[];
  /** For people who install the app but don't upload to it. */
  tester?: TesterState;
  /** Whether the app does not run on the platform of the visitor's phone. */
  isElsewhere?: boolean;
}

const t = appTexts.list;

export function AppList(props: { frame: PageFrame; apps: readonly AppListItem[]; showOwner: boolean }) {
  const isForTester = props.apps.every(({ tester }) => tester);
  const columns = [t.app, t.latest, isForTester ? installStatusTexts.column : t.live, t.updated];
  const leastImportant = isForTester ? t.updated : t.live;
  return (
    <div class="panel">
      <table class="table cards app-table">
        <caption class="unseen">{texts.home.title}</caption>
        <thead>
          <tr>
            {columns.map((label) => (
              <th key={label} scope="col" class={label === leastImportant ? 'hide-medium' : undefined}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody data-live-polled="">
          {props.apps.map((line) => (
            <AppRow
              key={`${line.app.owner.id} ${line.app.platform} ${line.app.packageName}`}
              line={line}
              {...props}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AppRow({ line, frame, showOwner }: { line: AppListItem; frame: PageFrame; showOwner: boolean }) {
  const { app, latest } = line;
  const name = latest?.info.name ?? app.packageName;
  // An `id` attribute must not contain spaces.
  const id = encodeURIComponent(`app ${app.owner.id} ${app.platform} ${app.packageName}`);
  return (
    <tr id={id} data-live-part="">
      <th scope="row">
        <span class="person">
          <AppIcon address={line.iconAddress} origin={frame.origin} name={name} size="row" />
          <span>
            <span class="line-1">
              <a class="plain strong" href={platformAppPath(app.owner, app.platform, app.packageName)}>
                <bdi>{name}</bdi>
              </a>
              <Badge>{texts.platforms[app.platform]}</Badge>
            </span>
            <span class="cut line-2">
              {showOwner ? `${app.owner.name} · ` : ''}
              {app.packageName}
            </span>
          </span>
        </span>
      </th>
      <td>
        {latest ? (
          <>
            <span class="line-1">
              <bdi class="strong">{versionText(latest.info)}</bdi>
              <span class="revision">{appTexts.app.revision({ revision: latest.revision })}</span>
            </span>
            <span class="cut line-2" dir="auto">
              {markdownExcerpt(latest.message, maxMessageExcerpt)}
            </span>
          </>
        ) : (
          <span class="soft">{texts.home.noVersion}</span>
        )}
      </td>
      <td class={line.tester ? undefined : 'hide-medium'}>
        {line.tester ? (
          <InstallStatus
            app={app}
            latest={latest}
            state={line.tester}
            isElsewhere={line.isElsewhere ?? false}
          />
        ) : (
          <LiveOn pages={line.live} now={frame.now} />
        )}
      </td>
      <td class={line.tester ? 'soft tight hide-medium' : 'soft tight'}>
        {latest && (
          <>
            <Timestamp at={latest.createdAt} now={frame.now} />
            <bdi class="cut line-2">{latest.uploadedBy}</bdi>
          </>
        )}
      </td>
    </tr>
  );
}

function LiveOn({ pages, now }: { pages: AppListItem['live']; now: number }) {
  if (pages.length === 0) return <span class="soft fine hide-phone">{t.notLive}</span>;
  return (
    <span class="live-list">
      {pages.map((page) => (
        <PageMark key={page.accessKey} page={page} address={distributionPath(page.accessKey)} now={now} />
      ))}
    </span>
  );
}
