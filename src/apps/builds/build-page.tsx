import { formatBytes } from '../../core/byte-size.ts';
import type { PackageInfo, SignatureVerification } from '../../packages/package-info.ts';
import { AppIcon } from '../../web/components/app-icon.tsx';
import { Badge } from '../../web/components/callout.tsx';
import { CodeBlock } from '../../web/components/code-block.tsx';
import { type Fact, Facts } from '../../web/components/facts.tsx';
import { SuccessMessage } from '../../web/components/form-field.tsx';
import { safeLink } from '../../web/components/safe-address.ts';
import { Timestamp } from '../../web/components/timestamp.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import type { App } from '../app.ts';
import { type AppHead, AppHeadBar } from '../app-head.tsx';
import { comparePath, platformAppPath, revisionPath } from '../app-paths.ts';
import { keyedPath } from '../files/path-with-secret.ts';
import { NameList } from '../testers/name-list.tsx';
import { type BuildActions, ManagementSection, MessageForm } from './build-actions.tsx';
import { FileFacts, OriginFacts, PackageFacts, ProfileFacts, SigningFactsList } from './build-facts.tsx';
import type { BuildLine } from './build-list.tsx';
import { BuildNotes } from './build-notes.tsx';
import { buildTexts } from './build-texts.ts';
import { versionText } from './version-text.ts';

/** A distribution page that serves or served this build. */
export interface ServingPage {
  name: string;
  address: string;
  /** When the page started to serve it. */
  since: number;
  /** Whether the page still serves it. */
  current: boolean;
}

export interface BuildPageProps {
  frame: PageFrame;
  app: App;
  head: AppHead;
  line: BuildLine;
  /** The app secret if it opened the page, so that links keep it. */
  appKey?: string | null;
  simulatorAddress: string | null;
  /** Null until the signature is verified. */
  verification: SignatureVerification | null;
  /** Live pages first. */
  pages: readonly ServingPage[];
  /** Revisions of the adjacent builds, or null. */
  newerRevision: number | null;
  olderRevision: number | null;
  /** Null if the viewer cannot change the build. */
  management?: BuildActions | null;
}

export function renderBuildPage(props: BuildPageProps): string {
  const { build } = props.line;
  const { info } = build;
  return renderPage({
    frame: props.frame,
    title: `${info.name} ${versionText(info)} ${texts.app.revision(build.revision)}`,
    section: 'apps',
    forms: Boolean(props.management),
    head: (
      <AppHeadBar
        frame={props.frame}
        head={props.head}
        tab="builds"
        crumb={{
          label: texts.app.revision(build.revision),
          address: keyedPath(
            revisionPath(props.app.owner, props.app.platform, props.app.packageName, build.revision),
            props.head.key,
          ),
        }}
      />
    ),
    children: (
      <article>
        <BuildHead {...props} />
        <SuccessMessage sentence={props.management?.done ?? null} />
        {props.management?.messageError && <NotSaved sentence={props.management.messageError} />}
        <BuildNotes build={{ ...build, verification: props.verification }} now={props.frame.now} />
        <div class="columns">
          <BuildMessageSection {...props} />
          <BuildDetails {...props} />
        </div>
      </article>
    ),
  });
}

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

function BuildHead(props: BuildPageProps) {
  const { frame, app, line, simulatorAddress, olderRevision, appKey = null } = props;
  const { build } = line;
  return (
    <div class="page-head page-head-icon">
      <AppIcon address={line.iconAddress} origin={frame.origin} name={build.info.name} size="medium" eager />
      <div>
        <p class="kind">
          <a href={keyedPath(platformAppPath(app.owner, app.platform, app.packageName), appKey)}>
            <bdi>{build.info.name}</bdi>
          </a>
          <Badge>{texts.platforms[app.platform]}</Badge>
          {build.protected && <Badge tone="good">{buildTexts.protected}</Badge>}
        </p>
        <h1>
          <bdi>{versionText(build.info)}</bdi>{' '}
          <span class="revision">{texts.app.revision(build.revision)}</span>
        </h1>
        <p class="under-title secondary">
          <Timestamp at={build.createdAt} now={frame.now} />
          <span>
            {texts.app.by} <bdi>{build.uploadedBy}</bdi>
          </span>
        </p>
      </div>
      <div class="head-actions">
        <a class="button button-primary" href={line.downloadAddress}>
          {texts.build.download} <span class="button-note">{formatBytes(build.sizeBytes)}</span>
        </a>
        {simulatorAddress && (
          <a class="button" href={simulatorAddress}>
            {texts.build.simulator}{' '}
            {build.simulatorBytes !== null && (
              <span class="button-note">{formatBytes(build.simulatorBytes)}</span>
            )}
          </a>
        )}
        {olderRevision !== null && (
          <a class="button" href={comparePath(app, { from: olderRevision, to: build.revision }, appKey)}>
            {buildTexts.compare.link(olderRevision)}
          </a>
        )}
      </div>
    </div>
  );
}

function BuildMessageSection(props: BuildPageProps) {
  const { build } = props.line;
  const { management, frame } = props;
  return (
    <div>
      {(build.message || management) && (
        <section aria-labelledby="message">
          <h2 id="message">{texts.build.message}</h2>
          {build.message && (
            <p class="prose" dir="auto">
              {build.message}
            </p>
          )}
          {management && <MessageForm frame={frame} build={build} management={management} />}
        </section>
      )}
      <section aria-labelledby="origin">
        <h2 id="origin">{texts.build.origin}</h2>
        <OriginFacts build={build} buildUrl={safeLink(build.buildUrl)} now={props.frame.now} />
      </section>
      <ServedBy {...props} />
      {props.simulatorAddress && (
        <SimulatorRun origin={props.frame.origin} address={props.simulatorAddress} />
      )}
      <section aria-labelledby="file">
        <h2 id="file">{texts.build.file}</h2>
        <FileFacts build={build} />
      </section>
      <AdjacentBuilds {...props} />
    </div>
  );
}

function ServedBy({ pages, frame }: BuildPageProps) {
  return (
    <section aria-labelledby="pages">
      <h2 id="pages">{texts.build.pages}</h2>
      {pages.length === 0 ? (
        <p class="secondary">{texts.build.noPages}</p>
      ) : (
        <ul class="link-list">
          {pages.map((page) => (
            <li key={`${page.address} ${page.since}`}>
              <span class="line">
                <a href={page.address}>
                  <bdi>{page.name}</bdi>
                </a>
                <Badge tone={page.current ? 'good' : 'plain'}>
                  {page.current ? texts.build.current : texts.build.past}
                </Badge>
              </span>
              <span class="secondary fine">
                {texts.build.since} <Timestamp at={page.since} now={frame.now} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function AdjacentBuilds({ app, newerRevision, olderRevision, appKey = null }: BuildPageProps) {
  if (newerRevision === null && olderRevision === null) return null;
  const ownerPath = (revision: number) =>
    keyedPath(revisionPath(app.owner, app.platform, app.packageName, revision), appKey);
  return (
    <nav class="paging" aria-label={texts.build.neighbours}>
      {newerRevision === null ? (
        <span />
      ) : (
        <a href={ownerPath(newerRevision)} rel="next">
          ← {texts.build.newerBuild(newerRevision)}
        </a>
      )}
      {olderRevision !== null && (
        <a href={ownerPath(olderRevision)} rel="prev">
          {texts.build.olderBuild(olderRevision)} →
        </a>
      )}
    </nav>
  );
}

function BuildDetails({ line, verification, frame, management }: BuildPageProps) {
  const { info } = line.build;
  const { android, ios } = info;
  return (
    <div class="aside">
      <section aria-labelledby="package">
        <h2 id="package">{texts.build.package}</h2>
        <PackageFacts info={info} />
      </section>
      <section aria-labelledby="signing">
        <h2 id="signing">{texts.build.signing}</h2>
        <SigningFactsList info={info} verification={verification} />
      </section>
      {ios?.profile && (
        <section aria-labelledby="profile">
          <h2 id="profile">{texts.build.profile}</h2>
          <ProfileFacts ios={ios} now={frame.now} />
        </section>
      )}
      {android && <NameList title={texts.build.permissions} names={android.permissions} />}
      {android && <NameList title={texts.build.features} names={featureNames(android.features)} />}
      <Labels info={info} />
      {management && <ManagementSection frame={frame} build={line.build} management={management} />}
    </div>
  );
}

function featureNames(features: readonly { name: string; required: boolean }[]): string[] {
  return features.map(({ name, required }) => (required ? `${name} (${texts.facts.required})` : name));
}

function Labels({ info }: { info: PackageInfo }) {
  const facts: Fact[] = Object.entries(info.labels)
    .filter(([tag]) => tag !== '')
    .map(([tag, label]) => ({ label: tag, value: <bdi>{label}</bdi> }));
  if (facts.length === 0) return null;
  return (
    <details class="names-fold">
      <summary>
        {texts.build.languages} <span class="count">{facts.length}</span>
      </summary>
      <Facts facts={facts} />
    </details>
  );
}

/** Command that opens a simulator build on a Mac. It needs Node and the downloaded script only. */
function simulateCommand(origin: string, simulatorAddress: string): string {
  const address = `${origin}${simulatorAddress}`.replaceAll("'", "'\\''");
  return [`curl -fsSO ${origin}/cli/slipway.mjs`, `node slipway.mjs simulate '${address}'`].join('\n');
}

/** `address`: download path with its key, so that the command needs no API key. */
export function SimulatorRun({ origin, address }: { origin: string; address: string }) {
  return (
    <section aria-labelledby="simulator">
      <h2 id="simulator">{texts.build.runSimulator}</h2>
      <p class="secondary">{texts.build.runSimulatorLine}</p>
      <CodeBlock text={simulateCommand(origin, address)} label={texts.build.runSimulatorCommand} />
    </section>
  );
}
