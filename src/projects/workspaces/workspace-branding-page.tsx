import { BrandingForm, type BrandingFormProps } from '../../branding/branding-form.tsx';
import { brandingTexts } from '../../branding/branding-texts.ts';
import type { Workspace } from '../../owners/owner.ts';
import { renderWorkspaceArea } from './workspace-area.tsx';

export function renderWorkspaceBranding(
  props: BrandingFormProps & { workspace: Workspace; done: string | null },
): string {
  const { frame, workspace, done } = props;
  return renderWorkspaceArea({
    frame,
    workspace,
    settings: 'branding',
    title: brandingTexts.title,
    line: brandingTexts.workspaceLine,
    done,
    children: <BrandingForm {...props} />,
  });
}
