/** The frame of the pages of a Project or User, with a shared header and navigation. */

import type { ComponentChildren } from 'preact';
import { Badge } from '../web/components/callout.tsx';
import { SuccessMessage } from '../web/components/form-field.tsx';
import { linkTo } from '../web/components/message-tags.tsx';
import type { Tab } from '../web/components/tabs.tsx';
import { ConsoleHead, TitleBlock } from '../web/shell/console-head.tsx';
import { renderPage } from '../web/shell/layout.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { SettingsLayout, settingsParts } from '../web/shell/settings/settings-layout.tsx';
import { settingsTexts } from '../web/shell/settings/settings-texts.ts';
import { texts } from '../web/shell/texts.ts';
import { type Owner, workspaceOf } from './owner.ts';
import {
  auditPath,
  ownerDeletionPath,
  ownerPath,
  ownerRetentionPath,
  ownerSettingsPath,
  ownerWebhooksPath,
  projectInvitationsPath,
  projectKeysPath,
  signingKeysPath,
  teamsPath,
  trustedPublishingPath,
  workspacePath,
} from './owner-paths.ts';
import type { OwnerPermissions } from './owner-permissions.ts';
import { ownerTexts } from './owner-texts.ts';

type OwnerPart = keyof Omit<typeof texts.ownerNav, 'label'>;

const t = texts.ownerNav;

/** Permissions of the viewer, for pages that are only shown to managers of a Project. */
export const managerPermissions: OwnerPermissions = {
  views: true,
  uploads: true,
  manages: true,
  administers: true,
  administrator: false,
  audits: false,
};

function addressesOf(owner: Owner, permissions: OwnerPermissions): Partial<Record<OwnerPart, string>> {
  const isProject = owner.kind === 'project';
  return {
    ...(permissions.views ? { apps: ownerPath(owner) } : {}),
    ...(isProject ? { people: teamsPath(owner.name) } : {}),
    ...(isProject && permissions.manages
      ? { invitations: projectInvitationsPath(owner.name), keys: projectKeysPath(owner.name) }
      : {}),
    ...(permissions.uploads ? { devices: `${ownerPath(owner)}/devices` } : {}),
    ...(permissions.views && permissions.administers ? { webhooks: ownerWebhooksPath(owner) } : {}),
    ...(permissions.administers ? { audit: auditPath(owner), settings: ownerSettingsPath(owner) } : {}),
  };
}

interface OwnerPlace {
  owner: Owner;
  permissions: OwnerPermissions;
  part: OwnerPart;
}

/** Shows the Owner and the tabs of its pages. On the Owner's own page, its name is the title. */
export function OwnerHead(props: OwnerPlace & { isTitle?: boolean; actions?: ComponentChildren }) {
  const { owner, permissions, isTitle = false } = props;
  const workspace = owner.kind === 'project' ? owner.workspace : null;
  return (
    <ConsoleHead
      title={owner.name}
      titleAddress={isTitle || !permissions.views ? undefined : ownerPath(owner)}
      isHeading={isTitle}
      badges={<Badge>{ownerTexts.owner[owner.kind]}</Badge>}
      details={
        workspace && (
          <span>
            {ownerTexts.owner.inWorkspace({
              workspace: workspace.displayName,
              name: linkTo(workspacePath(workspace.name), 'soft'),
            })}
          </span>
        )
      }
      actions={props.actions}
      tabs={ownerTabs(props)}
    />
  );
}

/** Returns the tabs of pages that the viewer may see; none if there is only one. */
function ownerTabs(props: OwnerPlace): Tab[] {
  const addresses = Object.entries(addressesOf(props.owner, props.permissions)) as [OwnerPart, string][];
  if (addresses.length < 2) return [];
  return addresses.map(([part, address]) => ({
    label: t[part],
    address,
    isCurrent: part === props.part,
  }));
}

/** The pages of the Settings tab. */
export type OwnerSettingsPart = 'general' | 'retention' | 'trustedPublishing' | 'signingKeys' | 'deletion';

function partsOf({ owner, permissions, settings }: OwnerArea): Tab[] | undefined {
  const p = settingsTexts;
  if (!settings) return undefined;
  return settingsParts<OwnerSettingsPart>(settings, {
    general: { label: p.general, address: ownerSettingsPath(owner) },
    retention: { label: p.retention, address: ownerRetentionPath(owner) },
    ...(permissions.views && permissions.administers
      ? { trustedPublishing: { label: p.trustedPublishing, address: trustedPublishingPath(owner) } }
      : {}),
    ...(permissions.views ? { signingKeys: { label: p.signingKeys, address: signingKeysPath(owner) } } : {}),
    deletion: { label: p.deletion, address: ownerDeletionPath(owner) },
  });
}

export interface OwnerArea extends OwnerPlace {
  frame: PageFrame;
  /** Only for pages of the Settings tab. */
  settings?: OwnerSettingsPart;
  title: string;
  /** Content next to the title, for example a count. */
  state?: ComponentChildren;
  /** A line below the title. */
  line?: ComponentChildren;
  done?: string | null;
  children: ComponentChildren;
}

export function renderOwnerArea(area: OwnerArea): string {
  const { frame, owner, permissions, part, title } = area;
  return renderPage({
    frame,
    workspace: workspaceOf(owner),
    title: `${title} · ${owner.name}`,
    section: owner.kind === 'project' ? 'projects' : 'apps',
    forms: true,
    head: <OwnerHead owner={owner} permissions={permissions} part={part} />,
    children: (
      <SettingsLayout parts={partsOf(area)}>
        <TitleBlock title={title} state={area.state} line={area.line} />
        <SuccessMessage sentence={area.done ?? null} />
        {area.children}
      </SettingsLayout>
    ),
  });
}
