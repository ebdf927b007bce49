/** Branding in `/api/v1`. Logos are uploaded in the console. */
import * as v from 'valibot';
import { textShape } from '../core/json-shapes.ts';
import { json } from '../http/routes/answer.ts';
import type { Client, RouteCaller } from '../http/routes/client.ts';
import { checkWith } from '../http/routes/form.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import type { Access } from '../http/routes/route-facts.ts';
import type { Actor } from '../owners/actor.ts';
import { absolute } from '../owners/owner-paths.ts';
import { brandColors } from '../web/components/brand-colors.ts';
import type { Brand } from '../web/shell/page-frame.ts';
import { brandLogoPath } from '../web/shell/site-paths.ts';
import { type BrandOwner, type Brands, checkAccent, checkBrandName, checkSupport } from './brands.ts';

const colorShape = (scheme: string) =>
  textShape(`As pages show it in the ${scheme} scheme, adjusted for contrast.`);

const brandShape = v.pipe(
  v.object({
    name: v.nullable(textShape('Replaces “Slipway” in the header, in page titles and in emails.')),
    accent: v.nullable(textShape('`#rrggbb`.')),
    accent_colors: v.nullable(v.object({ light: colorShape('light'), dark: colorShape('dark') })),
    support: v.nullable(
      textShape('An email address or an https address, at the bottom of pages and emails.'),
    ),
    logo_url: v.nullable(v.string()),
  }),
  v.title('Branding'),
);

const field = (check: (text: string) => string | null) =>
  v.optional(v.nullable(v.pipe(v.string(), v.trim(), checkWith(check))));

/** Routes for the brand of the installation, or of the Workspace in the path. */
export function brandingApiRoutes<Caller extends RouteCaller & { actor: Actor }, Subject>(
  brands: Brands,
  place: {
    path: '/api/v1/admin/branding' | '/api/v1/workspaces/:workspace/branding';
    idPart: string;
    of: string;
    tag: string;
    keyScope: 'admin' | 'manage';
    access: Access<{ workspace: string }, Caller, Subject>;
    brandOwner: (subject: Subject) => BrandOwner;
  },
): Route[] {
  const { path, idPart, of, brandOwner, ...shared } = place;
  const show = async (subject: Subject, client: Client) => {
    const brand = await brands.find(brandOwner(subject));
    return json(brandJson(brand, client.origin));
  };
  return [
    defineRoute({
      ...shared,
      path,
      method: 'GET',
      operationId: `get${idPart}Branding`,
      summary: `Show the branding of ${of}`,
      answer: brandShape,
      handle: ({ subject, client }) => show(subject, client),
    }),
    defineRoute({
      ...shared,
      path,
      method: 'PATCH',
      operationId: `update${idPart}Branding`,
      summary: `Change the branding of ${of}`,
      description: 'Null removes a field. What is absent stays as it is. Logos are uploaded in the console.',
      json: { name: field(checkBrandName), accent: field(checkAccent), support: field(checkSupport) },
      answer: brandShape,
      handle: async ({ caller, subject, client, json: changes }) => {
        await brands.save(caller.actor, brandOwner(subject), changes);
        return show(subject, client);
      },
    }),
  ];
}

function brandJson({ name, accent, support, logo }: Brand, origin: string): v.InferOutput<typeof brandShape> {
  const colors = accent === null ? null : brandColors(accent);
  return {
    name,
    accent,
    accent_colors: colors && { light: colors.light.accent, dark: colors.dark.accent },
    support,
    logo_url: logo === null ? null : absolute(origin, brandLogoPath(logo)),
  };
}
