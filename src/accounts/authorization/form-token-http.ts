/**
 * The CSRF token of every form. It binds the form to its session or, without a session, to a random cookie of the
 * browser (signed double submit, OWASP CSRF Prevention Cheat Sheet). Every response masks it with new random bytes, as Rails
 * and Django do: otherwise, the lengths of compressed pages would reveal how well a guess in the address matches it
 * (BREACH, https://breachattack.com/resources/BREACH%20-%20SSL,%20gone%20in%2030%20seconds.pdf, section 3.4).
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
    /** Masks the form tokens of this response. All of them share one pad, so they are equal and compress well. */
    formTokenPad?: Buffer;
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
  /** Used only while nobody is signed in. */
  cookie: string | null;
}

const plainName = 'slipway_form';
const wellFormed = /^[\w-]{22}$/;

/** Length of an HMAC-SHA-256. */
const tokenBytes = 32;
/** The pad, and the token XOR the pad, in base64url. */
const maskedToken = /^[\w-]{86}$/;

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
  const cookieFor = (request: FastifyRequest) => {
    const brought = submittedTokenOf(request);
    if (brought === null) request.newFormCookie ??= randomBytes(16).toString('base64url');
    return brought ?? request.newFormCookie ?? null;
  };
  return {
    of: (request, sessionToken) => {
      const cookie = sessionToken === null ? cookieFor(request) : null;
      request.formTokenPad ??= randomBytes(tokenBytes);
      return mask(tokens.issue(true, { sessionToken, cookie }), request.formTokenPad);
    },
    check: (request, sessionToken, token) => {
      const cookie = submittedTokenOf(request);
      const isOurs = sessionToken !== null || cookie !== null;
      const bare = unmask(token);
      if (!isOurs || bare === null || tokens.readExpired(bare, { sessionToken, cookie }) === null)
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

function mask(token: string, pad: Buffer): string {
  return Buffer.concat([pad, xor(Buffer.from(token, 'base64url'), pad)]).toString('base64url');
}

function unmask(text: string): string | null {
  if (!maskedToken.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  return xor(bytes.subarray(tokenBytes), bytes.subarray(0, tokenBytes)).toString('base64url');
}

const xor = (bytes: Buffer, pad: Buffer) => Buffer.from(bytes.map((byte, at) => byte ^ (pad[at] ?? 0)));
