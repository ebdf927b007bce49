/** The page that a tester opens on a phone. */
import { distributionPath } from '../apps/addresses.ts';
import type { Build } from '../apps/app.ts';
import { installObstacles } from '../apps/build-warnings.ts';
import { neededSystem, versionText } from '../apps/version-text.ts';
import type { PackageInfo, SignatureVerification } from '../packages/package-info.ts';
import { AppIcon } from '../web/app-icon.tsx';
import { Badge, Callout } from '../web/callout.tsx';
import { excerpt, formatBytes } from '../web/formats.ts';
import { renderPage } from '../web/layout.tsx';
import { Moment } from '../web/moment.tsx';
import type { PageFrame } from '../web/page-frame.ts';
import { QrCode } from '../web/qr-code.tsx';
import { ownImage } from '../web/safe-address.ts';
import { texts } from '../web/texts.ts';
import type { DistributionPage, DistributionUpdate } from './distribution-page.ts';

export interface TesterPageProps {
  frame: PageFrame;
  page: Pick<DistributionPage, 'accessKey' | 'name' | 'releaseNote' | 'updatedAt'>;
  /** The build that the page hands out now. */
  build: Pick<Build, 'revision' | 'info' | 'sizeBytes' | 'createdAt'>;
  /** Path or absolute address; works without headers. */
  iconAddress: string;
  /** Android: the address of the file. iOS: `itms-services://?action=download-manifest&url=…`. */
  installAddress: string;
  /** Null while the signature has not been verified. */
  verification: SignatureVerification | null;
  /** Why this server cannot hand the build out, for example an iOS app without https; full sentences. */
  serverObstacles: readonly string[];
  /** Newest first; the update that is shown now may be among them and is left out. */
  history: readonly DistributionUpdate[];
}

const maxDescriptionLength = 200;
/** The page has to be light on a phone: earlier notes are shown by their beginning, and only so many of them. */
const maxNoteExcerpt = 300;
const maxShownUpdates = 20;

export function renderTesterPage(props: TesterPageProps): string {
  const { frame, page, build } = props;
  const { info } = build;
  const icon = ownImage(props.iconAddress, frame.origin);
  return renderPage({
    frame,
    title: info.name,
    description: previewText(page.releaseNote, info),
    image: icon?.startsWith('/') ? `${frame.origin}${icon}` : undefined,
    address: ownAddress(props),
    children: (
      <div class="tester">
        <article>
          <TesterHead {...props} />
          <Installation {...props} />
          <WhatsNew releaseNote={page.releaseNote} />
          <Help info={info} />
          <History {...props} />
        </article>
        <aside class="scan" aria-label={texts.tester.scan}>
          <QrCode address={ownAddress(props)} label={texts.tester.qrLabel(info.name)} />
          <p>{texts.tester.scan}</p>
        </aside>
      </div>
    ),
  });
}

function ownAddress({ frame, page }: Pick<TesterPageProps, 'frame' | 'page'>): string {
  return `${frame.origin}${distributionPath(page.accessKey)}`;
}

/** What a chat shows under the link: the version, then the note's beginning. */
function previewText(releaseNote: string, info: PackageInfo): string {
  const what = texts.tester.description(info.name, versionText(info), texts.platforms[info.platform]);
  const note = releaseNote.replace(/\s+/g, ' ').trim();
  const text = note === '' ? what : `${what}: ${note}`;
  return excerpt(text, maxDescriptionLength);
}

function TesterHead({ frame, page, build, iconAddress }: TesterPageProps) {
  const { info } = build;
  return (
    <header class="tester-head">
      <AppIcon address={iconAddress} origin={frame.origin} name={info.name} size="large" eager />
      <div>
        <p class="kind">
          <Badge>{texts.platforms[info.platform]}</Badge>
          <bdi class="cut">{page.name}</bdi>
        </p>
        <h1>
          <bdi>{info.name}</bdi>
        </h1>
        <p class="under-title">
          <bdi class="version">{versionText(info)}</bdi>
          <span class="secondary">{texts.app.revision(build.revision)}</span>
        </p>
      </div>
    </header>
  );
}

function Installation(props: TesterPageProps) {
  const { frame, page, build } = props;
  const { info } = build;
  const system = neededSystem(info);
  const obstacles = [...props.serverObstacles, ...installObstacles(info, props.verification, frame.now)];
  return (
    <div class="installation">
      {obstacles.length > 0 ? (
        <Callout tone="danger" title={texts.tester.cannotInstall} sentences={obstacles} />
      ) : (
        <a class="button button-large" href={props.installAddress}>
          {texts.tester.install}
        </a>
      )}
      <ul class="trail">
        <li>{formatBytes(build.sizeBytes)}</li>
        {system && <li>{system}</li>}
        <li>
          {texts.tester.updated} <Moment at={page.updatedAt} now={frame.now} />
        </li>
      </ul>
    </div>
  );
}

function WhatsNew({ releaseNote }: { releaseNote: string }) {
  return (
    <section aria-labelledby="whats-new">
      <h2 id="whats-new">{texts.tester.whatsNew}</h2>
      {releaseNote.trim() === '' ? (
        <p class="secondary">{texts.tester.noNote}</p>
      ) : (
        <p class="prose" dir="auto">
          {releaseNote}
        </p>
      )}
    </section>
  );
}

function Help({ info }: { info: PackageInfo }) {
  return (
    <details class="help">
      <summary>{texts.tester.help}</summary>
      <ul>
        {helpSteps(info).map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ul>
    </details>
  );
}

function helpSteps(info: PackageInfo): readonly string[] {
  const words = texts.tester.helpSteps;
  const profile = info.ios?.profile;
  if (!profile) return words[info.platform];
  const steps = [...words.ios];
  if (profile.type === 'enterprise') steps.push(words.iosEnterprise);
  if (profile.devices.length > 0)
    steps.push(words.iosDevices(profile.devices.length), words.iosDeveloperMode);
  return steps;
}

function History({ history, build, page, frame }: TesterPageProps) {
  const earlier = history.filter(
    (update) => !(update.revision === build.revision && update.createdAt === page.updatedAt),
  );
  if (earlier.length === 0) return null;
  return (
    <section aria-labelledby="history">
      <h2 id="history">{texts.tester.history}</h2>
      <ol class="history" reversed>
        {earlier.slice(0, maxShownUpdates).map((update) => (
          <li key={`${update.revision} ${update.createdAt}`}>
            <p class="build-title">
              <bdi class="version">{versionText(update)}</bdi>
              <span class="secondary">{texts.app.revision(update.revision)}</span>
              <span class="secondary when">
                <Moment at={update.createdAt} now={frame.now} />
              </span>
            </p>
            {update.releaseNote.trim() !== '' && (
              <p class="clamp" dir="auto">
                {excerpt(update.releaseNote.trim(), maxNoteExcerpt)}
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** For a page that has been switched off. Says nothing about the app: the address alone no longer opens it. */
export function renderInactiveTesterPage({ frame }: { frame: PageFrame }): string {
  return renderPage({
    frame,
    title: texts.tester.inactiveTitle,
    width: 'narrow',
    children: (
      <div class="notice-page">
        <h1>{texts.tester.inactiveTitle}</h1>
        <p class="lead">{texts.tester.inactiveLine}</p>
      </div>
    ),
  });
}
