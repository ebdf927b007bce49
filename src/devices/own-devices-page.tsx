/** The page that lists the devices registered by the viewer. */

import { renderSettings } from '../accounts/profile/settings-frame.tsx';
import { distributionPath } from '../apps/app-paths.ts';
import { EmptyState } from '../web/components/empty-state.tsx';
import { Confirm, PostForm, SubmitButton, SuccessMessage } from '../web/components/form-field.tsx';
import { Timestamp } from '../web/components/timestamp.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { sitePaths } from '../web/shell/site-paths.ts';
import { texts } from '../web/shell/texts.ts';
import { maxDeviceNameLength } from './device.ts';
import { deviceModelName } from './device-models.ts';
import { ownDeviceTexts } from './device-texts.ts';
import { iosVersionOf } from './ios-version.ts';
import type { OwnDevice, OwnRegistration } from './own-devices.ts';

export interface OwnDevicesProps {
  frame: PageFrame;
  devices: readonly OwnDevice[];
  /** Whether there are more devices than shown. */
  more: boolean;
  done: string | null;
}

const t = ownDeviceTexts;

export function renderOwnDevices(props: OwnDevicesProps): string {
  const { frame, devices } = props;
  return renderSettings({
    frame,
    part: 'devices',
    line: t.line,
    children: (
      <>
        <SuccessMessage sentence={props.done} />
        {devices.length === 0 ? (
          <EmptyState title={t.empty}>
            <p class="secondary">{t.emptyLine}</p>
          </EmptyState>
        ) : (
          <ul class="own-devices">
            {devices.map((device) => (
              <Device key={device.udid} frame={frame} device={device} />
            ))}
          </ul>
        )}
        {props.more && <p class="hint after-list">{t.more}</p>}
      </>
    ),
  });
}

function Device({ frame, device }: { frame: PageFrame; device: OwnDevice }) {
  const { udid, newest, registrations } = device;
  const { name, product, osVersion } = newest.device;
  const version = iosVersionOf(osVersion);
  const model = deviceModelName(product);
  const system = version ? `${texts.platforms.ios} ${version}` : osVersion;
  const facts = [name === '' ? '' : model, system].filter(Boolean);
  const field = `name-${newest.device.id}`;
  return (
    <li class="panel panel-pad">
      <h2>
        <bdi>{name || model}</bdi>
      </h2>
      <p class="secondary">{facts.join(' · ')}</p>
      <p class="udid" data-copy={texts.copy} data-copied={texts.copied}>
        <span class="secondary fine">{t.udid}</span> <code class="machine cut">{udid}</code>
      </p>
      <ul class="link-list own-registrations">
        {registrations.map((one) => (
          <Registration key={one.device.id} frame={frame} registration={one} />
        ))}
      </ul>
      <details class="quiet-fold">
        <summary aria-label={t.renameOf({ name: name || model })}>{t.rename}</summary>
        <PostForm frame={frame} class="device-name" action={`${sitePaths.ownDevices}/rename`}>
          <input type="hidden" name="udid" value={udid} />
          <label class="unseen" for={field}>
            {t.name}
          </label>
          <input
            id={field}
            name="name"
            type="text"
            value={name}
            maxLength={maxDeviceNameLength}
            autocomplete="off"
            dir="auto"
          />
          <SubmitButton label={t.save} />
        </PostForm>
        <p class="hint">{t.renameLine}</p>
      </details>
    </li>
  );
}

function Registration({ frame, registration }: { frame: PageFrame; registration: OwnRegistration }) {
  const { device, owner, page } = registration;
  return (
    <li>
      <span class="line">
        <span>
          {t.with({
            name: owner.name,
            owner: (children) => (
              <strong class="version">
                <bdi>{children}</bdi>
              </strong>
            ),
          })}
        </span>
        <span class="secondary fine">
          <Timestamp at={device.updatedAt} now={frame.now} />
        </span>
      </span>
      {page && (
        <span class="secondary fine">
          {t.on({
            name: page.name,
            page: (children) => (
              <a href={distributionPath(page.accessKey)}>
                <bdi>{children}</bdi>
              </a>
            ),
          })}
        </span>
      )}
      <Confirm
        frame={frame}
        action={`${sitePaths.ownDevices}/remove`}
        ask={t.remove}
        label={t.removeOf({ owner: owner.name })}
        line={t.removeLine({ owner: owner.name })}
        tone="quiet"
      >
        <input type="hidden" name="device" value={device.id} />
      </Confirm>
    </li>
  );
}
