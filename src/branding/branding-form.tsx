/** The branding form of the installation and of Workspaces, with a preview of the derived colors. */

import { refusalOf } from '../core/errors.ts';
import { type BrandScheme, brandColors, brandGrounds } from '../web/components/brand-colors.ts';
import { PostForm, SubmitButton } from '../web/components/form-field.tsx';
import { ColorField } from '../web/components/inputs/color-field.tsx';
import { FileField } from '../web/components/inputs/file-field.tsx';
import { TextField } from '../web/components/text-field.tsx';
import { BrandLogo } from '../web/shell/mark.tsx';
import type { BrandFields, PageFrame } from '../web/shell/page-frame.ts';
import { SettingsSection } from '../web/shell/settings/settings-layout.tsx';
import { brandingTexts } from './branding-texts.ts';
import { accentPattern, checkAccent, maxBrandNameLength, maxSupportLength } from './brands.ts';

export type BrandFormErrors = Readonly<Partial<Record<keyof BrandFields, readonly string[]>>>;

export interface BrandingFormProps {
  frame: PageFrame;
  /** Path of the page; the form posts to actions below it. */
  address: string;
  /** Contents of the fields, possibly unsaved. */
  values: Record<keyof BrandFields, string>;
  errors: BrandFormErrors;
  /** The previewed color; null without a preview. */
  preview: string | null;
  /** Whether the form was not saved yet because its color must be adjusted. */
  unconfirmed: boolean;
  /** The saved logo; null without one. */
  logo: string | null;
  /** Why the logo was not saved, as a full sentence. */
  logoError: string | null;
}

const t = brandingTexts;
/** The default accent color in the stylesheets. */
const defaultAccent = '#0b5f66';

/** The types that `receiveLogo` accepts. */
export const logoTypes = 'image/png,image/jpeg,image/webp';

/** The fields, and a separate form for the logo, because it contains a file. */
export function BrandingForm(props: BrandingFormProps) {
  return (
    <div class="panel">
      <SettingsSection id="brand" title={t.look}>
        <FieldsForm {...props} />
      </SettingsSection>
      <LogoForms {...props} />
    </div>
  );
}

function LogoForms({ frame, address, logo, logoError }: BrandingFormProps) {
  return (
    <SettingsSection id="logo-title" title={t.logo} line={t.logoLine}>
      {logo !== null && (
        <PostForm frame={frame} class="form" action={`${address}/logo/remove`}>
          <p>{t.logoNow}</p>
          <p>
            <BrandLogo name={logo} />
          </p>
          <p class="actions">
            <SubmitButton label={t.logoRemove} tone="danger" />
          </p>
        </PostForm>
      )}
      <PostForm frame={frame} class="form" action={`${address}/logo`} encType="multipart/form-data">
        <FileField
          id="logo"
          label={t.logoFile}
          hint={t.logoHint}
          errors={logoError === null ? [] : [logoError]}
          accept={logoTypes}
          required
        />
        <p class="actions">
          <SubmitButton label={t.logoUpload} />
        </p>
      </PostForm>
    </SettingsSection>
  );
}

function FieldsForm({ frame, address, values, errors, preview, unconfirmed }: BrandingFormProps) {
  return (
    <PostForm
      frame={frame}
      class="form"
      action={`${address}/save`}
      data-guard={preview !== null || Object.keys(errors).length > 0 ? 'changed' : ''}
    >
      <input type="hidden" name="previewed" value={preview ?? ''} />
      <TextField
        id="name"
        label={t.name}
        hint={t.nameHint}
        value={values.name}
        errors={errors.name}
        maxLength={maxBrandNameLength}
        prose
      />
      <ColorField
        id="accent"
        label={t.accent}
        hint={t.accentHint}
        value={values.accent}
        errors={errors.accent}
        pattern={accentPattern}
        mismatch={refusalOf(checkAccent, '?')}
        pickLabel={t.accentPick}
        start={defaultAccent}
      />
      {preview !== null && <Preview color={preview} />}
      {unconfirmed && (
        <p class="callout" role="status" data-news tabIndex={-1}>
          {t.confirm}
        </p>
      )}
      <TextField
        id="support"
        label={t.support}
        hint={t.supportHint}
        value={values.support}
        errors={errors.support}
        maxLength={maxSupportLength}
      />
      <p class="actions">
        <SubmitButton label={t.save} tone="primary" />
        <SubmitButton label={t.preview} formAction={`${address}/preview`} />
      </p>
    </PostForm>
  );
}

/** Uses SVG attributes, because the content security policy allows no style attributes. */
function Preview({ color }: { color: string }) {
  const { light, dark } = brandColors(color);
  return (
    <section aria-label={t.colors}>
      <Sample name={t.light} color={color} scheme={light} paper={brandGrounds.light[0]} />
      <Sample name={t.dark} color={color} scheme={dark} paper={brandGrounds.dark[0]} />
    </section>
  );
}

function Sample(props: { name: string; color: string; scheme: BrandScheme; paper: string | undefined }) {
  const { name, color, scheme, paper } = props;
  const { accent, accentGround, onAccent, plots } = scheme;
  return (
    <div>
      <svg viewBox="0 0 320 64" width="320" height="64" aria-hidden="true">
        <rect width="320" height="64" rx="12" fill={paper} />
        <rect x="12" y="14" width="96" height="36" rx="8" fill={accent} />
        <text x="60" y="37" text-anchor="middle" font-size="14" fill={onAccent}>
          {t.sample}
        </text>
        <rect x="120" y="14" width="96" height="36" rx="8" fill={accentGround} />
        <text x="168" y="37" text-anchor="middle" font-size="14" fill={accent}>
          {t.sample}
        </text>
        {plots.map((plot, at) => (
          <rect key={at} x={228 + at * 28} y={14 + at * 8} width="20" height={36 - at * 8} fill={plot} />
        ))}
      </svg>
      <p class="hint">
        {accent === color
          ? t.unchanged({ scheme: name, color: accent })
          : t.adjusted({ scheme: name, from: color, to: accent })}
      </p>
    </div>
  );
}
