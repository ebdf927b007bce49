import { formatBytes } from '../../core/byte-size.ts';
import type { CertificateFacts } from '../../packages/package-info.ts';
import { Badge } from '../../web/components/callout.tsx';
import { FormHead } from '../../web/components/form-field.tsx';
import { markdownExcerpt } from '../../web/components/markdown.ts';
import { safeLink } from '../../web/components/safe-address.ts';
import { LastDay, Timestamp } from '../../web/components/timestamp.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import type { App, Build } from '../app.ts';
import { comparePath, revisionPath } from '../app-paths.ts';
import { undoHours } from '../deletion/build-deletion.ts';
import { keyedPath } from '../files/path-with-secret.ts';
import { buildTexts } from './build-texts.ts';
import { buildNotes } from './build-warnings.ts';
import { versionText } from './version-text.ts';

/** Messages can have 32 KB each, but a list shows only three lines. */
const maxMessageExcerpt = 400;

/** A build with URLs for this viewer. */
export interface BuildLine {
  build: Build;
  iconAddress: string | null;
  downloadAddress: string;
}

/** Additional list controls for people who manage the app. */
export interface BuildListActions {
  /** Path of the app's builds, prefix of the forms. */
  address: string;
  /** Names of the pages that serve a build, by build ID. */
  holding: ReadonlyMap<string, readonly string[]>;
}

export interface BuildListProps {
  app: App;
  builds: readonly BuildLine[];
  latestRevision: number | null;
  /** The app secret if it opened the page, so that build links keep it. */
  appKey: string | null;
  /** The build before the last one of the list, for its comparison link. Null if there is none. */
  nextRevision?: number | null;
  management?: BuildListActions | null;
  frame: PageFrame;
}

export function BuildList(props: BuildListProps) {
  const { builds, management, nextRevision = null } = props;
  const list = (
    <ol class={management ? 'build-list chosen-from' : 'build-list'} reversed>
      {builds.map((line, index) => (
        <BuildItem
          key={line.build.id}
          line={line}
          olderRevision={builds[index + 1]?.build.revision ?? nextRevision}
          {...props}
        />
      ))}
    </ol>
  );
  return management ? (
    <form method="post" action={`${management.address}/delete`}>
      <FormHead frame={props.frame} />
      {list}
      <ChosenForm {...props} management={management} />
    </form>
  ) : (
    list
  );
}

const canBeChosen = (build: Build, management: BuildListActions) =>
  !build.protected && !management.holding.has(build.id);

function ChosenForm({ builds, management }: BuildListProps & { management: BuildListActions }) {
  if (!builds.some(({ build }) => canBeChosen(build, management))) return null;
  return (
    <div class="chosen">
      <button class="button button-danger" type="submit">
        {buildTexts.remove.chosen}
      </button>
      <p class="hint">{buildTexts.remove.chosenHint(undoHours)}</p>
    </div>
  );
}

function BuildItem(props: BuildListProps & { line: BuildLine; olderRevision: number | null }) {
  const { app, management } = props;
  const { now } = props.frame;
  const { build, downloadAddress } = props.line;
  const version = versionText(build.info);
  const path = revisionPath(app.owner, app.platform, app.packageName, build.revision);
  const details = keyedPath(path, props.appKey);
  return (
    <li>
      {management && <ChoiceOfBuild app={app} build={build} management={management} />}
      <span class="revision">{texts.app.revision(build.revision)}</span>
      <p class="build-title">
        <a class="version" href={details}>
          <bdi>{version}</bdi>
        </a>
        <BuildBadges build={build} isLatest={build.revision === props.latestRevision} now={now} />
      </p>
      <a
        class="button"
        href={downloadAddress}
        aria-label={texts.app.downloadOf(build.info.name, version, build.revision)}
      >
        {texts.app.download}
      </a>
      <div class="build-body">
        {build.message && (
          <p class="clamp" dir="auto">
            {markdownExcerpt(build.message, maxMessageExcerpt)}
          </p>
        )}
        <BuildOrigin {...props} build={build} />
      </div>
    </li>
  );
}

function ChoiceOfBuild({ app, build, management }: { app: App; build: Build; management: BuildListActions }) {
  if (!canBeChosen(build, management)) return <span />;
  const id = `choose-${app.platform}-${build.revision}`;
  return (
    <span class="choose">
      <input id={id} type="checkbox" name="revision" value={build.revision} />
      <label class="unseen" for={id}>
        {buildTexts.remove.choose(build.revision)}
      </label>
    </span>
  );
}

function BuildBadges({ build, isLatest, now }: { build: Build; isLatest: boolean; now: number }) {
  const { blocked, sentences } = buildNotes(build, now);
  return (
    <>
      {isLatest && <Badge tone="good">{texts.app.latest}</Badge>}
      {build.protected && <Badge>{buildTexts.protected}</Badge>}
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

/** Shows the signer and the expiry of the profile. */
function Signing({ build: { info }, now }: { build: Build; now: number }) {
  const signer = info.signing.certificates.at(0);
  const profile = info.ios?.profile;
  return (
    <>
      {signer && (
        <li>
          {texts.app.signedBy} <bdi>{signerName(signer)}</bdi>
        </li>
      )}
      {profile && (
        <li>
          {texts.profileTypes[profile.type]}{' '}
          <Until expiresAt={Date.parse(profile.expiresAt ?? '')} now={now} />
        </li>
      )}
    </>
  );
}

function Until({ expiresAt, now }: { expiresAt: number; now: number }) {
  if (Number.isNaN(expiresAt)) return null;
  return expiresAt > now ? (
    <>
      {texts.app.until} <LastDay before={expiresAt} />
    </>
  ) : (
    <>
      {texts.app.expired} <Timestamp at={expiresAt} now={now} />
    </>
  );
}

const shownCommitLength = 10;
const shownPages = 2;

function BuildOrigin(props: BuildListProps & { build: Build; olderRevision: number | null }) {
  const { app, build, management, olderRevision } = props;
  const { now } = props.frame;
  const pages = management?.holding.get(build.id) ?? [];
  const address = safeLink(build.buildUrl);
  return (
    <ul class="trail">
      <li>
        <Timestamp at={build.createdAt} now={now} />
      </li>
      <li>{formatBytes(build.sizeBytes)}</li>
      <Signing build={build} now={now} />
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
      {pages.length > 0 && (
        <li>
          <bdi>
            {buildTexts.remove.liveOn(pages.slice(0, shownPages), Math.max(pages.length - shownPages, 0))}
          </bdi>
        </li>
      )}
      {olderRevision !== null && (
        <li>
          <a href={comparePath(app, { from: olderRevision, to: build.revision }, props.appKey)}>
            {buildTexts.compare.since(olderRevision)}
          </a>
        </li>
      )}
    </ul>
  );
}

const commonName = /(?:^|[,+] ?)CN=((?:\\.|[^\\,+])+)/;
const organizationPattern = /(?:^|[,+] ?)O=((?:\\.|[^\\,+])+)/;

/**
 * Short name of a certificate subject: its common name, else its organization, else the whole subject. Subjects are RFC
 * 4514 strings (section 2.4): `\` escapes commas, pluses and other characters in a value.
 */
export function signerName({ subject }: Pick<CertificateFacts, 'subject'>): string {
  const [, value] = commonName.exec(subject) ?? organizationPattern.exec(subject) ?? [];
  return value ? value.replace(/\\(.)/g, '$1').trim() : subject;
}
