import { BrandingForm, type BrandingFormProps } from '../branding/branding-form.tsx';
import { brandingTexts } from '../branding/branding-texts.ts';
import { renderAdministration } from '../web/shell/administration-frame.tsx';

export function renderAdministrationBranding(props: BrandingFormProps & { done: string | null }): string {
  return renderAdministration({
    frame: props.frame,
    part: 'branding',
    line: brandingTexts.installationLine,
    done: props.done,
    children: <BrandingForm {...props} />,
  });
}
