import { AppIcon } from '../../web/components/app-icon.tsx';
import { Badge } from '../../web/components/callout.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import type { App, Build } from '../app.ts';
import { platformAppPath } from '../app-paths.ts';

export interface AppListItem {
  app: Pick<App, 'owner' | 'platform' | 'packageName'>;
  iconAddress: string | null;
  /** Null when every build has been deleted. */
  latest: Pick<Build, 'revision' | 'info' | 'createdAt' | 'uploadedBy'> | null;
}

export function AppList(props: { frame: PageFrame; apps: readonly AppListItem[]; showOwner: boolean }) {
  return (
    <ul class="app-list">
      {props.apps.map((line) => (
        <AppItem
          key={`${line.app.owner.id} ${line.app.platform} ${line.app.packageName}`}
          line={line}
          {...props}
        />
      ))}
    </ul>
  );
}

function AppItem({ line, frame, showOwner }: { line: AppListItem; frame: PageFrame; showOwner: boolean }) {
  const { app, latest } = line;
  const name = latest?.info.name ?? app.packageName;
  return (
    <li>
      <a class="app-line" href={platformAppPath(app.owner, app.platform, app.packageName)}>
        <AppIcon address={line.iconAddress} origin={frame.origin} name={name} size="small" />
        <span class="app-line-name">
          <strong>
            <bdi>{name}</bdi>
          </strong>
          <span class="secondary">
            {showOwner ? `${app.owner.name} · ` : ''}
            {app.packageName}
          </span>
        </span>
        <span class="app-line-version">
          <Badge>{texts.platforms[app.platform]}</Badge>
          {latest ? (
            <bdi class="version">{latest.info.versionName ?? latest.info.versionCode}</bdi>
          ) : (
            texts.home.noVersion
          )}
        </span>
        <span class="app-line-when secondary">
          {latest && (
            <>
              <Timestamp at={latest.createdAt} now={frame.now} />{' '}
              <bdi class="cut">{texts.home.byName(latest.uploadedBy)}</bdi>
            </>
          )}
        </span>
      </a>
    </li>
  );
}
