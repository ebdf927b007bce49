import { BrandingForm, type BrandingFormProps } from '../../branding/branding-form.tsx';
import { brandingTexts } from '../../branding/branding-texts.ts';
import type { Workspace } from '../../owners/owner.ts';
import { workspaceSettingsPath } from '../../owners/owner-paths.ts';
import { SuccessMessage } from '../../web/components/form-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import { projectTexts } from '../project-texts.ts';

export function renderWorkspaceBranding(
  props: BrandingFormProps & { workspace: Workspace; done: string | null },
): string {
  const { frame, workspace, done } = props;
  return renderPage({
    frame,
    workspace,
    title: `${brandingTexts.title} · ${workspace.displayName}`,
    forms: true,
    width: 'narrow',
    children: (
      <>
        <div class="page-head">
          <p class="kind">
            <a href={workspaceSettingsPath(workspace.name)}>
              <bdi>{projectTexts.workspace.settingsTitle(workspace.displayName)}</bdi>
            </a>
          </p>
          <h1>{brandingTexts.title}</h1>
          <p class="secondary">{brandingTexts.workspaceLine}</p>
        </div>
        <SuccessMessage sentence={done} />
        <BrandingForm {...props} />
      </>
    ),
  });
}
