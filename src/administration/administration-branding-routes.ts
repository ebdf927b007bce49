import * as v from 'valibot';
import type { RouteAccess } from '../accounts/sign-in/route-access-http.ts';
import {
  brandForm,
  needsPreview,
  type ShownBrand,
  showBrand,
  showRejectedBrand,
} from '../branding/branding-form-http.ts';
import type { Brands } from '../branding/brands.ts';
import { html, redirect } from '../http/routes/answer.ts';
import { lenient } from '../http/routes/form.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { sitePaths } from '../web/shell/site-paths.ts';
import { renderAdministrationBranding } from './administration-branding-page.tsx';

/** The branding of the installation. */
export function brandingRoutes({ access, brands }: { access: RouteAccess; brands: Brands }): Route[] {
  const page = '/administration/branding';
  const form = {
    method: 'POST',
    access: access.administrator,
    page,
    reauthentication: false,
    form: brandForm,
  } as const;
  const render = (frame: PageFrame, shown: ShownBrand, saved = false) =>
    renderAdministrationBranding({ frame, address: sitePaths.branding, saved, ...shown });
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show the branding of the installation',
      access: access.administrator,
      query: { done: lenient(v.literal('saved')) },
      handle: async ({ frame, query }) =>
        html(render(frame, showBrand(await brands.find(null)), query.done === 'saved')),
    }),
    defineRoute({
      ...form,
      path: '/administration/branding/preview',
      summary: 'Preview the branding of the installation',
      handle: async ({ frame, form: brand }) => html(render(frame, showBrand(brand))),
      renderErrors: ({ submitted, errors }, { frame }) =>
        Promise.resolve(render(frame, showRejectedBrand(submitted, errors))),
    }),
    defineRoute({
      ...form,
      path: '/administration/branding/save',
      summary: 'Save the branding of the installation',
      handle: async ({ caller, frame, form: { previewed, ...brand } }) => {
        if (needsPreview(brand, previewed)) return html(render(frame, showBrand(brand, true)));
        await brands.save(caller.actor, null, brand);
        return redirect(`${sitePaths.branding}?done=saved`);
      },
      renderErrors: ({ submitted, errors }, { frame }) =>
        Promise.resolve(render(frame, showRejectedBrand(submitted, errors))),
    }),
  ];
}
