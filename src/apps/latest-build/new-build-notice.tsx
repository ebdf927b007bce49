import type { App } from '../app.ts';
import { latestBuildPath } from '../app-paths.ts';
import { keyedPath } from '../files/path-with-secret.ts';
import { liveStreamPath } from '../live/live-stream-path.ts';
import { latestBuildTexts as t } from './latest-build-texts.ts';

/** Announces builds that are uploaded while the page is open. Empty without scripts; never changes the list itself. */
export function NewBuildNotice(props: {
  app: App;
  /** The latest build when the page was rendered. */
  revision: number | null;
  /** The newest build listed on the page, unless it is the latest. */
  listedFrom: number | null;
  /** Path of the page that shows the new build. */
  address: string;
  appKey: string | null;
}) {
  const { app, revision, address, appKey } = props;
  return (
    <span
      role="status"
      data-live-stream={liveStreamPath(app, appKey, props.listedFrom)}
      data-live-news={keyedPath(latestBuildPath(app), appKey)}
      data-revision={revision ?? 0}
      data-text={t.newBuild({ revision: '{}' })}
      data-show={t.show}
      data-address={keyedPath(address, appKey)}
    />
  );
}
