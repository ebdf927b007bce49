import * as v from 'valibot';
import {
  brandForm,
  needsPreview,
  type ShownBrand,
  showBrand,
  showRejectedBrand,
} from '../../branding/branding-form-http.ts';
import { brandingTexts } from '../../branding/branding-texts.ts';
import type { Brands } from '../../branding/brands.ts';
import { type LogoFormDeps, logoFormSchema, receiveLogo } from '../../branding/logo-form-http.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Workspace } from '../../owners/owner.ts';
import { workspaceBrandingPath } from '../../owners/owner-paths.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { OwnerAccess } from '../owner-access-http.ts';
import { renderWorkspaceBranding } from './workspace-branding-page.tsx';

export interface WorkspaceBrandingDeps extends LogoFormDeps {
  ownerAccess: OwnerAccess;
  brands: Brands;
}

type Context = { readonly frame: PageFrame; subject: Workspace };

/** The branding of a Workspace, for its owners and administrators. */
export function workspaceBrandingRoutes(deps: WorkspaceBrandingDeps): Route[] {
  const { brands } = deps;
  const access = deps.ownerAccess.workspaceOwnerOrAdministrator;
  const page = '/enterprises/:workspace/branding';
  const form = { method: 'POST', access, page, reauthentication: false } as const;
  const render = async (
    { frame, subject: workspace }: Context,
    shown: ShownBrand,
    { done = null, logoError = null }: { done?: string | null; logoError?: string | null } = {},
  ) => {
    const address = workspaceBrandingPath(workspace.name);
    const { logo } = await brands.find(workspace);
    return renderWorkspaceBranding({ frame, workspace, address, done, logo, logoError, ...shown });
  };
  const done = ({ name }: Workspace, what: keyof typeof brandingTexts.done) =>
    redirect(`${workspaceBrandingPath(name)}?done=${what}`);
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show the branding of a Workspace',
      access,
      query: { done: lenient(v.picklist(['saved', 'logo-saved', 'logo-removed'])) },
      handle: async (context) => {
        const { query, subject } = context;
        const message = query.done ? brandingTexts.done[query.done] : null;
        return html(await render(context, showBrand(await brands.find(subject)), { done: message }));
      },
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/branding/preview',
      summary: 'Preview the branding of a Workspace',
      form: brandForm,
      handle: async (context) => html(await render(context, showBrand(context.form))),
      renderErrors: ({ submitted, errors }, context) => render(context, showRejectedBrand(submitted, errors)),
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/branding/save',
      summary: 'Save the branding of a Workspace',
      form: brandForm,
      handle: async (context) => {
        const { previewed, ...brand } = context.form;
        if (needsPreview(brand, previewed)) return html(await render(context, showBrand(brand, true)));
        await brands.save(context.caller.actor, context.subject, brand);
        return done(context.subject, 'saved');
      },
      renderErrors: ({ submitted, errors }, context) => render(context, showRejectedBrand(submitted, errors)),
    }),
    defineRoute({
      method: 'POST',
      access,
      page,
      path: '/enterprises/:workspace/branding/logo',
      summary: 'Upload the logo of a Workspace',
      streamedBody: { describes: logoFormSchema },
      handle: (context) => {
        const { caller, client, body, subject } = context;
        return receiveLogo(deps, {
          client,
          body,
          userId: caller.actor.user.id,
          save: async (png) => {
            await brands.saveLogo(caller.actor, subject, png);
            return done(subject, 'logo-saved');
          },
          renderError: async (logoError) =>
            render(context, showBrand(await brands.find(subject)), { logoError }),
        });
      },
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/branding/logo/remove',
      summary: 'Remove the logo of a Workspace',
      form: {},
      handle: async ({ caller, subject }) => {
        await brands.saveLogo(caller.actor, subject, null);
        return done(subject, 'logo-removed');
      },
    }),
  ];
}
