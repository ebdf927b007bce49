/** The page that lists the devices that testers registered with an owner. */

import { devicesPath, distributionPath } from '../apps/app-paths.ts';
import type { Owner } from '../owners/owner.ts';
import { renderOwnerArea } from '../owners/owner-area.tsx';
import { ownerPath } from '../owners/owner-paths.ts';
import type { OwnerPermissions } from '../owners/owner-permissions.ts';
import { Badge } from '../web/components/callout.tsx';
import { InlineCode } from '../web/components/code-block.tsx';
import { EmptyState } from '../web/components/empty-state.tsx';
import { Confirm, PostForm, SubmitButton } from '../web/components/form-field.tsx';
import { formatCount } from '../web/components/formats.ts';
import { isolated, linkTo } from '../web/components/message-tags.tsx';
import { type PageLinks, Paging } from '../web/components/paging.tsx';
import { ColumnHeaders } from '../web/components/result-list.tsx';
import { Timestamp } from '../web/components/timestamp.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { texts } from '../web/shell/texts.ts';
import { type DeviceListing, maxDeviceNameLength } from './device.ts';
import { deviceFileName } from './device-file.ts';
import { deviceModelName } from './device-models.ts';
import { deviceListTexts } from './device-texts.ts';
import { iosVersionOf } from './ios-version.ts';

export interface DeviceListItem extends DeviceListing {
  /** Apps with the device in the profile of their newest build. */
  apps: readonly string[];
}

export interface DeviceListProps {
  frame: PageFrame;
  owner: Owner;
  permissions: OwnerPermissions;
  lines: readonly DeviceListItem[];
  /** Total number of devices. */
  total: number;
  paging: PageLinks;
}

const t = deviceListTexts;

export function renderDeviceList(props: DeviceListProps): string {
  const { frame, owner, lines, total } = props;
  return renderOwnerArea({
    frame,
    owner,
    permissions: props.permissions,
    part: 'devices',
    title: t.title,
    line: t.lead,
    state: total > 0 && <span class="count">{formatCount(total)}</span>,
    children: (
      <>
        {total > 0 && <Download owner={owner} />}
        {lines.length === 0 ? (
          <EmptyState title={t.empty}>
            <p class="secondary">{t.emptyLine}</p>
          </EmptyState>
        ) : (
          <DeviceTable {...props} />
        )}
        <Paging links={props.paging} label={t.more} />
      </>
    ),
  });
}

function Download({ owner }: Pick<DeviceListProps, 'owner'>) {
  return (
    <div class="device-download">
      <a
        class="button button-primary"
        href={`${ownerPath(owner)}/${deviceFileName}`}
        download={deviceFileName}
      >
        {t.download}
      </a>
      <p class="secondary fine">{t.downloadHelp}</p>
    </div>
  );
}

/** On a phone, each row becomes a block. */
function DeviceTable(props: DeviceListProps) {
  const columnHeadings = [t.name, t.device, t.udid, t.registered, t.profiles, t.actions];
  return (
    <table class="panel device-table">
      <ColumnHeaders columnHeadings={columnHeadings} />
      <tbody>
        {props.lines.map((line) => (
          <DeviceRow key={line.device.id} {...props} line={line} />
        ))}
      </tbody>
    </table>
  );
}

function DeviceRow({ frame, owner, line }: DeviceListProps & { line: DeviceListItem }) {
  const { device, userName, page } = line;
  const version = iosVersionOf(device.osVersion);
  return (
    <tr>
      <td>
        <NameForm frame={frame} owner={owner} line={line} />
      </td>
      <td>
        {deviceModelName(device.product)}
        <span class="secondary device-block">
          {version ? `${texts.platforms.ios} ${version}` : device.osVersion}
        </span>
      </td>
      <td>
        <InlineCode text={device.udid} />
        {line.repeated && <span class="secondary fine device-block">{t.repeated}</span>}
      </td>
      <td>
        <span class="device-label" aria-hidden="true">
          {t.registered}{' '}
        </span>
        <Timestamp at={device.updatedAt} now={frame.now} />{' '}
        {userName && (
          <span class="secondary device-line-wide">{t.by({ user: userName, name: isolated })}</span>
        )}{' '}
        {page && (
          <span class="secondary device-line-wide">
            {t.via({ page: page.name, link: linkTo(distributionPath(page.accessKey)) })}
          </span>
        )}
      </td>
      <td>
        <span class="device-label" aria-hidden="true">
          {t.profiles}{' '}
        </span>
        <Profiles apps={line.apps} />
      </td>
      <td>
        <DeleteForm frame={frame} owner={owner} line={line} />
      </td>
    </tr>
  );
}

function Profiles({ apps }: { apps: readonly string[] }) {
  if (apps.length === 0) return <span class="secondary">{t.noProfiles}</span>;
  return (
    <span class="badges">
      {apps.map((name) => (
        <Badge key={name} tone="good">
          <bdi>{name}</bdi>
        </Badge>
      ))}
    </span>
  );
}

type RowForm = Pick<DeviceListProps, 'frame' | 'owner'> & { line: DeviceListItem };

const shownName = ({ device }: DeviceListItem) => device.name || t.unnamed;

/** API keys can't submit forms. */
function NameForm({ frame, owner, line }: RowForm) {
  const { device } = line;
  if (!frame.viewer) return <bdi>{shownName(line)}</bdi>;
  const id = `name-${device.id}`;
  return (
    <PostForm frame={frame} class="device-name" action={`${devicesPath(owner)}/${device.id}/rename`}>
      <label class="unseen" for={id}>
        {t.nameOf({ udid: device.udid })}
      </label>
      <input
        id={id}
        name="name"
        type="text"
        value={device.name}
        placeholder={t.unnamed}
        maxLength={maxDeviceNameLength}
        autocomplete="off"
        dir="auto"
      />
      <SubmitButton label={t.save} aria-label={t.saveOf({ name: shownName(line) })} />
    </PostForm>
  );
}

function DeleteForm({ frame, owner, line }: RowForm) {
  if (!frame.viewer) return null;
  return (
    <Confirm
      frame={frame}
      action={`${devicesPath(owner)}/${line.device.id}/delete`}
      ask={t.remove}
      label={t.removeOf({ name: shownName(line) })}
      line={t.removeHint}
      button={t.removeConfirm}
      tone="quiet"
    />
  );
}
