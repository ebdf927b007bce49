/** The result of an upload from a browser: the build, and the link that installs it. */

import { renderToString } from 'preact-render-to-string';
import type { App, Build } from '../../apps/app.ts';
import { type AppHead, renderAppArea } from '../../apps/app-head.tsx';
import { appUploadPath, distributionPath, publishPath, revisionPath } from '../../apps/app-paths.ts';
import { appTexts } from '../../apps/app-texts.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import { formatBytes } from '../../core/byte-size.ts';
import { AppIcon } from '../../web/components/app-icon.tsx';
import { Glyph } from '../../web/components/glyph.tsx';
import { linkTo } from '../../web/components/message-tags.tsx';
import { QrCode } from '../../web/components/qr-code.tsx';
import { CopyLine } from '../../web/components/share-actions.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { uploadTexts } from '../upload-texts.ts';

export interface UploadResultProps {
  frame: PageFrame;
  app: App;
  build: Build;
  /** The page that serves the build; null if there is none. */
  page: { name: string; accessKey: string } | null;
}

const t = uploadTexts.result;

export function renderUploadResult(
  props: UploadResultProps & { head: AppHead; iconAddress: string },
): string {
  const { frame, head, app, build } = props;
  const { info, revision } = build;
  const buildAddress = revisionPath(app.owner, app.platform, app.packageName, revision);
  return renderAppArea({
    frame,
    head,
    tab: 'builds',
    title: t.title,
    crumb: { label: appTexts.app.revision({ revision }), address: buildAddress },
    width: 'narrow',
    done: t.done,
    children: (
      <section class="panel upload-result" aria-label={appTexts.app.revision({ revision })}>
        <div class="person">
          <AppIcon address={props.iconAddress} origin={frame.origin} name={info.name} size="medium" eager />
          <div>
            <p class="strong">
              <bdi>{info.name}</bdi> <bdi>{versionText(info)}</bdi>
            </p>
            <p class="soft fine">
              {appTexts.app.revision({ revision })} · {formatBytes(build.sizeBytes)}
            </p>
          </div>
        </div>
        <UploadShare {...props} />
        <p class="actions">
          <a class="button button-primary" href={buildAddress}>
            {t.viewBuild}
          </a>
          <a class="button" href={appUploadPath(app)}>
            {t.another}
          </a>
        </p>
      </section>
    ),
  });
}

/** The part that `upload.js` adds to the row of a file. */
export const renderUploadShare = (props: UploadResultProps): string =>
  renderToString(<UploadShare {...props} />);

/** The link of the page that serves the build; if there is none, that of the build. */
function UploadShare({ frame, app, build, page }: UploadResultProps) {
  const { owner, platform, packageName } = app;
  const path = page
    ? distributionPath(page.accessKey)
    : revisionPath(owner, platform, packageName, build.revision);
  const address = frame.origin + path;
  const name = page?.name ?? `${build.info.name} ${appTexts.app.revision({ revision: build.revision })}`;
  return (
    <div class="upload-share">
      <QrCode address={address} label={texts.share.qrCodeOf({ name })} />
      <div class="share-text">
        {page ? (
          <>
            <p class="strong">{t.publishedOn({ page: page.name, link: linkTo(path) })}</p>
            <p class="soft fine">{t.pageLine}</p>
          </>
        ) : (
          <>
            <p class="strong">{t.notPublished}</p>
            <p class="soft fine">{t.buildLine}</p>
          </>
        )}
        <CopyLine address={address} name={name} />
        {!page && (
          <p class="actions">
            <a class="button" href={publishPath(app, build.revision)}>
              <Glyph name="link" />
              {t.publish}
            </a>
          </p>
        )}
      </div>
    </div>
  );
}
