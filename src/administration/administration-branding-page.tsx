import { BrandingForm, type BrandingFormProps } from '../branding/branding-form.tsx';
import { brandingTexts } from '../branding/branding-texts.ts';
import { renderAdministration } from '../web/shell/administration-frame.tsx';

export function renderAdministrationBranding(props: BrandingFormProps & { saved: boolean }): string {
  return renderAdministration({
    frame: props.frame,
    part: 'branding',
    line: brandingTexts.installationLine,
    done: props.saved ? brandingTexts.saved : null,
    children: <BrandingForm {...props} />,
  });
}
