/** The frame of the pages of a Workspace: a bar with its tabs. */

import type { ComponentChildren } from 'preact';
import type { Workspace } from '../../owners/owner.ts';
import {
  workspaceAccessPath,
  workspaceBrandingPath,
  workspaceDeletionPath,
  workspacePath,
  workspacePeoplePath,
  workspacePoliciesPath,
  workspaceProvisioningPath,
  workspaceRetentionPath,
  workspaceSettingsPath,
  workspaceSignOnPath,
} from '../../owners/owner-paths.ts';
import { AppIcon } from '../../web/components/app-icon.tsx';
import { Badge } from '../../web/components/callout.tsx';
import { SuccessMessage } from '../../web/components/form-field.tsx';
import { ConsoleHead, TitleBlock } from '../../web/shell/console-head.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { SettingsLayout, settingsParts } from '../../web/shell/settings/settings-layout.tsx';
import { settingsTexts } from '../../web/shell/settings/settings-texts.ts';
import { texts } from '../../web/shell/texts.ts';
import { projectTexts } from '../project-texts.ts';

const t = settingsTexts;

/** The bar of the pages of a Workspace. */
export function WorkspaceHead(props: {
  workspace: Workspace;
  origin: string;
  tab: 'projects' | 'settings';
  /** Whether the viewer may open the settings. Otherwise, there are no tabs. */
  administers: boolean;
}) {
  const { workspace, origin, tab, administers } = props;
  const { name, displayName, iconUrl } = workspace;
  const isTitle = tab === 'projects';
  return (
    <ConsoleHead
      icon={<AppIcon address={iconUrl} origin={origin} name={displayName} size="head" eager />}
      title={displayName}
      titleAddress={isTitle ? undefined : workspacePath(name)}
      badges={<Badge>{projectTexts.workspaceHome.kind}</Badge>}
      details={<code>{name}</code>}
      tabs={
        administers
          ? [
              {
                label: projectTexts.workspaceHome.projects,
                address: workspacePath(name),
                isCurrent: isTitle,
              },
              { label: texts.ownerNav.settings, address: workspaceSettingsPath(name), isCurrent: !isTitle },
            ]
          : []
      }
    />
  );
}

/** A page of the Settings tab, for people who administer the Workspace. */
export function renderWorkspaceArea(area: {
  frame: PageFrame;
  workspace: Workspace;
  settings:
    | 'general'
    | 'people'
    | 'branding'
    | 'policies'
    | 'retention'
    | 'provisioning'
    | 'sign-on'
    | 'access'
    | 'deletion';
  title: string;
  /** Defaults to `title` with the name of the Workspace. */
  documentTitle?: string;
  line?: ComponentChildren;
  done?: string | null;
  children: ComponentChildren;
}): string {
  const { frame, workspace, title } = area;
  const { name, displayName } = workspace;
  const parts = settingsParts(area.settings, {
    general: { label: t.general, address: workspaceSettingsPath(name) },
    people: { label: t.people, address: workspacePeoplePath(name) },
    branding: { label: t.branding, address: workspaceBrandingPath(name) },
    policies: { label: t.policies, address: workspacePoliciesPath(name) },
    retention: { label: t.retention, address: workspaceRetentionPath(name) },
    provisioning: { label: t.provisioning, address: workspaceProvisioningPath(name) },
    'sign-on': { label: t.signOn, address: workspaceSignOnPath(name) },
    access: { label: t.accessReview, address: workspaceAccessPath(name) },
    deletion: { label: t.deletion, address: workspaceDeletionPath(name) },
  });
  return renderPage({
    frame,
    workspace,
    title: area.documentTitle ?? `${title} · ${displayName}`,
    section: 'projects',
    forms: true,
    head: <WorkspaceHead workspace={workspace} origin={frame.origin} tab="settings" administers />,
    children: (
      <SettingsLayout parts={parts}>
        <TitleBlock title={<bdi>{title}</bdi>} line={area.line} />
        <SuccessMessage sentence={area.done ?? null} />
        {area.children}
      </SettingsLayout>
    ),
  });
}
