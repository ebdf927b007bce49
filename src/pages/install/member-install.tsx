/** How a signed-in member installs a build, above the pages of its app. */
import type { Build } from '../../apps/app.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import { formatBytes } from '../../core/byte-size.ts';
import { AppIcon } from '../../web/components/app-icon.tsx';
import { Callout } from '../../web/components/callout.tsx';
import { Glyph } from '../../web/components/glyph.tsx';
import { renderMarkdown } from '../../web/components/markdown.ts';
import { QrCode } from '../../web/components/qr-code.tsx';
import { CopyLine } from '../../web/components/share-actions.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import type { InstallAdvice } from './install-advice.ts';
import { testerTexts } from './tester-texts.ts';

export interface MemberInstallProps {
  frame: PageFrame;
  build: Build;
  iconAddress: string;
  /** Absolute address of the page, to open on a phone. */
  address: string;
  /** Null if nobody can install the build. */
  installAddress: string | null;
  advice: InstallAdvice;
  /** Markdown; empty without one. */
  note: string;
}

const t = testerTexts;

export function MemberInstall(props: MemberInstallProps) {
  const { frame, build, advice, note, address } = props;
  const { info } = build;
  const onComputer = advice.way === 'computer' || advice.way === 'elsewhere';
  return (
    <section class="panel member-install" aria-labelledby="install">
      <div>
        <div class="person">
          <AppIcon address={props.iconAddress} origin={frame.origin} name={info.name} size="medium" eager />
          <div>
            <h2 id="install">
              <bdi>{info.name}</bdi> <bdi>{versionText(info)}</bdi>
            </h2>
            <p class="soft fine">
              {texts.app.revision({ revision: build.revision })} · {formatBytes(build.sizeBytes)}
            </p>
          </div>
        </div>
        {advice.title && (
          <Callout
            tone={advice.way === 'blocked' || advice.way === 'refused' ? 'danger' : 'warning'}
            title={advice.title}
            sentences={advice.sentences}
          />
        )}
        <InstallActions {...props} />
        {advice.remarks.map((remark) => (
          <p class="soft fine" key={remark}>
            {remark}
          </p>
        ))}
        {note !== '' && (
          <div class="markdown" dir="auto" dangerouslySetInnerHTML={{ __html: renderMarkdown(note) }} />
        )}
      </div>
      {onComputer && (
        <div class="build-share">
          <QrCode address={address} label={texts.share.qrCodeOf({ name: info.name })} />
          <p class="strong">{t.computer.title}</p>
          <p class="soft fine">{t.member.signIn}</p>
          <CopyLine address={address} name={info.name} />
        </div>
      )}
    </section>
  );
}

function InstallActions({ build, advice, installAddress }: MemberInstallProps) {
  if (installAddress === null || advice.way === 'blocked' || advice.way === 'elsewhere') return null;
  const { platform } = build.info;
  if (advice.way === 'computer') {
    if (platform === 'ios') return null;
    return (
      <p class="actions">
        <a class="button" href={installAddress}>
          <Glyph name="download" />
          {t.download}
        </a>
      </p>
    );
  }
  return (
    <div class="install">
      <a
        class={advice.way === 'ready' ? 'button button-primary button-large button-block' : 'button'}
        href={installAddress}
        data-install
      >
        {advice.way === 'ready' ? t.install : t.installAnyway}
      </a>
      <p class="after-install" role="status">
        <span hidden>{t.thenLook[platform]}</span>
      </p>
    </div>
  );
}
