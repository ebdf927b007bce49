/** The common parts of every page, from the request and its caller. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { currentLocale } from '../../core/language/current-language.ts';
import type { OriginOf } from '../../http/request-origin.ts';
import type { HtmlResponse } from '../../http/routes/answer.ts';
import { setCookies } from '../../http/secure-cookies.ts';
import { pagePolicy } from '../../http/security-headers.ts';
import { isKnownEtag } from '../../http/sending/content-coding.ts';
import { readSessionCookie } from '../../http/session-cookie.ts';
import { userPath } from '../../owners/owner-paths.ts';
import type { Brand, PageFrame, Viewer } from '../../web/shell/page-frame.ts';
import type { StaticPaths } from '../../web/shell/static-files.ts';
import type { FormTokens } from './form-token-http.ts';
import type { Caller, Identify } from './identify-http.ts';

export interface PageFrames {
  of(request: FastifyRequest, caller: Caller | null): PageFrame;
  /** For error pages: also works if the caller can't be identified. */
  ofErrorPage(request: FastifyRequest): Promise<PageFrame>;
  /** Value of `Content-Security-Policy` for pages. */
  policy: string;
  send(reply: FastifyReply, page: HtmlResponse): FastifyReply;
}

export function createPageFrames(deps: {
  assets: StaticPaths;
  originOf: OriginOf;
  identify: Identify;
  formTokens: FormTokens;
  /** Whether people sign in with a password of this server. */
  hasPasswords: boolean;
  /** The brand of the installation. */
  brand: () => Brand;
  brandOfWorkspace: (workspaceId: string) => Brand;
  downloadOrigins: readonly string[];
  now: () => number;
}): PageFrames {
  const policy = pagePolicy(deps.downloadOrigins);
  const frameOf = (request: FastifyRequest, caller: Caller | null): PageFrame => ({
    assets: deps.assets,
    viewer: caller ? viewerOf(caller) : null,
    origin: deps.originOf(request),
    now: deps.now(),
    brand: deps.brand(),
    brandOfWorkspace: deps.brandOfWorkspace,
    hasPasswords: deps.hasPasswords,
    get isReadOnly() {
      return caller?.actor.reading?.asAuditor === true;
    },
    get formToken() {
      return deps.formTokens.of(request, caller?.sessionToken ?? null);
    },
  });
  return {
    of: frameOf,
    ofErrorPage: async (request) => {
      const caller = await deps.identify.caller(request).catch(() => undefined);
      const viewerUnknown =
        caller === undefined &&
        readSessionCookie(request.cookies, () => deps.originOf(request)) !== undefined;
      return Object.assign(frameOf(request, caller ?? null), { viewerUnknown });
    },
    policy,
    send: (reply, { html: render, etag }) => {
      const { request } = reply;
      const isKnown = etag !== undefined && isKnownEtag(request.headers['if-none-match'], etag);
      const html = isKnown ? '' : render();
      reply
        .type('text/html; charset=utf-8')
        .header('Content-Security-Policy', policy)
        .header('Cache-Control', etag === undefined ? 'private, no-store' : 'private, no-cache')
        .header('Content-Language', currentLocale())
        .header('Vary', 'Accept-Encoding, Accept-Language');
      // A weak ETag, because links on the page are signed for one visit.
      if (etag !== undefined) reply.header('ETag', `W/${etag}`);
      if (isKnown) return reply.code(304).send();
      const cookie = html.includes('name="csrf"') ? deps.formTokens.cookieOf(request) : null;
      if (cookie) setCookies(reply, [cookie]);
      return reply.send(html);
    },
  };
}

/** Null for an API key: a page opened with a key offers no forms. */
function viewerOf(caller: Caller): Viewer | null {
  if (caller.actor.kind !== 'user' || caller.sessionToken === null || caller.mustChangePassword) return null;
  const { name, administrator } = caller.actor.user;
  return { name, administrator, address: userPath(name) };
}
