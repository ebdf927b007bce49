/** The page where a tester registers an iPhone or iPad, and sees whether the build can be installed on it. */

import { distributionPath } from '../../apps/app-paths.ts';
import { buildTexts } from '../../apps/builds/build-texts.ts';
import { localName } from '../../apps/builds/version-text.ts';
import type { Visitor } from '../../core/visitor.ts';
import type { DeviceCompatibility } from '../../devices/device-compatibility.ts';
import { deviceKindName, deviceModelName } from '../../devices/device-models.ts';
import { deviceTexts } from '../../devices/device-texts.ts';
import type { KnownDevice } from '../../devices/known-device.ts';
import type { PackageInfo } from '../../packages/package-info.ts';
import { Callout } from '../../web/components/callout.tsx';
import { InlineCode } from '../../web/components/code-block.tsx';
import { AddressBox } from '../../web/components/copyable-url.tsx';
import { Facts } from '../../web/components/facts.tsx';
import { QrCode } from '../../web/components/qr-code.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import type { DistributionPage } from '../distribution-page.ts';
import { devicePath } from '../page-paths.ts';

export interface DeviceOnPage {
  device: KnownDevice;
  /** Whether the device is registered with the owner of this page. */
  registered: boolean;
  fit: DeviceCompatibility;
}

export interface DevicePageProps {
  frame: PageFrame;
  /** The Workspace that determines the brand; null without one. */
  workspace: { id: string } | null;
  page: Pick<DistributionPage, 'accessKey'>;
  ownerName: string;
  /** Requirements of the live build. */
  info: PackageInfo;
  visitor: Visitor;
  /** Reasons why no device can install the build, as full sentences. */
  blockers: readonly string[];
  /** Null if the device of the browser is unknown. */
  device: DeviceOnPage | null;
}

const t = deviceTexts;

export function renderDevicePage(props: DevicePageProps): string {
  const { frame, page, info, device } = props;
  const kind = kindOf(props);
  const register = kind === null ? t.titleElsewhere : t.title({ kind });
  const title = device?.registered ? t.yours : register;
  return renderPage({
    frame,
    workspace: props.workspace,
    shell: 'visitor',
    forms: true,
    title: `${title} · ${localName(info)}`,
    width: 'narrow',
    children: (
      <div class="device-page">
        <p class="kind">
          <a href={distributionPath(page.accessKey)}>
            <bdi>{localName(info)}</bdi>
          </a>
        </p>
        <h1>{title}</h1>
        {device && <Outcome {...props} known={device} />}
        {device && <DeviceFacts device={device.device} />}
        {device?.registered ? (
          <p class="actions">
            <a class="button button-primary" href={distributionPath(page.accessKey)}>
              <bdi>{t.back({ name: localName(info) })}</bdi>
            </a>
          </p>
        ) : (
          <Registration {...props} />
        )}
      </div>
    ),
  });
}

/** Null if the page is opened on another device. */
function kindOf({ visitor, device }: Pick<DevicePageProps, 'visitor' | 'device'>): string | null {
  if (visitor.model !== null) return buildTexts.deviceFamilies[visitor.model];
  return device && deviceKindName(device.device.product);
}

/** Shows the result first. */
function Outcome(props: DevicePageProps & { known: DeviceOnPage }) {
  const { fit, device, registered } = props.known;
  const kind = deviceKindName(device.product);
  const blockers = [...new Set([...props.blockers, ...fit.refusals.map(({ sentence }) => sentence)])];
  if (blockers.length === 0) {
    const any = props.info.ios?.profile?.type === 'enterprise';
    return (
      <DeviceCheckResult
        tone="good"
        title={t.fitsTitle({ kind })}
        sentences={[any ? t.fitsAnyLine : t.fitsLine]}
      />
    );
  }
  if (!registered) {
    const all = fit.awaitsProfile ? [...blockers, t.unregistered({ owner: props.ownerName })] : blockers;
    return <DeviceCheckResult tone="warning" title={t.failsTitle({ kind })} sentences={all} />;
  }
  if (fit.awaitsProfile && props.blockers.length === 0) {
    return (
      <DeviceCheckResult
        tone="warning"
        title={t.awaitsTitle}
        sentences={[t.awaitsLine({ owner: props.ownerName })]}
      />
    );
  }
  return <DeviceCheckResult tone="danger" title={t.failsTitle({ kind })} sentences={blockers} />;
}

function DeviceCheckResult(props: {
  tone: 'good' | 'warning' | 'danger';
  title: string;
  sentences: readonly string[];
}) {
  return (
    <div role="status">
      <Callout {...props} />
    </div>
  );
}

function DeviceFacts({ device }: { device: KnownDevice }) {
  return (
    <Facts
      facts={[
        { label: t.model, value: deviceModelName(device.product) },
        {
          label: t.system,
          value: device.osVersion === null ? null : `${texts.platforms.ios} ${device.osVersion}`,
        },
        { label: t.udid, value: <InlineCode text={device.udid} /> },
      ]}
    />
  );
}

function Registration(props: DevicePageProps) {
  const { frame, info, visitor } = props;
  const { system, browser } = visitor;
  const insecure = frame.origin.startsWith('https://') ? [] : [t.insecure];
  const needless = info.ios?.profile?.type === 'enterprise' ? [t.needless] : [];
  return (
    <>
      <p class="lead">{t.lead({ owner: props.ownerName })}</p>
      <Callout tone="good" title={t.needlessTitle} sentences={needless} />
      {browser === 'safari' && <Callout tone="warning" title={t.insecureTitle} sentences={insecure} />}
      {system === 'ios' && browser === 'safari' && <OnDevice {...props} />}
      {system === 'ios' && browser !== 'safari' && <InOtherBrowser {...props} />}
      {system !== 'ios' && <OnOtherDevice {...props} />}
    </>
  );
}

function OnDevice(props: DevicePageProps) {
  return (
    <>
      <p>
        <a
          class="button button-primary button-large"
          href={`${devicePath(props.page.accessKey)}.mobileconfig`}
        >
          {t.register({ kind: kindOf(props) ?? buildTexts.deviceFamilies.iphone })}
        </a>
      </p>
      <Steps />
    </>
  );
}

function Steps() {
  return (
    <section class="device-part" aria-labelledby="steps">
      <h2 id="steps">{t.steps}</h2>
      <ol class="device-steps">
        {t.stepList.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </section>
  );
}

const ownAddress = ({ frame, page }: DevicePageProps) => `${frame.origin}${devicePath(page.accessKey)}`;

function InOtherBrowser(props: DevicePageProps) {
  return (
    <section class="device-part" aria-labelledby="safari">
      <h2 id="safari">{t.safariTitle}</h2>
      <p>{t.safariLine}</p>
      <AddressBox address={ownAddress(props)} label={t.addressLabel} />
    </section>
  );
}

function OnOtherDevice(props: DevicePageProps) {
  return (
    <section class="device-part device-scan" aria-labelledby="scan">
      <h2 id="scan">{t.scanTitle}</h2>
      <QrCode address={ownAddress(props)} label={t.qrLabel} />
      <p class="secondary">{t.scan}</p>
      {props.visitor.browser === 'safari' && (
        <p>
          <a href={`${devicePath(props.page.accessKey)}.mobileconfig`}>{t.onIpad}</a>
        </p>
      )}
    </section>
  );
}
