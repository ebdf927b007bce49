/** Pictures of a distribution page for READMEs and comments: a badge with its version, and a QR code of its link. */
import * as v from 'valibot';
import { appName } from '../../apps/app.ts';
import { distributionPath } from '../../apps/app-paths.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { NotFound } from '../../core/errors.ts';
import { type Answer, content, empty } from '../../http/routes/answer.ts';
import { lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { etagOf, isKnownEtag } from '../../http/sending/content-coding.ts';
import { absolute } from '../../owners/owner-paths.ts';
import { qrPng, qrSvg } from '../../web/components/qr-pictures.ts';
import { texts } from '../../web/shell/texts.ts';
import { createPublicPageAccess, type OpenPageDeps } from '../access/open-page-access-http.ts';
import { pagePictures } from '../page-paths.ts';
import { badgeSvg } from './badge-svg.ts';

/** Eight pixels for each module of the code of a page on a host with a short name. */
const pngSide = 360;

/** A page that does not admit everyone with the link has no pictures, as if it did not exist. */
export function pictureRoutes(deps: OpenPageDeps): Route[] {
  const shared = {
    method: 'GET',
    access: createPublicPageAccess(deps),
    headers: { 'if-none-match': v.optional(v.string()) },
  } as const;
  return [
    defineRoute({
      ...shared,
      path: `/distributions/:accessKey/${pagePictures.badge}`,
      summary: 'Show a badge with the version that a distribution page serves',
      query: { label: lenientText() },
      handle: async ({ subject: { page, app }, query, headers, frame }) => {
        const build = await buildQueries(deps.data).findBuild(page.buildId);
        if (!build) throw new NotFound();
        const { name, versionName, versionCode } = build.info;
        const label = query.label?.trim() || `${name || appName(app)} · ${texts.platforms[app.platform]}`;
        const value = `${versionName || versionCode} (#${build.revision})`;
        // As on pages, Slipway's mark is not shown next to the name of someone else.
        const { workspace } = app.owner;
        const brands = [frame.brand, workspace && frame.brandOfWorkspace?.(workspace.id)];
        const marked = brands.every((brand) => !brand?.name && !brand?.logo);
        return picture('image/svg+xml', page.networks, headers, badgeSvg({ label, value }, marked));
      },
    }),
    ...(['qrPng', 'qrSvg'] as const).map((kind) =>
      defineRoute({
        ...shared,
        path: `/distributions/:accessKey/${pagePictures[kind]}`,
        summary: `Show a QR code of the link of a distribution page as ${kind === 'qrPng' ? 'PNG' : 'SVG'}`,
        handle: async ({ subject: { page }, headers, client }) => {
          const address = absolute(client.origin, distributionPath(page.accessKey));
          return kind === 'qrPng'
            ? picture('image/png', page.networks, headers, address, () => qrPng(address, pngSide))
            : picture('image/svg+xml', page.networks, headers, address, () => qrSvg(address));
        },
      }),
    ),
  ];
}

/**
 * Caches ask each time, so that a page that is closed has no pictures anywhere. `facts`: what the picture shows; without `draw`,
 * the picture itself.
 */
function picture(
  type: string,
  networks: readonly string[],
  given: { 'if-none-match'?: string | undefined },
  facts: string,
  draw: () => string | Uint8Array = () => facts,
): Answer {
  // Weak, because the content coding is chosen later.
  const etag = `W/${etagOf(facts)}`;
  const headers = {
    // Shared caches do not know the networks of the page.
    'Cache-Control': `${networks.length > 0 ? 'private' : 'public'}, no-cache`,
    ETag: etag,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
  };
  return isKnownEtag(given['if-none-match'], etag.slice(2))
    ? empty(304, { headers })
    : content(type, draw(), { headers });
}
