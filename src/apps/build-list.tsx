import { Badge } from '../web/callout.tsx';
import { excerpt, formatBytes } from '../web/formats.ts';
import { Moment } from '../web/moment.tsx';
import { linkable } from '../web/safe-address.ts';
import { texts } from '../web/texts.ts';
import { revisionPath } from './addresses.ts';
import type { App, Build } from './app.ts';
import { buildNotes } from './build-warnings.ts';
import { keyedPath } from './keyed-path.ts';
import { versionText } from './version-text.ts';

/** Messages may have 32 KB each; a list shows three lines of them. */
const maxMessageExcerpt = 400;

/** A build with the addresses that a browser of this viewer may use. */
export interface BuildLine {
  build: Build;
  iconAddress: string | null;
  downloadAddress: string;
}

export interface BuildListProps {
  app: App;
  builds: readonly BuildLine[];
  latestRevision: number | null;
  /** The App's secret when the page was opened with it, so that the pages of its builds open too. */
  appKey: string | null;
  now: number;
}

/** Builds of one App, newest first, one a row. */
export function BuildList(props: BuildListProps) {
  return (
    <ol class="build-list" reversed>
      {props.builds.map((line) => (
        <BuildItem key={line.build.id} line={line} {...props} />
      ))}
    </ol>
  );
}

function BuildItem(props: BuildListProps & { line: BuildLine }) {
  const { app, now } = props;
  const { build, downloadAddress } = props.line;
  const version = versionText(build.info);
  const path = revisionPath(app.owner, app.platform, app.packageName, build.revision);
  const details = keyedPath(path, props.appKey);
  return (
    <li>
      <a class="revision" href={details} aria-label={texts.app.revisionLong(build.revision)}>
        {texts.app.revision(build.revision)}
      </a>
      <p class="build-title">
        <a class="version" href={details}>
          <bdi>{version}</bdi>
        </a>
        <BuildBadges build={build} isLatest={build.revision === props.latestRevision} now={now} />
      </p>
      <a
        class="button button-small"
        href={downloadAddress}
        aria-label={texts.app.downloadOf(build.info.name, version, build.revision)}
      >
        {texts.app.download}
      </a>
      <div class="build-body">
        {build.message && (
          <p class="clamp" dir="auto">
            {excerpt(build.message, maxMessageExcerpt)}
          </p>
        )}
        <BuildOrigin build={build} now={now} />
      </div>
    </li>
  );
}

function BuildBadges({ build, isLatest, now }: { build: Build; isLatest: boolean; now: number }) {
  const { blocked, sentences } = buildNotes(build, now);
  return (
    <>
      {isLatest && <Badge tone="good">{texts.app.latest}</Badge>}
      {build.label && (
        <Badge>
          <bdi>{build.label}</bdi>
        </Badge>
      )}
      {blocked && <Badge tone="danger">{texts.app.blocked}</Badge>}
      {!blocked && sentences.length > 0 && <Badge tone="warning">{texts.app.warned(sentences.length)}</Badge>}
    </>
  );
}

const shownCommitLength = 10;

function BuildOrigin({ build, now }: { build: Build; now: number }) {
  const address = linkable(build.buildUrl);
  return (
    <ul class="trail">
      <li>
        <Moment at={build.createdAt} now={now} />
      </li>
      <li>{formatBytes(build.sizeBytes)}</li>
      {build.branch && (
        <li>
          <code class="machine" dir="auto">
            {build.branch}
          </code>
        </li>
      )}
      {build.commit && (
        <li>
          <code class="machine" title={build.commit} dir="auto">
            {build.commit.slice(0, shownCommitLength)}
          </code>
        </li>
      )}
      {address && (
        <li>
          <a href={address} rel="noopener noreferrer nofollow">
            {texts.build.sourceLink}
          </a>
        </li>
      )}
      <li>
        {texts.app.by} <bdi>{build.uploadedBy}</bdi>
      </li>
    </ul>
  );
}
