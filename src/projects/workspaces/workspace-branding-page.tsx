import { BrandingForm, type BrandingFormProps } from '../../branding/branding-form.tsx';
import { brandingTexts } from '../../branding/branding-texts.ts';
import type { Workspace } from '../../owners/owner.ts';
import { workspaceBrandingPath, workspaceSettingsPath } from '../../owners/owner-paths.ts';
import { SuccessMessage } from '../../web/components/form-field.tsx';
import { TitleBlock } from '../../web/shell/console-head.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import { projectTexts } from '../project-texts.ts';
import { WorkspaceHead } from './workspace-head.tsx';

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
    head: (
      <WorkspaceHead
        workspace={workspace}
        origin={frame.origin}
        crumbs={[
          { label: projectTexts.workspace.settings, address: workspaceSettingsPath(workspace.name) },
          { label: brandingTexts.title, address: workspaceBrandingPath(workspace.name) },
        ]}
      />
    ),
    children: (
      <>
        <TitleBlock title={brandingTexts.title} line={brandingTexts.workspaceLine} />
        <SuccessMessage sentence={done} />
        <BrandingForm {...props} />
      </>
    ),
  });
}
