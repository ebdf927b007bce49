import type { ComponentChildren } from 'preact';
import { formatBytes } from '../../core/byte-size.ts';
import { workspaceOf } from '../../owners/owner.ts';
import type { SignatureVerification } from '../../packages/package-info.ts';
import { Badge } from '../../web/components/callout.tsx';
import { SuccessMessage } from '../../web/components/form-field.tsx';
import { Glyph } from '../../web/components/glyph.tsx';
import { LivePart } from '../../web/components/live-part.tsx';
import { isolated, timeOf } from '../../web/components/message-tags.tsx';
import { QrCode } from '../../web/components/qr-code.tsx';
import { FoldedList } from '../../web/components/result-list.tsx';
import { CopyLine, ShareActions } from '../../web/components/share-actions.tsx';
import { TitleBlock } from '../../web/shell/console-head.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { BuildActivity } from '../activity/build-activity.tsx';
import type { MemberActivity } from '../activity/member-activity.ts';
import { type App, installedBytes, installedFile } from '../app.ts';
import { type AppHead, AppHeadBar } from '../app-head.tsx';
import { comparePath, publishPath, revisionPath } from '../app-paths.ts';
import { appTexts } from '../app-texts.ts';
import { pageStateOf } from '../distributions/page-state.ts';
import { PageMark, PageStateBadge } from '../distributions/page-state-badge.tsx';
import { keyedPath } from '../files/path-with-secret.ts';
import type { BuildSize } from '../insight/build-insight.ts';
import { BuildTabs } from '../insight/build-tabs.tsx';
import { SizeNote } from '../insight/size-note.tsx';
import type { MarkedPage } from '../listed-page.ts';
import { liveStreamPath } from '../live/live-stream-path.ts';
import { type BuildActions, ManagementSection, MessageForm } from './build-actions.tsx';
import { BuildFacts } from './build-fact-sections.tsx';
import type { BuildLine } from './build-list.tsx';
import { BuildNotes } from './build-notes.tsx';
import { buildTexts } from './build-texts.ts';
import { isAwaitingVerification } from './build-warnings.ts';
import { SimulatorRun } from './simulator-run.tsx';
import { versionText } from './version-text.ts';

/** A distribution page that serves or served this build. */
export interface ServingPage extends MarkedPage {
  address: string;
  /** When the page started serving it. */
  since: number;
  /** Whether the page still serves it. */
  current: boolean;
}

export interface BuildPageProps {
  frame: PageFrame;
  app: App;
  head: AppHead;
  line: BuildLine;
  /** What the checks of the build found, with a link to them. */
  checks?: ComponentChildren;
  /** Null until the build is analyzed. */
  size: BuildSize | null;
  /** How the viewer installs the build; null for people who manage it, on computers. */
  install?: ComponentChildren;
  /** The app secret if it opened the page, so that links include it. */
  appKey?: string | null;
  simulatorAddress: string | null;
  /** Null until the signature is verified. */
  verification: SignatureVerification | null;
  /** Live pages first. */
  pages: readonly ServingPage[];
  /** Revisions of the adjacent builds; null if there are none. */
  newerRevision: number | null;
  olderRevision: number | null;
  /** The members who most recently opened or installed it. Null if the viewer does not manage the app. */
  activity?: readonly MemberActivity[] | null;
  /** Null if the viewer cannot change the build. */
  management?: BuildActions | null;
}

export function renderBuildPage(props: BuildPageProps): string {
  const { build } = props.line;
  const { info } = build;
  return renderPage({
    frame: props.frame,
    workspace: workspaceOf(props.head.app.owner),
    title: `${info.name} ${versionText(info)} ${appTexts.app.revision({ revision: build.revision })}`,
    section: 'apps',
    forms: Boolean(props.management),
    head: (
      <AppHeadBar
        frame={props.frame}
        head={props.head}
        tab="builds"
        crumb={{
          label: appTexts.app.revision({ revision: build.revision }),
          address: keyedPath(
            revisionPath(props.app.owner, props.app.platform, props.app.packageName, build.revision),
            props.head.key,
          ),
        }}
      />
    ),
    children: (
      <article data-live-stream={liveStreamPath(props.app, props.head.key, build.revision)}>
        <BuildTitle {...props} />
        {!isForTester(props) && (
          <BuildTabs app={props.app} build={build} tab="overview" appKey={props.appKey ?? null} />
        )}
        <SuccessMessage sentence={props.management?.done ?? null} />
        {props.management?.messageError && <NotSaved sentence={props.management.messageError} />}
        {build.apk ? (
          <LivePart id="build-install" pending={build.apk.state === 'converting'}>
            {props.install}
          </LivePart>
        ) : (
          props.install
        )}
        {isForTester(props) ? (
          <TesterParts {...props} />
        ) : (
          <>
            <Notes {...props} />
            <div class="columns columns-aside">
              <BuildMain {...props} />
              <BuildAside {...props} />
            </div>
          </>
        )}
      </article>
    ),
  });
}

/** Whether the viewer came to install; if so, facts for developers are collapsed. */
const isForTester = ({ install, management }: BuildPageProps) => Boolean(install) && !management;

function Notes(props: BuildPageProps) {
  const { line, verification, frame } = props;
  return (
    <LivePart id="build-notes" pending={isVerificationPending(props)}>
      <BuildNotes build={{ ...line.build, verification }} now={frame.now} />
    </LivePart>
  );
}

const isVerificationPending = ({ verification, line: { build } }: BuildPageProps) =>
  isAwaitingVerification({ ...build, verification });

function NotSaved({ sentence }: { sentence: string }) {
  return (
    <div class="callout callout-danger" role="alert">
      <p class="callout-title">{buildTexts.message.notSaved}</p>
      <p>
        <a href="#new-message">{sentence}</a>
      </p>
    </div>
  );
}

function BuildTitle(props: BuildPageProps) {
  const { frame, line, size } = props;
  const { build } = line;
  return (
    <TitleBlock
      title={
        <>
          <bdi>{versionText(build.info)}</bdi>{' '}
          <span class="soft">{appTexts.app.revision({ revision: build.revision })}</span>
        </>
      }
      state={
        <>
          {props.checks}
          {build.protected && <Badge tone="good">{buildTexts.protected}</Badge>}
          {build.label && (
            <Badge>
              <bdi>{build.label}</bdi>
            </Badge>
          )}
        </>
      }
      line={
        <>
          {buildTexts.uploaded({
            user: build.uploadedBy,
            name: isolated,
            time: timeOf(build.createdAt, frame.now),
          })}
          {size && (
            <>
              {' · '}
              <SizeNote app={props.app} build={build} size={size} appKey={props.appKey ?? null} />
            </>
          )}
        </>
      }
      actions={!isForTester(props) && <BuildTitleActions {...props} />}
    />
  );
}

function BuildTitleActions(props: BuildPageProps) {
  const { app, line, simulatorAddress, olderRevision, appKey = null, management } = props;
  const { build } = line;
  return (
    <>
      {management && installedFile(build) && (
        <a class="button button-primary" href={publishPath(app, build.revision)}>
          <Glyph name="globe" />
          {buildTexts.publishToPage}
        </a>
      )}
      <a class="button" href={line.downloadAddress}>
        <Glyph name="download" />
        {build.apk ? buildTexts.downloadBundle : buildTexts.build.download}{' '}
        <span class="soft">{formatBytes(build.sizeBytes)}</span>
      </a>
      {build.apk && (
        <span id="build-apk" data-live-part="">
          {line.apkAddress && (
            <a class="button" href={line.apkAddress}>
              <Glyph name="download" />
              {buildTexts.downloadApk} <span class="soft">{formatBytes(installedBytes(build))}</span>
            </a>
          )}
        </span>
      )}
      {simulatorAddress && (
        <a class="button" href={simulatorAddress}>
          {buildTexts.build.simulator}{' '}
          {build.simulatorBytes !== null && <span class="soft">{formatBytes(build.simulatorBytes)}</span>}
        </a>
      )}
      {olderRevision !== null && (
        <a class="button" href={comparePath(app, { from: olderRevision, to: build.revision }, appKey)}>
          <Glyph name="compare" />
          {buildTexts.compare.link({ revision: olderRevision })}
        </a>
      )}
    </>
  );
}

function BuildMain(props: BuildPageProps) {
  const { build } = props.line;
  const { management, frame } = props;
  return (
    <div>
      {(build.message || management) && (
        <section aria-labelledby="message">
          <h2 id="message">{buildTexts.build.message}</h2>
          {build.message && (
            <p class="prose" dir="auto">
              {build.message}
            </p>
          )}
          {management && <MessageForm frame={frame} build={build} management={management} />}
        </section>
      )}
      <LiveOn {...props} />
      {props.activity && (
        <BuildActivity app={props.app} revision={build.revision} activity={props.activity} now={frame.now} />
      )}
      {props.simulatorAddress && <SimulatorRun origin={frame.origin} address={props.simulatorAddress} />}
      {management && <ManagementSection frame={frame} build={build} management={management} />}
      <AdjacentBuilds {...props} />
    </div>
  );
}

function LiveOn({ pages, frame }: BuildPageProps) {
  return (
    <section aria-labelledby="pages">
      <h2 id="pages">{buildTexts.build.pages}</h2>
      {pages.length === 0 ? (
        <p class="soft">{buildTexts.build.noPages}</p>
      ) : (
        <FoldedList
          style="panel rows"
          rows={pages.map((page) => (
            <li key={`${page.address} ${page.since}`}>
              <span class="grow">
                <span class="line-1">
                  <PageMark
                    page={page}
                    address={page.address}
                    now={frame.now}
                    hasBadge
                    isPast={!page.current}
                  />
                  <PageStateBadge state={pageStateOf(page, frame.now)} />
                </span>
                <span class="line-2">
                  {(page.current ? buildTexts.build.liveSince : buildTexts.build.earlier)({
                    time: timeOf(page.since, frame.now),
                  })}
                </span>
              </span>
              <ShareActions address={frame.origin + page.address} name={page.name} qrPath={page.address} />
            </li>
          ))}
        />
      )}
    </section>
  );
}

function AdjacentBuilds({ app, newerRevision, olderRevision, appKey = null }: BuildPageProps) {
  if (newerRevision === null && olderRevision === null) return null;
  const ownerPath = (revision: number) =>
    keyedPath(revisionPath(app.owner, app.platform, app.packageName, revision), appKey);
  return (
    <nav class="paging" aria-label={buildTexts.build.neighbours}>
      {newerRevision === null ? (
        <span />
      ) : (
        <a href={ownerPath(newerRevision)} rel="next">
          ← {buildTexts.build.newerBuild({ revision: newerRevision })}
        </a>
      )}
      {olderRevision !== null && (
        <a href={ownerPath(olderRevision)} rel="prev">
          {buildTexts.build.olderBuild({ revision: olderRevision })} →
        </a>
      )}
    </nav>
  );
}

function TesterParts(props: BuildPageProps) {
  const { line, pages, simulatorAddress, frame } = props;
  const { message } = line.build;
  return (
    <>
      {pages.length > 0 && <LiveOn {...props} />}
      <details class="build-details">
        <summary>{buildTexts.details}</summary>
        <Notes {...props} />
        <p class="actions">
          <BuildTitleActions {...props} />
        </p>
        {message && (
          <section aria-labelledby="message">
            <h2 id="message">{buildTexts.build.message}</h2>
            <p class="prose" dir="auto">
              {message}
            </p>
          </section>
        )}
        {simulatorAddress && <SimulatorRun origin={frame.origin} address={simulatorAddress} />}
        <BuildFacts build={line.build} verification={props.verification} now={frame.now} />
      </details>
      <AdjacentBuilds {...props} />
    </>
  );
}

function BuildAside(props: BuildPageProps) {
  const { line, frame, app, appKey = null } = props;
  const path = revisionPath(app.owner, app.platform, app.packageName, line.build.revision);
  const address = frame.origin + keyedPath(path, appKey);
  const version = versionText(line.build.info);
  return (
    <div class="aside">
      <section class="panel build-share" aria-label={texts.share.title}>
        <QrCode address={address} label={texts.share.qrCodeOf({ name: version })} />
        <CopyLine address={address} name={version} />
        <p class="soft fine">{buildTexts.shareLine}</p>
      </section>
      <BuildFacts build={line.build} verification={props.verification} now={frame.now} />
    </div>
  );
}
