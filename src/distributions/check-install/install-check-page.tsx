/** Explains why a tester or a device can or cannot install from a page, and what to do. */
import type { App } from '../../apps/app.ts';
import { type AppHead, renderAppArea } from '../../apps/app-head.tsx';
import {
  checkInstallPath,
  devicesPath,
  distributionPath,
  pageAccessSettingsPath,
  pageSettingsPath,
  peoplePath,
  revisionPath,
} from '../../apps/app-paths.ts';
import type { Device } from '../../devices/device.ts';
import { deviceModelName } from '../../devices/device-models.ts';
import { absolute, groupsPath, teamsPath } from '../../owners/owner-paths.ts';
import { Badge, type Tone } from '../../web/components/callout.tsx';
import { type Fact, Facts } from '../../web/components/facts.tsx';
import { Glyph, type GlyphName } from '../../web/components/glyph.tsx';
import { isolated, timeOf } from '../../web/components/message-tags.tsx';
import { CopyLine } from '../../web/components/share-actions.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { withQuery } from '../../web/shell/site-paths.ts';
import type { DistributionPage } from '../distribution-page.ts';
import { devicePath } from '../page-paths.ts';
import {
  type CheckedInstall,
  type CheckState,
  deviceName,
  type InstallCheck,
  installChecks,
  isInstallable,
  type NextStep,
  nextStep,
  type StepPlace,
} from './install-check.ts';
import { InstallChoices, type InstallChoicesProps } from './install-check-choices.tsx';
import { installCheckTexts, reasonText } from './install-check-texts.ts';
import type { LoadedInstall } from './load-install-check.ts';

export interface InstallCheckPageProps {
  frame: PageFrame;
  head: AppHead;
  app: App;
  page: DistributionPage;
  /** Revision of the live build. */
  revision: number;
  /** Null until someone is chosen. */
  loaded: LoadedInstall | null;
  /** Null once someone is chosen. */
  choices: InstallChoicesProps | null;
}

const t = installCheckTexts;

export function renderInstallCheckPage(props: InstallCheckPageProps): string {
  const { frame, head, page, loaded, choices } = props;
  const address = checkInstallPath(page.accessKey);
  return renderAppArea({
    frame,
    head,
    tab: 'pages',
    title: t.title,
    crumb: { label: page.name, address: pageSettingsPath(page.accessKey) },
    line: t.line({ page: page.name, name: isolated }),
    actions: loaded && (
      <a class="button" href={address}>
        {t.another}
      </a>
    ),
    children: loaded ? <Result {...props} loaded={loaded} /> : choices && <InstallChoices {...choices} />,
  });
}

type ResultProps = InstallCheckPageProps & { loaded: LoadedInstall };

function Result(props: ResultProps) {
  const { frame, loaded } = props;
  const { checked, devices } = loaded;
  const checks = installChecks(checked);
  const step = nextStep(checked, checks);
  const name = checked.person?.name ?? t.someone;
  const able = isInstallable(checks);
  const tone = able === false ? 'danger' : able ? 'good' : 'warning';
  const verdict = able === false ? t.verdicts.no : able ? t.verdicts.yes : t.verdicts.open;
  return (
    <>
      <section class={`callout callout-${tone} install-verdict`} aria-labelledby="verdict">
        <h2 id="verdict" class="callout-title">
          <bdi>{verdict({ name })}</bdi>
        </h2>
        <p>
          <strong>{t.todo}</strong> {step.sentence}
        </p>
        <StepLink {...props} step={step} />
      </section>
      {devices.length > 1 && <DeviceChoice {...props} />}
      <section class="section" aria-labelledby="checks">
        <h2 id="checks">{t.checks}</h2>
        <ul class="panel install-checks">
          {checks.map((check) => (
            <Check key={check.name} check={check} />
          ))}
        </ul>
      </section>
      <div class="install-facts">
        <Facts facts={factsOf(checked, frame)} />
      </div>
    </>
  );
}

const glyphs: Readonly<Record<CheckState, GlyphName>> = {
  passed: 'check',
  refused: 'close',
  unknown: 'search',
  unneeded: 'minus',
};
const tones: Readonly<Record<CheckState, Tone>> = {
  passed: 'good',
  refused: 'danger',
  unknown: 'warning',
  unneeded: 'plain',
};

function Check({ check }: { check: InstallCheck }) {
  const { name, state, sentences } = check;
  return (
    <li class={`check-${state}`}>
      <Glyph name={glyphs[state]} />
      <span class="strong">{t.names[name]}</span>
      <Badge tone={tones[state]}>{t.states[state]}</Badge>
      {sentences.map((sentence) => (
        <span key={sentence} class="line-2">
          {sentence}
        </span>
      ))}
    </li>
  );
}

function DeviceChoice({ page, loaded }: ResultProps) {
  const { checked, devices } = loaded;
  return (
    <nav class="actions install-devices" aria-labelledby="with-device">
      <span class="strong" id="with-device">
        {t.withDevice}
      </span>
      {devices.map((device) => (
        <a
          key={device.id}
          class="button"
          href={withQuery(checkInstallPath(page.accessKey), {
            person: checked.person?.name ?? '',
            device: device.id,
          })}
          aria-current={device.id === checked.device?.id ? 'true' : undefined}
        >
          <bdi class="cut">{deviceName(device)}</bdi>
        </a>
      ))}
    </nav>
  );
}

function StepLink({ frame, app, page, revision, step }: ResultProps & { step: NextStep }) {
  const { place } = step;
  if (place === null) return null;
  if (place === 'registration')
    return <CopyLine address={absolute(frame.origin, devicePath(page.accessKey))} name={page.name} />;
  const people =
    app.owner.kind === 'project'
      ? teamsPath(app.owner.name)
      : peoplePath(app.owner, app.platform, app.packageName);
  const addresses: Readonly<Record<Exclude<StepPlace, 'registration'>, string>> = {
    settings: pageAccessSettingsPath(page.accessKey),
    people,
    groups: groupsPath(app.owner),
    build: revisionPath(app.owner, app.platform, app.packageName, revision),
    devices: devicesPath(app.owner),
    link: distributionPath(page.accessKey),
  };
  return (
    <p class="actions">
      <a class="button button-primary" href={addresses[place]}>
        {t.places[place]}
      </a>
    </p>
  );
}

function factsOf({ person, device, lastRefusal, seen }: CheckedInstall, { now }: PageFrame): Fact[] {
  return [
    {
      label: t.lastRefusal,
      value: lastRefusal
        ? t.refusedAt({
            reason: reasonText(lastRefusal.reason),
            system: lastRefusal.system,
            time: timeOf(lastRefusal.at, now, true),
          })
        : t.noRefusal,
    },
    {
      label: t.lastSeen,
      value:
        person &&
        (seen
          ? t.seenAt({
              device: [seen.model, seen.system].filter(Boolean).join(' · '),
              time: timeOf(seen.at, now, true),
            })
          : t.neverSeen),
    },
    { label: t.device, value: device && <DeviceLine device={device} /> },
  ];
}

function DeviceLine({ device }: { device: Device }) {
  return (
    <>
      {device.name !== '' && <>{isolated(device.name)} · </>}
      {deviceModelName(device.product)} · <code class="machine">{device.udid}</code>
    </>
  );
}
