/**
 * The CSRF token of every form. It binds the form to its session or, without a session, to a random cookie of the
 * browser (signed double submit, OWASP CSRF Prevention Cheat Sheet).
 */

import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Forbidden } from '../../core/errors.ts';
import type { ServerSecret } from '../../core/signature.ts';
import { createTokenCodec, noFields } from '../../core/signed-token.ts';
import type { OriginOf } from '../../http/request-origin.ts';
import type { CookieChange } from '../../http/routes/answer.ts';
import { accountTexts } from '../account-texts.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Created for this request and set with its page; absent if the browser sent one or needs none. */
    newFormCookie?: string;
  }
}

export interface FormTokens {
  /** `sessionToken`: null if nobody is signed in. */
  of(request: FastifyRequest, sessionToken: string | null): string;
  /** Throws `Forbidden`. */
  check(request: FastifyRequest, sessionToken: string | null, token: string): void;
  /** The cookie that the page must set; null if none is needed. */
  cookieOf(request: FastifyRequest): CookieChange | null;
}

interface ShownIn {
  sessionToken: string | null;
  /** Counts only where nobody is signed in. */
  cookie: string | null;
}

const plainName = 'slipway_form';
const wellFormed = /^[\w-]{22}$/;

export function createFormTokens({
  secret,
  originOf,
}: {
  secret: ServerSecret;
  originOf: OriginOf;
}): FormTokens {
  const tokens = createTokenCodec(secret, 'form token', {
    ...noFields,
    message: (_fields, { sessionToken, cookie }: ShownIn) =>
      sessionToken === null ? `browser\0${cookie}` : `session\0${sessionToken}`,
  });
  const isSecure = (request: FastifyRequest) => originOf(request).startsWith('https:');
  const nameAt = (request: FastifyRequest) => (isSecure(request) ? `__Host-${plainName}` : plainName);
  const submittedTokenOf = (request: FastifyRequest) => {
    const value = request.cookies[nameAt(request)];
    return value !== undefined && wellFormed.test(value) ? value : null;
  };
  return {
    of: (request, sessionToken) => {
      if (sessionToken !== null) return tokens.issue(true, { sessionToken, cookie: null });
      const brought = submittedTokenOf(request);
      if (brought === null) request.newFormCookie ??= randomBytes(16).toString('base64url');
      const cookie = brought ?? request.newFormCookie ?? null;
      return tokens.issue(true, { sessionToken, cookie });
    },
    check: (request, sessionToken, token) => {
      const cookie = submittedTokenOf(request);
      const isOurs = sessionToken !== null || cookie !== null;
      if (!isOurs || tokens.readExpired(token, { sessionToken, cookie }) === null)
        throw new Forbidden(accountTexts.signIn.formExpired);
    },
    cookieOf: (request) =>
      request.newFormCookie === undefined
        ? null
        : {
            name: nameAt(request),
            value: request.newFormCookie,
            path: '/',
            sameSite: 'lax' as const,
            secure: isSecure(request),
          },
  };
}
