/** The panel from which signed-in members install a build, above the pages of its app. */

import { type Build, installedBytes } from '../../apps/app.ts';
import { appTexts } from '../../apps/app-texts.ts';
import { buildTexts } from '../../apps/builds/build-texts.ts';
import { localName, versionText } from '../../apps/builds/version-text.ts';
import { formatBytes } from '../../core/byte-size.ts';
import type { Visitor } from '../../core/visitor.ts';
import { AppIcon } from '../../web/components/app-icon.tsx';
import { Callout } from '../../web/components/callout.tsx';
import { Glyph } from '../../web/components/glyph.tsx';
import { renderMarkdown } from '../../web/components/markdown.ts';
import { QrCode } from '../../web/components/qr-code.tsx';
import { CopyLine } from '../../web/components/share-actions.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import type { InstallAdvice } from './install-advice.ts';
import { DeviceListItem, Help, pageLinksFreshSeconds, VerificationHelp } from './tester-install.tsx';
import { testerTexts } from './tester-texts.ts';

export interface MemberInstallProps {
  frame: PageFrame;
  build: Build;
  iconAddress: string;
  /** Absolute address of the page, to open on a phone. */
  address: string;
  /** Null if nobody can install the build. */
  installAddress: string | null;
  /** Path of the device registration, for iOS builds that list devices. */
  registerAddress: string | null;
  /** Whether the links expire after an hour, like those of a page. */
  isLimited: boolean;
  /** Whether the computer may be an iPad. */
  mayBeTablet: boolean;
  advice: InstallAdvice;
  visitor: Visitor;
  /** Whether the device may refuse the build because its key is not registered with Google. */
  unregistered: boolean;
  /** Markdown; empty without one. */
  note: string;
}

const t = testerTexts;

export function MemberInstall(props: MemberInstallProps) {
  const { frame, build, advice, note, address, mayBeTablet } = props;
  const { info } = build;
  const onComputer = advice.way === 'computer' || advice.way === 'elsewhere';
  return (
    <section
      class="panel member-install"
      aria-labelledby="install"
      data-fresh-for={props.isLimited ? pageLinksFreshSeconds : undefined}
    >
      <div>
        <div class="person">
          <AppIcon
            address={props.iconAddress}
            origin={frame.origin}
            name={localName(info)}
            size="medium"
            eager
          />
          <div>
            <h2 id="install">
              <bdi>{localName(info)}</bdi> <bdi>{versionText(info)}</bdi>
            </h2>
            <p class="soft fine">
              {appTexts.app.revision({ revision: build.revision })} · {formatBytes(installedBytes(build))}
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
        {advice.way === 'in-app' && <CopyLine address={address} name={localName(info)} />}
        {mayBeTablet ? (
          // iPads identify as a Macintosh. The script detects the touch screen and swaps the parts.
          <>
            <div data-touch="">
              <OnComputer {...props} />
            </div>
            <div data-touch hidden>
              <OnPhone
                {...props}
                advice={{ ...advice, way: 'ready', noun: buildTexts.deviceFamilies.ipad }}
              />
            </div>
          </>
        ) : advice.way === 'computer' ? (
          <OnComputer {...props} />
        ) : (
          <OnPhone {...props} />
        )}
        {advice.remarks.map((remark) => (
          <p class="soft fine" key={remark}>
            {remark}
          </p>
        ))}
        {note !== '' && (
          <div class="note" dir="auto" dangerouslySetInnerHTML={{ __html: renderMarkdown(note) }} />
        )}
        {!onComputer && advice.way !== 'blocked' && (
          <>
            {props.unregistered && <VerificationHelp visitor={props.visitor} />}
            <Help info={info} />
          </>
        )}
      </div>
      {onComputer && (
        <div class="build-share" data-touch={mayBeTablet ? '' : undefined}>
          <QrCode address={address} label={texts.share.qrCodeOf({ name: localName(info) })} />
          <p class="strong">{t.computer.title}</p>
          <p class="soft fine">{t.member.signIn}</p>
          <CopyLine address={address} name={localName(info)} />
        </div>
      )}
    </section>
  );
}

function OnComputer({ build, advice, installAddress, mayBeTablet }: MemberInstallProps) {
  const count = build.info.ios?.profile?.devices.length ?? 0;
  return (
    <>
      {build.info.platform === 'android' && installAddress && (
        <p class="actions">
          <a class="button" href={installAddress}>
            <Glyph name="download" />
            {t.download}
          </a>
        </p>
      )}
      {mayBeTablet && installAddress && (
        <p class="device-line">
          <span>{t.computer.tabletQuestion}</span> <a href={installAddress}>{t.computer.tabletInstall}</a>
        </p>
      )}
      {advice.listed === 'unknown' && <p class="soft fine">{t.listedUnknown({ count })}</p>}
    </>
  );
}

function OnPhone(props: MemberInstallProps) {
  const { build, advice, installAddress } = props;
  if (installAddress === null || advice.way === 'blocked' || advice.way === 'elsewhere') return null;
  return (
    <>
      <div class="install">
        <a
          class={advice.way === 'ready' ? 'button button-primary button-large button-block' : 'button'}
          href={installAddress}
          data-install
        >
          {advice.way === 'ready' ? t.install : t.installAnyway}
        </a>
        <p class="after-install" role="status">
          <span hidden>{t.thenLook[build.info.platform]}</span>
        </p>
      </div>
      <DeviceListItem {...props} />
    </>
  );
}
