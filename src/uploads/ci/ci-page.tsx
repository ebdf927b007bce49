/** Explains uploads from CI in three steps: the key, the lines to paste, and the first upload. */
import type { TrustedPublisher } from '../../accounts/trusted-publishing/trusted-publisher.ts';
import { refusalText } from '../../accounts/trusted-publishing/trusted-publishing-texts.ts';
import type { App, Build } from '../../apps/app.ts';
import { revisionPath } from '../../apps/app-paths.ts';
import { appTexts } from '../../apps/app-texts.ts';
import { localName, versionText } from '../../apps/builds/version-text.ts';
import type { FieldErrors } from '../../core/errors.ts';
import { type Owner, workspaceOf } from '../../owners/owner.ts';
import { OwnerHead } from '../../owners/owner-area.tsx';
import { ciPath, trustedPublishingPath } from '../../owners/owner-paths.ts';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import { publisherTexts } from '../../projects/trusted-publishing/trusted-publishing-texts.ts';
import { CodeBlock, InlineCode } from '../../web/components/code-block.tsx';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { Glyph } from '../../web/components/glyph.tsx';
import { LivePart } from '../../web/components/live-part.tsx';
import { linkTo, timeOf } from '../../web/components/message-tags.tsx';
import { CopyLine } from '../../web/components/share-actions.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import { TitleBlock } from '../../web/shell/console-head.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths, withQuery } from '../../web/shell/site-paths.ts';
import { texts } from '../../web/shell/texts.ts';
import { type CiSystem, ciSnippet, ciSystems, isTrustedSystem } from './ci-snippets.ts';
import { ciTexts } from './ci-texts.ts';
import { type TrustField, type TrustValues, trustFields } from './ci-trust.ts';

export interface CiPageProps {
  frame: PageFrame;
  owner: Owner;
  permissions: OwnerPermissions;
  system: CiSystem;
  /** The app that the page was opened for, to which a new key is restricted. */
  app: App | null;
  /** The page that the snippet publishes to. */
  page: string;
  /** Shown once, right after its creation. */
  key: string | null;
  /** The newest upload to the app or, without one, to the owner. */
  latest: { app: App; build: Build } | null;
  /** Whether the system can upload without a stored key. */
  canBeKeyless: boolean;
  /** The publishers of the system that the owner trusts already; null to use a stored key. */
  trusted: readonly TrustedPublisher[] | null;
  /** That of the uploader that this server offers; null where there is none. */
  uploaderSha256: string | null;
  /** The refused input. */
  refused?: { values: TrustValues; errors: FieldErrors };
}

/** An upload within this time counts as the one that the page waits for. */
const receivedWithinMs = 15 * 60_000;

const t = ciTexts;

export function renderCiPage(props: CiPageProps): string {
  const { frame, owner, app, system, page } = props;
  const address = keyLink(props, props.trusted === null && props.canBeKeyless);
  const place = { origin: frame.origin, owner: owner.name, page, platform: app?.platform ?? 'android' };
  return renderPage({
    frame,
    workspace: workspaceOf(owner),
    title: `${t.title} · ${owner.name}`,
    section: owner.kind === 'project' ? 'projects' : 'apps',
    forms: true,
    head: <OwnerHead owner={owner} permissions={props.permissions} part="apps" />,
    children: (
      <div
        class="ci"
        data-live-stream={withQuery(`${ciPath(owner)}/live`, appQuery(app))}
        data-live-page={address}
      >
        <TitleBlock title={t.title} line={t.line({ owner: owner.name })} />
        <nav class="ci-systems" aria-label={t.systemsLabel}>
          {ciSystems.map((name) => (
            <a
              key={name}
              href={ciLink(ciPath(owner), name, app)}
              aria-current={name === system ? 'page' : undefined}
            >
              {t.systems[name]}
            </a>
          ))}
        </nav>
        <ol class="ci-steps">
          <li class="panel">
            {props.trusted === null ? (
              <KeyStep {...props} />
            ) : (
              <TrustStep {...props} trusted={props.trusted} />
            )}
          </li>
          <li class="panel">
            <h2>{t.snippetTitle}</h2>
            <p class="soft">{t.placeOf[system]}</p>
            <CodeBlock
              text={ciSnippet(system, place, props.trusted !== null)}
              label={t.snippetLabel({ system: t.systems[system] })}
            />
            <ul class="points fine">
              {app === null && system !== 'xcode' && <li>{t.ios}</li>}
              <li>{t.publish({ page })}</li>
              {system !== 'curl' && (
                <li>
                  {t.node}{' '}
                  {props.uploaderSha256 !== null &&
                    t.digest({
                      digest: props.uploaderSha256,
                      code: () => <InlineCode text={props.uploaderSha256 ?? ''} />,
                    })}
                </li>
              )}
            </ul>
          </li>
          <li class="panel">
            <h2>{t.uploadTitle}</h2>
            <div role="status">
              <LivePart
                id="ci-upload"
                pending={receivedBuild(props) === null || newestRefusal(props) !== null}
              >
                <UploadStep {...props} address={address} />
              </LivePart>
            </div>
          </li>
        </ol>
        <p>
          <a href={sitePaths.docs}>{t.more}</a>
        </p>
      </div>
    ),
  });
}

const appQuery = (app: App | null) => ({ app: app ? `${app.platform}/${app.packageName}` : '' });

export const ciLink = (path: string, system: CiSystem, app: App | null) =>
  withQuery(path, { system, ...appQuery(app) });

/** The address of the page with a stored key, and back. */
const keyLink = ({ owner, system, app }: Pick<CiPageProps, 'owner' | 'system' | 'app'>, stored: boolean) =>
  withQuery(ciPath(owner), { system, ...appQuery(app), key: stored ? 'stored' : '' });

function TrustStep({ trusted, ...props }: CiPageProps & { trusted: readonly TrustedPublisher[] }) {
  const { frame, owner, system, app, permissions, refused } = props;
  if (!isTrustedSystem(system)) return null;
  const fields = trustFields[system];
  const labels: Readonly<Partial<Record<TrustField, { label: string; hint: string }>>> =
    t.trustFields[system];
  const errorsOf = (field: string) =>
    Object.entries(refused?.errors ?? {}).flatMap(([name, errors]) =>
      name === field || (field === fields[0] && !fields.some((one) => one === name)) ? errors : [],
    );
  // Only the User sees this page of an account.
  const canTrust = permissions.manages || owner.kind === 'user';
  return (
    <>
      <h2>{t.trustTitle}</h2>
      <p class="soft">
        {app ? t.trustLineOfApp({ app: app.packageName }) : t.trustLine({ owner: owner.name })}
      </p>
      {trusted.length > 0 && (
        <div class="callout callout-good">
          <p class="callout-title">{t.trusted}</p>
          <ul>
            {trusted.map(({ id, name }) => (
              <li key={id}>
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
        </div>
      )}
      {canTrust ? (
        <PostForm
          frame={frame}
          class="form"
          action={ciLink(`${ciPath(owner)}/trust-repository`, system, app)}
        >
          {fields.map((field) => (
            <TextField
              key={field}
              id={field}
              label={labels[field]?.label ?? ''}
              hint={labels[field]?.hint ?? ''}
              value={refused?.values[field] ?? ''}
              errors={errorsOf(field)}
              maxLength={255}
              placeholder={fields.length === 1 ? t.repositoryExample : ''}
              required
            />
          ))}
          <p class="actions">
            <SubmitButton label={t.trust} tone={trusted.length > 0 ? undefined : 'primary'} />
          </p>
        </PostForm>
      ) : (
        trusted.length === 0 && <p>{t.askOwner}</p>
      )}
      <p class="fine">
        <a href={keyLink(props, true)}>{t.useKey}</a>
        {canTrust && (
          <>
            {' · '}
            <a href={trustedPublishingPath(owner)}>{t.allPublishers}</a>
          </>
        )}
      </p>
    </>
  );
}

function KeyStep(props: CiPageProps) {
  const { frame, owner, system, app, key } = props;
  return (
    <>
      <h2>{t.keyTitle}</h2>
      {!props.canBeKeyless && (
        <p class="soft">{isTrustedSystem(system) ? t.noAddress : t.keyBecause[system]}</p>
      )}
      {key === null ? (
        <>
          <p class="soft">
            {app
              ? t.keyOfApp({ app: `${texts.platforms[app.platform]} · ${app.packageName}` })
              : t.keyOfOwner({ owner: owner.name })}
          </p>
          <PostForm
            frame={frame}
            action={withQuery(`${ciPath(owner)}/create-key`, { system, ...appQuery(app), key: 'stored' })}
          >
            <button class="button button-primary" type="submit">
              <Glyph name="key" />
              {t.createKey}
            </button>
          </PostForm>
        </>
      ) : (
        <div class="callout callout-good" role="status" data-news tabIndex={-1}>
          <p class="callout-title">{t.keyCreated}</p>
          <p>{app ? t.keyLineOfApp : t.keyLine}</p>
          <CopyLine address={key} name={t.keyCreated} />
        </div>
      )}
      <p class="fine">{t.secretOf[system]}</p>
      {props.canBeKeyless && key === null && (
        <p class="fine">
          <a href={keyLink(props, false)}>{t.useToken}</a>
        </p>
      )}
    </>
  );
}

/** A refusal after the newest build, of a publisher that the page shows. */
function newestRefusal({ frame, latest, trusted }: CiPageProps): TrustedPublisher | null {
  const since = Math.max(frame.now - receivedWithinMs, latest?.build.createdAt ?? 0);
  const refused = (trusted ?? []).filter(({ lastRefusedAt }) => (lastRefusedAt ?? 0) > since);
  return refused.sort((one, other) => (other.lastRefusedAt ?? 0) - (one.lastRefusedAt ?? 0))[0] ?? null;
}

const receivedBuild = ({ frame, latest }: CiPageProps) =>
  latest && frame.now - latest.build.createdAt < receivedWithinMs ? latest.build : null;

/** Green as soon as there is an upload. Without a script, a link asks again. */
function UploadStep({ address, ...props }: CiPageProps & { address: string }) {
  const { frame, latest } = props;
  const build = latest?.build ?? null;
  const received = receivedBuild(props);
  const refused = newestRefusal(props);
  const nameOf = (shown: NonNullable<typeof build>) =>
    `${localName(shown.info)} ${versionText(shown.info)} ${appTexts.app.revision({ revision: shown.revision })}`;
  const linkOf = (shown: NonNullable<typeof build>, { owner, platform, packageName }: App) =>
    linkTo(revisionPath(owner, platform, packageName, shown.revision));
  if (refused?.lastRefusal)
    return (
      <div class="callout callout-warning">
        <p class="callout-title">
          {publisherTexts.lastRefusal({ time: timeOf(refused.lastRefusedAt ?? 0, frame.now) })}
        </p>
        <p dir="auto">{refusalText(refused.name, refused.lastRefusal)}</p>
      </div>
    );
  if (latest && received)
    return (
      <div class="callout callout-good">
        <p class="callout-title">{t.received}</p>
        <p>
          {t.receivedLine({
            build: nameOf(received),
            link: linkOf(received, latest.app),
            time: timeOf(received.createdAt, frame.now),
          })}
        </p>
      </div>
    );
  return (
    <div class="ci-waiting">
      <p class="strong">{build ? t.waitingNext : t.waiting}</p>
      <p class="soft">
        {latest && build
          ? t.lastLine({
              build: nameOf(build),
              link: linkOf(build, latest.app),
              time: timeOf(build.createdAt, frame.now),
            })
          : t.waitingLine}
      </p>
      <p>
        <a href={`${address}#ci-upload`}>{t.checkAgain}</a>
      </p>
    </div>
  );
}
