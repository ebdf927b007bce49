/** The top of the distribution page: the app and the next step. */

import type { ComponentChildren } from 'preact';
import { appTexts } from '../../apps/app-texts.ts';
import { buildTexts } from '../../apps/builds/build-texts.ts';
import { localName, versionText } from '../../apps/builds/version-text.ts';
import { PageStateBadge } from '../../apps/distributions/page-state-badge.tsx';
import { AppIcon } from '../../web/components/app-icon.tsx';
import { Badge } from '../../web/components/callout.tsx';
import { QrCode } from '../../web/components/qr-code.tsx';
import { texts } from '../../web/shell/texts.ts';
import { type HeroProps, InstallFromComputer, InstallHere } from './tester-install.tsx';
import type { TesterPageProps } from './tester-page-props.ts';
import { testerTexts } from './tester-texts.ts';

export function TesterHero(props: HeroProps) {
  const { advice, visitor, build, installAddress } = props;
  const isComputer = advice.way === 'computer';
  // iPads identify as a Macintosh. The script detects the touch screen and swaps the hidden parts.
  const mayBeTablet =
    isComputer && visitor.browser === 'safari' && build.info.platform === 'ios' && installAddress !== null;
  return (
    <div class={`hero hero-${advice.way}`}>
      <div class="hero-main">
        <TesterHead {...props} />
        <Swapped when={mayBeTablet}>
          {isComputer ? (
            <InstallFromComputer {...props} mayBeTablet={mayBeTablet} />
          ) : (
            <InstallHere {...props} />
          )}
        </Swapped>
        {mayBeTablet && (
          <div data-touch hidden>
            <InstallHere
              {...props}
              advice={{ ...advice, way: 'ready', noun: buildTexts.deviceFamilies.ipad }}
            />
          </div>
        )}
      </div>
      {isComputer && (
        <div class="scan" data-touch={mayBeTablet ? '' : undefined}>
          <QrCode address={props.address} label={testerTexts.qrLabel({ name: localName(build.info) })} />
        </div>
      )}
    </div>
  );
}

function Swapped({ when, children }: { when: boolean; children: ComponentChildren }) {
  return when ? <div data-touch="">{children}</div> : children;
}

function TesterHead({ frame, page, state, build, iconAddress, managePath }: TesterPageProps) {
  const { info } = build;
  return (
    <header class="tester-head">
      <AppIcon address={iconAddress} origin={frame.origin} name={localName(info)} size="large" eager />
      <div>
        <h1>
          <bdi>{localName(info)}</bdi>
        </h1>
        <p class="under-title">
          <bdi class="version">{versionText(info)}</bdi>
          <span class="secondary">{appTexts.app.revision({ revision: build.revision })}</span>
        </p>
        <p class="kind">
          <Badge>{texts.platforms[info.platform]}</Badge>
          <PageStateBadge state={state} />
          <bdi class="cut">{page.name}</bdi>
          {managePath && <a href={managePath}>{testerTexts.settings}</a>}
        </p>
      </div>
    </header>
  );
}
