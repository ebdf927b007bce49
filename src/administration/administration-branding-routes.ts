import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import {
  brandForm,
  needsPreview,
  type ShownBrand,
  showBrand,
  showRejectedBrand,
} from '../branding/branding-form-http.ts';
import { brandingTexts } from '../branding/branding-texts.ts';
import type { Brands } from '../branding/brands.ts';
import { type LogoFormDeps, logoFormSchema, receiveLogo } from '../branding/logo-form-http.ts';
import { html, redirect } from '../http/routes/answer.ts';
import { lenient } from '../http/routes/form.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { sitePaths } from '../web/shell/site-paths.ts';
import { renderAdministrationBranding } from './administration-branding-page.tsx';

export interface BrandingRouteDeps extends LogoFormDeps {
  access: RouteAccess;
  brands: Brands;
}

/** The branding of the installation. */
export function brandingRoutes(deps: BrandingRouteDeps): Route[] {
  const { brands } = deps;
  const access = deps.access.administrator;
  const page = '/administration/branding';
  const form = { method: 'POST', access, page, reauthentication: false } as const;
  const render = async (
    frame: PageFrame,
    shown: ShownBrand,
    { done = null, logoError = null }: { done?: string | null; logoError?: string | null } = {},
  ) => {
    const { logo } = await brands.find(null);
    const address = sitePaths.branding;
    return renderAdministrationBranding({ frame, address, done, logo, logoError, ...shown });
  };
  const done = (what: keyof typeof brandingTexts.done) => redirect(`${sitePaths.branding}?done=${what}`);
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show the branding of the installation',
      access,
      query: { done: lenient(v.picklist(['saved', 'logo-saved', 'logo-removed'])) },
      handle: async ({ frame, query }) => {
        const message = query.done ? brandingTexts.done[query.done] : null;
        return html(await render(frame, showBrand(await brands.find(null)), { done: message }));
      },
    }),
    defineRoute({
      ...form,
      path: '/administration/branding/preview',
      summary: 'Preview the branding of the installation',
      form: brandForm,
      handle: async ({ frame, form: brand }) => html(await render(frame, showBrand(brand))),
      renderErrors: ({ submitted, errors }, { frame }) => render(frame, showRejectedBrand(submitted, errors)),
    }),
    defineRoute({
      ...form,
      path: '/administration/branding/save',
      summary: 'Save the branding of the installation',
      form: brandForm,
      handle: async ({ caller, frame, form: { previewed, ...brand } }) => {
        if (needsPreview(brand, previewed)) return html(await render(frame, showBrand(brand, true)));
        await brands.save(caller.actor, null, brand);
        return done('saved');
      },
      renderErrors: ({ submitted, errors }, { frame }) => render(frame, showRejectedBrand(submitted, errors)),
    }),
    defineRoute({
      method: 'POST',
      access,
      page,
      path: '/administration/branding/logo',
      summary: 'Upload the logo of the installation',
      streamedBody: { describes: logoFormSchema },
      handle: ({ caller, client, body, frame }) =>
        receiveLogo(deps, {
          client,
          body,
          userId: caller.actor.user.id,
          save: async (png) => {
            await brands.saveLogo(caller.actor, null, png);
            return done('logo-saved');
          },
          renderError: async (logoError) => render(frame, showBrand(await brands.find(null)), { logoError }),
        }),
    }),
    defineRoute({
      ...form,
      path: '/administration/branding/logo/remove',
      summary: 'Remove the logo of the installation',
      form: {},
      handle: async ({ caller }) => {
        await brands.saveLogo(caller.actor, null, null);
        return done('logo-removed');
      },
    }),
  ];
}
