/** The page of a brand: that of the installation, or that of the Workspace in the path. */
import * as v from 'valibot';
import { html, redirect } from '../http/routes/answer.ts';
import type { RouteCaller } from '../http/routes/client.ts';
import { checkWith, lenient } from '../http/routes/form.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import type { Access } from '../http/routes/route-facts.ts';
import type { Actor } from '../owners/actor.ts';
import { brandColors } from '../web/components/brand-colors.ts';
import type { BrandFields, PageFrame } from '../web/shell/page-frame.ts';
import type { BrandingFormProps } from './branding-form.tsx';
import { brandingTexts } from './branding-texts.ts';
import { type BrandOwner, type Brands, checkAccent, checkBrandName, checkSupport } from './brands.ts';
import { type LogoFormDeps, logoFormSchema, receiveLogo } from './logo-form-http.ts';

export interface BrandingRouteDeps extends LogoFormDeps {
  brands: Brands;
}

const text = (check: (text: string) => string | null) => v.pipe(v.string(), v.trim(), checkWith(check));
const fields = {
  name: text(checkBrandName),
  accent: text(checkAccent),
  support: text(checkSupport),
  previewed: v.optional(v.string(), ''),
};

/** Parts of the page that depend on what was submitted. */
type Shown = Omit<BrandingFormProps, 'frame' | 'address' | 'logo' | 'logoError'> &
  Partial<Pick<BrandingFormProps, 'logoError'>> & { done?: string };

function showBrand({ name, accent, support }: BrandFields): Shown {
  const values = { name: name ?? '', accent: accent ?? '', support: support ?? '' };
  return { values, errors: {}, preview: accent, unconfirmed: false };
}

/** Whether the color must be adjusted for contrast in the light scheme and its preview has not been shown. */
const needsPreview = ({ accent }: BrandFields, previewed: string): boolean =>
  accent !== null && accent !== previewed && brandColors(accent).light.accent !== accent;

type UserCaller = RouteCaller & { actor: Extract<Actor, { kind: 'user' }> };

export function brandingRoutes<Caller extends UserCaller, Subject>(
  deps: BrandingRouteDeps,
  place: {
    page: '/administration/branding' | '/enterprises/:workspace/branding';
    of: string;
    access: Access<{ workspace: string }, Caller, Subject>;
    brandOwner: (subject: Subject) => BrandOwner;
    addressOf: (subject: Subject) => string;
    render: (subject: Subject, props: BrandingFormProps & { done: string | null }) => string;
  },
): Route[] {
  const { brands } = deps;
  const { page, of, brandOwner, addressOf } = place;
  const access = place.access as Access<Record<string, string>, Caller, Subject>;
  const form = { method: 'POST', access, page, reauthentication: false } as const;
  const find = (subject: Subject) => brands.find(brandOwner(subject));
  const render = async (
    { subject, frame }: { subject: Subject; readonly frame: PageFrame },
    shown: Shown,
  ) => {
    const { logo } = await find(subject);
    const address = addressOf(subject);
    return place.render(subject, { frame, address, logo, logoError: null, done: null, ...shown });
  };
  const renderErrors = (
    { submitted, errors }: { submitted: BrandingFormProps['values']; errors: BrandingFormProps['errors'] },
    context: Parameters<typeof render>[0],
  ) => render(context, { ...showBrand(submitted), errors, preview: null });
  const back = (subject: Subject, done: keyof typeof brandingTexts.done) =>
    redirect(`${addressOf(subject)}?done=${done}`);
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: `Show the branding of ${of}`,
      access,
      query: { done: lenient(v.picklist(['saved', 'logo-saved', 'logo-removed'])) },
      handle: async (context) => {
        const { done } = context.query;
        const shown = showBrand(await find(context.subject));
        return html(await render(context, { ...shown, ...(done && { done: brandingTexts.done[done] }) }));
      },
    }),
    defineRoute({
      ...form,
      path: `${page}/preview`,
      summary: `Preview the branding of ${of}`,
      form: fields,
      handle: async (context) => html(await render(context, showBrand(context.form))),
      renderErrors,
    }),
    defineRoute({
      ...form,
      path: `${page}/save`,
      summary: `Save the branding of ${of}`,
      form: fields,
      handle: async (context) => {
        const { caller, subject, form } = context;
        const { previewed, ...brand } = form;
        if (needsPreview(brand, previewed))
          return html(await render(context, { ...showBrand(brand), unconfirmed: true }));
        await brands.save(caller.actor, brandOwner(subject), brand);
        return back(subject, 'saved');
      },
      renderErrors,
    }),
    defineRoute({
      method: 'POST',
      access,
      page,
      path: `${page}/logo`,
      summary: `Upload the logo of ${of}`,
      streamedBody: { describes: logoFormSchema },
      handle: (context) => {
        const { caller, client, body, subject } = context;
        return receiveLogo(deps, {
          client,
          body,
          userId: caller.actor.user.id,
          save: async (png) => {
            await brands.saveLogo(caller.actor, brandOwner(subject), png);
            return back(subject, 'logo-saved');
          },
          renderError: async (logoError) => render(context, { ...showBrand(await find(subject)), logoError }),
        });
      },
    }),
    defineRoute({
      ...form,
      path: `${page}/logo/remove`,
      summary: `Remove the logo of ${of}`,
      form: {},
      handle: async ({ caller, subject }) => {
        await brands.saveLogo(caller.actor, brandOwner(subject), null);
        return back(subject, 'logo-removed');
      },
    }),
  ];
}
