/** Reads the branding form, and prepares its page. */
import * as v from 'valibot';
import { checkWith } from '../http/routes/form.ts';
import { brandColors } from '../web/components/brand-colors.ts';
import type { BrandFields } from '../web/shell/page-frame.ts';
import type { BrandFormErrors, BrandingFormProps } from './branding-form.tsx';
import { checkAccent, checkBrandName, checkSupport } from './brands.ts';

const field = () => v.pipe(v.string(), v.trim());

export const brandForm = {
  name: v.pipe(field(), checkWith(checkBrandName)),
  accent: v.pipe(field(), checkWith(checkAccent)),
  support: v.pipe(field(), checkWith(checkSupport)),
  previewed: v.optional(v.string(), ''),
};

/** Parts of the page that depend on the submitted form. */
export type ShownBrand = Omit<BrandingFormProps, 'frame' | 'address' | 'logo' | 'logoError'>;

export function showBrand(brand: BrandFields, unconfirmed = false): ShownBrand {
  const { name, accent, support } = brand;
  const values = { name: name ?? '', accent: accent ?? '', support: support ?? '' };
  return { values, errors: {}, preview: accent, unconfirmed };
}

export function showRejectedBrand(
  { name, accent, support }: Record<keyof BrandFields, string>,
  errors: BrandFormErrors,
): ShownBrand {
  return { values: { name, accent, support }, errors, preview: null, unconfirmed: false };
}

/** Whether the color must be adjusted for contrast in the light scheme, and its preview has not been shown yet. */
export const needsPreview = ({ accent }: BrandFields, previewed: string): boolean =>
  accent !== null && accent !== previewed && brandColors(accent).light.accent !== accent;
