import * as v from 'valibot';
import {
  brandForm,
  needsPreview,
  type ShownBrand,
  showBrand,
  showRejectedBrand,
} from '../../branding/branding-form-http.ts';
import type { Brands } from '../../branding/brands.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Workspace } from '../../owners/owner.ts';
import { workspaceBrandingPath } from '../../owners/owner-paths.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { OwnerAccess } from '../owner-access-http.ts';
import { renderWorkspaceBranding } from './workspace-branding-page.tsx';

/** The branding of a Workspace, for its owners and administrators. */
export function workspaceBrandingRoutes(deps: { ownerAccess: OwnerAccess; brands: Brands }): Route[] {
  const { brands } = deps;
  const access = deps.ownerAccess.workspaceOwnerOrAdministrator;
  const page = '/enterprises/:workspace/branding';
  const form = { method: 'POST', access, page, reauthentication: false, form: brandForm } as const;
  const render = (
    { frame, subject: workspace }: { frame: PageFrame; subject: Workspace },
    shown: ShownBrand,
    saved = false,
  ) => {
    const address = workspaceBrandingPath(workspace.name);
    return renderWorkspaceBranding({ frame, workspace, address, saved, ...shown });
  };
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show the branding of a Workspace',
      access,
      query: { done: lenient(v.literal('saved')) },
      handle: async (context) => {
        const brand = await brands.find(context.subject);
        return html(render(context, showBrand(brand), context.query.done === 'saved'));
      },
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/branding/preview',
      summary: 'Preview the branding of a Workspace',
      handle: async (context) => html(render(context, showBrand(context.form))),
      renderErrors: ({ submitted, errors }, context) =>
        Promise.resolve(render(context, showRejectedBrand(submitted, errors))),
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/branding/save',
      summary: 'Save the branding of a Workspace',
      handle: async (context) => {
        const { previewed, ...brand } = context.form;
        if (needsPreview(brand, previewed)) return html(render(context, showBrand(brand, true)));
        await brands.save(context.caller.actor, context.subject, brand);
        return redirect(`${workspaceBrandingPath(context.subject.name)}?done=saved`);
      },
      renderErrors: ({ submitted, errors }, context) =>
        Promise.resolve(render(context, showRejectedBrand(submitted, errors))),
    }),
  ];
}
