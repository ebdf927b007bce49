/** The branding form of the installation and of Workspaces, with a preview of the derived colors. */
import { type BrandScheme, brandColors } from '../web/components/brand-colors.ts';
import { FormHead } from '../web/components/form-field.tsx';
import { TextField } from '../web/components/text-field.tsx';
import type { Brand, PageFrame } from '../web/shell/page-frame.ts';
import { brandingTexts } from './branding-texts.ts';
import { maxBrandNameLength, maxSupportLength } from './brands.ts';

export type BrandFormErrors = Readonly<Partial<Record<keyof Brand, readonly string[]>>>;

export interface BrandingFormProps {
  frame: PageFrame;
  /** Path of the page; the form posts to actions below it. */
  address: string;
  /** What the fields contain, possibly not saved. */
  values: Record<keyof Brand, string>;
  errors: BrandFormErrors;
  /** The color that the page shows a preview of; null without one. */
  preview: string | null;
  /** Whether the form was not saved, because its color has to be adjusted. */
  unconfirmed: boolean;
}

const t = brandingTexts;

export function BrandingForm({ frame, address, values, errors, preview, unconfirmed }: BrandingFormProps) {
  return (
    <form class="form one-column" method="post" action={`${address}/save`}>
      <FormHead frame={frame} />
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
      <TextField
        id="accent"
        label={t.accent}
        hint={t.accentHint}
        value={values.accent}
        errors={errors.accent}
        maxLength={7}
        short
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
        <button class="button button-primary" type="submit">
          {t.save}
        </button>
        <button class="button" type="submit" formAction={`${address}/preview`}>
          {t.preview}
        </button>
      </p>
    </form>
  );
}

/** Attributes of SVG, because the pages’ policy allows no style attributes. */
function Preview({ color }: { color: string }) {
  const { light, dark } = brandColors(color);
  return (
    <section aria-label={t.colors}>
      <Sample name={t.light} color={color} scheme={light} paper="#ffffff" />
      <Sample name={t.dark} color={color} scheme={dark} paper="#0e1416" />
    </section>
  );
}

function Sample(props: { name: string; color: string; scheme: BrandScheme; paper: string }) {
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
      <p class="hint">{accent === color ? t.unchanged(name, accent) : t.adjusted(name, color, accent)}</p>
    </div>
  );
}
