/** The install button, its alternative, or the reason why there is none. */

import { type Build, installedBytes } from '../../apps/app.ts';
import { localName, minimumSystem } from '../../apps/builds/version-text.ts';
import { formatBytes } from '../../core/byte-size.ts';
import type { Visitor } from '../../core/visitor.ts';
import type { PackageInfo } from '../../packages/package-info.ts';
import { Callout } from '../../web/components/callout.tsx';
import { AddressBox } from '../../web/components/copyable-url.tsx';
import { formatDay } from '../../web/components/formats.ts';
import { QrCode } from '../../web/components/qr-code.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import { verificationSteps } from './developer-verification.ts';
import type { InstallAdvice, InstallMethod } from './install-advice.ts';
import type { TesterPageProps } from './tester-page-props.ts';
import { testerTexts } from './tester-texts.ts';

const t = testerTexts;

/** Links of a page expire after an hour, so an older page reloads when it becomes visible again. */
export const pageLinksFreshSeconds = 45 * 60;

/** For phones and tablets. */
export function InstallHere(props: HeroProps) {
  const { advice, address, installAddress } = props;
  const moves = advice.way === 'in-app' || advice.way === 'elsewhere';
  return (
    <div class="installation">
      {advice.title && (
        <Callout tone={moves ? 'warning' : 'danger'} title={advice.title} sentences={advice.sentences} />
      )}
      {advice.way === 'elsewhere' && (
        <div class="scan">
          <QrCode address={address} label={t.qrLabel({ name: localName(props.build.info) })} />
        </div>
      )}
      {moves && <AddressBox address={address} label={t.address} />}
      {installAddress && <InstallButton {...props} installAddress={installAddress} />}
      <DeviceListItem {...props} />
      {advice.remarks.map((remark) => (
        <p class="secondary fine" key={remark}>
          {remark}
        </p>
      ))}
      <Breadcrumbs {...props} />
      {advice.way !== 'blocked' && advice.way !== 'elsewhere' && (
        <>
          {props.unregistered && <VerificationHelp visitor={props.visitor} />}
          <Help info={props.build.info} />
        </>
      )}
    </div>
  );
}

function installLabel(way: InstallMethod): string | null {
  if (way === 'ready') return t.install;
  if (way === 'refused') return t.installAnyway;
  return way === 'in-app' ? t.installInApp : null;
}

/** Prominent if the install will work, plain if it may not. The script shows the next step after the tap. */
function InstallButton({ advice, build, installAddress }: HeroProps & { installAddress: string }) {
  const label = installLabel(advice.way);
  if (!label) return null;
  return (
    <div class="install">
      <a
        class={advice.way === 'ready' ? 'button button-primary button-large' : 'button'}
        href={installAddress}
        data-install
      >
        {label}
      </a>
      <p class="after-install" role="status">
        <span hidden>{t.thenLook[build.info.platform]}</span>
      </p>
    </div>
  );
}

/** States whether the profile lists this device, or where to check. */
export function DeviceListItem(props: {
  advice: InstallAdvice;
  build: Pick<Build, 'info'>;
  /** Path of the device registration; null if there is none. */
  registerAddress: string | null;
}) {
  const { advice, build, registerAddress } = props;
  const { listed } = advice;
  const count = build.info.ios?.profile?.devices.length ?? 0;
  const mayInstall = advice.way === 'ready' || advice.way === 'in-app';
  if (listed === 'any' || !(mayInstall || (advice.way === 'refused' && listed === 'no'))) return null;
  if (listed === 'yes') return <p class="device-line device-listed">{t.listedYes({ noun: advice.noun })}</p>;
  return (
    <p class="device-line">
      {listed === 'unknown' && t.listedUnknown({ count })}{' '}
      {registerAddress && <a href={registerAddress}>{listed === 'no' ? t.listedAgain : t.listedCheck}</a>}
    </p>
  );
}

/** For computers, where the QR code comes first. An APK can also be downloaded. */
export function InstallFromComputer(props: HeroProps & { mayBeTablet: boolean }) {
  const { advice, address, build, installAddress, mayBeTablet } = props;
  const { platform } = build.info;
  return (
    <div class="installation">
      <div>
        <h2>{t.computer.title}</h2>
        <p class="secondary">{t.computer[platform]}</p>
      </div>
      <AddressBox address={address} label={t.address} />
      {platform === 'android' && installAddress && (
        <p>
          <a class="button" href={installAddress}>
            {t.download}
          </a>
        </p>
      )}
      {mayBeTablet && installAddress && (
        <p class="device-line">
          <span>{t.computer.tabletQuestion}</span> <a href={installAddress}>{t.computer.tabletInstall}</a>
        </p>
      )}
      {advice.listed === 'unknown' && (
        <p class="secondary fine">
          {t.listedUnknown({ count: build.info.ios?.profile?.devices.length ?? 0 })}
        </p>
      )}
      {advice.remarks.map((remark) => (
        <p class="secondary fine" key={remark}>
          {remark}
        </p>
      ))}
      <Breadcrumbs {...props} />
    </div>
  );
}

function Breadcrumbs({ frame, page, build, update }: HeroProps) {
  const system = minimumSystem(build.info);
  return (
    <ul class="trail">
      <li>{formatBytes(installedBytes(build))}</li>
      {system && <li>{system}</li>}
      <li>{t.published({ time: () => <Timestamp at={update.createdAt} now={frame.now} /> })}</li>
      {page.expiresAt !== null && <li>{t.openUntil({ day: formatDay(page.expiresAt) })}</li>}
    </ul>
  );
}

export function Help({ info }: { info: PackageInfo }) {
  return (
    <details class="help">
      <summary>{t.help}</summary>
      <ul>
        {helpSteps(info).map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ul>
    </details>
  );
}

/** For devices that may refuse the app because its key is not registered with Google. */
export function VerificationHelp({ visitor }: { visitor: Visitor }) {
  return (
    <details class="help">
      <summary>{t.verification.title}</summary>
      <ul>
        {verificationSteps(visitor).map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ul>
    </details>
  );
}

function helpSteps(info: PackageInfo): readonly string[] {
  const steps = t.helpSteps;
  const profile = info.ios?.profile;
  if (!profile) return steps[info.platform];
  const ofProfile =
    profile.type === 'enterprise' ? [steps.iosEnterprise] : [steps.iosDevices, steps.iosDeveloperMode];
  return [...steps.ios, ...ofProfile];
}

export interface HeroProps extends TesterPageProps {
  advice: InstallAdvice;
  /** Absolute address of the shown page. */
  address: string;
}
