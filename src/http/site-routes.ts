/** Routes of the site that belong to no feature: static files, documentation, health checks. */

import * as v from 'valibot';
import { NotFound, unavailable } from '../core/errors.ts';
import { renderApiDocsPage } from '../web/api-docs/api-docs-page.tsx';
import { brandStylesheet } from '../web/components/brand-colors.ts';
import { qrPng } from '../web/components/qr-pictures.ts';
import { sitePaths } from '../web/shell/site-paths.ts';
import type { StaticFile, StaticFiles } from '../web/shell/static-files.ts';
import { httpTexts } from './http-texts.ts';
import { createReadiness, type ReadinessDeps } from './readiness.ts';
import { type Answer, content, empty, html, redirect } from './routes/answer.ts';
import type { RouteCaller } from './routes/client.ts';
import { defineRoute, type Route } from './routes/route.ts';
import type { Access } from './routes/route-facts.ts';
import { assetCoding, assetHeaders, assetPath } from './sending/asset-answers.ts';
import { isKnownEtag } from './sending/content-coding.ts';

export interface SiteRouteDeps<Caller extends RouteCaller> {
  /** `anyone`: identifies the reader of the documentation, for the frame of its page. */
  access: { anyone: Access<unknown, Caller, null> };
  files: StaticFiles;
  apiDocument(): object;
  /** Throws `unavailable` while the node is shutting down. */
  requireNotDraining(): void;
  readiness: ReadinessDeps;
  /** The uploader as a single file; null if it was not built. */
  uploader: Uint8Array | null;
}

const openApiAddress = '/api/openapi.json';
const textType = 'text/plain; charset=utf-8';

/** Does not identify the caller, because these routes must work even if the database is down. */
const everyone: Access<unknown, null, null> = {
  roles: ['public'],
  credentials: [],
  others: 'missing',
  identify: async () => null,
  authorize: async () => null,
};
const open = { method: 'GET', access: everyone } as const;
const rateLimitExempt = { ...open, rateLimitExempt: true } as const;

const longestQrAddress = 512;
const qrSide = { usual: 178, minimum: 32, limit: 512 };
const qrQuery = {
  data: v.pipe(v.string(), v.maxLength(longestQrAddress)),
  size: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,4}$/),
      v.transform(Number),
      v.minValue(qrSide.minimum),
      v.maxValue(qrSide.limit),
    ),
    String(qrSide.usual),
  ),
};

/**
 * Installs a command `slipway` for the user who runs the script. An origin contains no characters that a shell interprets within
 * quotes.
 */
const uploaderInstaller = (origin: string) => `#!/bin/sh
# Installs the uploader of ${origin} as the command slipway:
#   curl -fsSL ${origin}/cli/install | sh
set -eu
folder="\${SLIPWAY_INSTALL_DIR:-$HOME/.local/bin}"
case "$(node --version || true)" in
  v2[0-9].* | v[3-9][0-9].*) ;;
  *) echo "slipway needs Node 20 or newer" >&2; exit 1 ;;
esac
mkdir -p "$folder"
curl -fsSL '${origin}/cli/slipway.mjs' -o "$folder/slipway.mjs.new"
mv "$folder/slipway.mjs.new" "$folder/slipway.mjs"
printf '#!/bin/sh\nexec node "$(dirname "$0")/slipway.mjs" "$@"\n' > "$folder/slipway"
chmod 755 "$folder/slipway"
echo "Installed $folder/slipway"
`;

export function siteRoutes<Caller extends RouteCaller>(deps: SiteRouteDeps<Caller>): Route[] {
  const checkReady = createReadiness(deps.readiness);
  const fileOf = (name: string): StaticFile => {
    const file = deps.files.get(name);
    if (!file) throw new NotFound();
    return file;
  };
  return [
    defineRoute({
      ...rateLimitExempt,
      path: assetPath,
      summary: 'Download a stylesheet, script or icon',
      headers: { 'if-none-match': v.optional(v.string()), 'accept-encoding': v.optional(v.string()) },
      handle: async ({ params, headers }) => sendAsset(fileOf(params.name), headers),
    }),
    defineRoute({
      ...rateLimitExempt,
      path: '/branding/:name',
      summary: 'Download the stylesheet of an accent color',
      handle: async ({ params }) => {
        const css = brandStylesheet(params.name);
        if (css === null) throw new NotFound();
        return content('text/css; charset=utf-8', css, {
          headers: { 'Cache-Control': 'public, max-age=31536000, immutable' },
        });
      },
    }),
    defineRoute({
      ...rateLimitExempt,
      path: '/favicon.ico',
      summary: 'Download the icon of the site',
      handle: async () => {
        const { type, bytes } = fileOf('favicon.svg');
        return content(type, Buffer.from(bytes), { headers: { 'Cache-Control': 'public, max-age=86400' } });
      },
    }),
    defineRoute({
      ...rateLimitExempt,
      path: '/robots.txt',
      summary: 'Tell search engines not to index the site',
      handle: async () => content(textType, 'User-agent: *\nDisallow: /\n'),
    }),
    defineRoute({
      ...open,
      path: '/cli/slipway.mjs',
      summary: 'Download the uploader as one file',
      handle: async () => {
        if (!deps.uploader) throw unavailable(httpTexts.noUploader);
        return content('text/javascript; charset=utf-8', Buffer.from(deps.uploader));
      },
    }),
    defineRoute({
      ...open,
      path: '/cli/install',
      summary: 'Download a shell script that installs the uploader',
      handle: async ({ client }) => content(textType, uploaderInstaller(client.origin)),
    }),
    defineRoute({
      ...open,
      path: '/dashboard',
      summary: 'Redirect to the start page, where clients of DeployGate expect theirs',
      handle: async () => redirect('/'),
    }),
    defineRoute({
      ...open,
      path: '/qr',
      summary: 'Show a QR code of an address of this server',
      query: qrQuery,
      handle: async ({ client, query }) => {
        // Only encodes addresses on this server.
        if (URL.parse(query.data)?.origin !== client.origin) throw new NotFound();
        return content('image/png', qrPng(query.data, query.size), {
          headers: { 'Cache-Control': 'public, max-age=86400' },
        });
      },
    }),
    defineRoute({
      ...rateLimitExempt,
      path: '/healthz',
      summary: 'Check that the process is alive',
      handle: async () => content(textType, 'ok\n'),
    }),
    defineRoute({
      ...rateLimitExempt,
      path: '/readyz',
      summary: 'Check that the node can serve requests',
      handle: async () => {
        deps.requireNotDraining();
        await checkReady();
        return content(textType, 'ready\n');
      },
    }),
    defineRoute({
      ...open,
      path: openApiAddress,
      summary: 'Download the OpenAPI document',
      handle: async () => content('application/json; charset=utf-8', JSON.stringify(deps.apiDocument())),
    }),
    defineRoute({
      method: 'GET',
      access: deps.access.anyone,
      path: sitePaths.docs,
      summary: 'Show the API documentation',
      handle: async ({ frame }) => {
        const document = deps.apiDocument();
        return html(renderApiDocsPage({ frame, document, documentAddress: openApiAddress }));
      },
    }),
  ];
}

/**
 * Not @fastify/static: the files are joined, hashed and compressed in memory, so a response is a map lookup. The package would
 * need them on disk, next to compressed copies.
 */
async function sendAsset(
  file: StaticFile,
  headers: { 'if-none-match'?: string | undefined; 'accept-encoding'?: string | undefined },
): Promise<Answer> {
  const coding = assetCoding(file, headers['accept-encoding']);
  const cached = assetHeaders(file, coding);
  if (isKnownEtag(headers['if-none-match'], file.etag)) return empty(304, { headers: cached });
  if (coding === null) return content(file.type, file.bytes, { headers: cached });
  return content(file.type, await file.compressed(coding), {
    headers: { ...cached, 'Content-Encoding': coding },
  });
}
