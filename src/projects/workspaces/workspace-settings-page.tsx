import { logoTypes } from '../../branding/branding-form.tsx';
import { brandingTexts } from '../../branding/branding-texts.ts';
import { defaultWorkspaceIcon } from '../../owners/create-owners.ts';
import type { Workspace } from '../../owners/owner.ts';
import { workspacePath, workspaceSettingsPath } from '../../owners/owner-paths.ts';
import { AppIcon } from '../../web/components/app-icon.tsx';
import { Confirm, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { FileField } from '../../web/components/inputs/file-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { projectTexts } from '../project-texts.ts';
import { DisplayNameField, type OwnerFormErrors } from '../settings/new-owner-page.tsx';
import { renderWorkspaceArea } from './workspace-area.tsx';

/** The refused input, with its errors. */
export interface WorkspaceRefusal {
  displayName?: string;
  errors?: OwnerFormErrors;
  /** Why the icon was not saved, as a full sentence. */
  iconError?: string | null;
}

export interface WorkspaceSettingsProps {
  frame: PageFrame;
  workspace: Workspace;
  done: string | null;
  refused: WorkspaceRefusal | null;
}

const t = projectTexts.workspace;

export function renderWorkspaceSettings(props: WorkspaceSettingsProps): string {
  const { frame, workspace } = props;
  return renderWorkspaceArea({
    frame,
    workspace,
    settings: 'general',
    title: t.settings,
    documentTitle: t.settingsTitle({ name: workspace.displayName }),
    done: props.done,
    children: (
      <div class="panel">
        <AppearanceForm {...props} />
        <IconForms {...props} />
      </div>
    ),
  });
}

function AppearanceForm({ frame, workspace, refused }: WorkspaceSettingsProps) {
  return (
    <SettingsSection id="look" title={t.look}>
      <PostForm
        frame={frame}
        class="form"
        action={`${workspaceSettingsPath(workspace.name)}/save`}
        data-guard=""
      >
        <DisplayNameField
          value={refused?.displayName ?? workspace.displayName}
          errors={refused?.errors?.display_name}
        />
        <p class="actions">
          <SubmitButton label={projectTexts.save} />
        </p>
      </PostForm>
    </SettingsSection>
  );
}

/** A separate form, because it contains a file. */
function IconForms({ frame, workspace, refused }: WorkspaceSettingsProps) {
  const { iconUrl, displayName, name } = workspace;
  return (
    <SettingsSection id="icon" title={t.icon} line={t.iconLine}>
      <PostForm
        frame={frame}
        class="form"
        action={`${workspacePath(name)}/icon`}
        encType="multipart/form-data"
      >
        <p>
          <AppIcon address={iconUrl} origin={frame.origin} name={displayName} size="medium" />
        </p>
        <FileField
          id="logo"
          label={brandingTexts.logoFile}
          hint={t.iconHint}
          errors={refused?.iconError ? [refused.iconError] : []}
          accept={logoTypes}
          required
        />
        <p class="actions">
          <SubmitButton label={t.iconUpload} />
        </p>
      </PostForm>
      {iconUrl !== defaultWorkspaceIcon && (
        <Confirm
          frame={frame}
          action={`${workspacePath(name)}/icon/remove`}
          ask={t.iconRemove}
          line={t.iconRemoveLine}
        />
      )}
    </SettingsSection>
  );
}
