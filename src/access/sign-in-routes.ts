import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Data } from '../data.ts';
import { AppError, forbidden } from '../errors.ts';
import { renderingOf } from '../http/error-reply.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { localPath } from '../web/safe-address.ts';
import type { PageFrames } from './page-frames-http.ts';
import { passwordMatches } from './password.ts';
import {
  formTokenOf,
  hashSessionToken,
  newSessionToken,
  sessionCookie,
  sessionLifetimeMs,
} from './session.ts';
import { createSignInAttempts, pauseSeconds, type SignInAttempts } from './sign-in-attempts.ts';
import { renderSignInPage } from './sign-in-page.tsx';

export interface SignInRouteParts {
  data: Data;
  frames: PageFrames;
  originOf: OriginOf;
  now: () => number;
  /** Called after each sign-in: the file with the first passwords goes away with the first one. */
  onSignedIn: () => Promise<void>;
}

interface SignInForm {
  Body: { login?: unknown; password?: unknown; to?: unknown } | undefined;
}

/** A field that comes twice is a list; one with a zero in it is nobody's. */
function textOf(field: unknown): string {
  return typeof field === 'string' && !field.includes('\0') ? field : '';
}

const wrong = 'The name or the password is wrong.';

export function signInRoutes(parts: SignInRouteParts): RouteModule {
  const attempts = createSignInAttempts();
  return (server) => {
    server.get<{ Querystring: { to?: unknown } }>('/sign-in', async (request, reply) => {
      const caller = await parts.frames.callerOrNobody(request);
      const to = localPath(textOf(request.query.to));
      if (caller?.sessionToken) return reply.redirect(to ?? '/', 303);
      return parts.frames.send(reply, renderSignInPage({ frame: parts.frames.of(request, null), to }));
    });
    server.post<SignInForm>('/sign-in', (request, reply) => answerSignIn(parts, attempts, request, reply));
    server.post<{ Body: { csrf?: string } | undefined }>('/sign-out', async (request, reply) => {
      const token = request.cookies[sessionCookie];
      if (token) {
        if (request.body?.csrf !== formTokenOf(token))
          throw forbidden('the form has expired: open the page again');
        await parts.data.access.deleteSession(hashSessionToken(token));
      }
      return reply.clearCookie(sessionCookie, { path: '/' }).redirect('/', 303);
    });
  };
}

async function answerSignIn(
  parts: SignInRouteParts,
  attempts: SignInAttempts,
  request: FastifyRequest<SignInForm>,
  reply: FastifyReply,
) {
  const { data, frames, now } = parts;
  const login = textOf(request.body?.login);
  const password = textOf(request.body?.password);
  const to = localPath(textOf(request.body?.to));
  refuseForeignForm(parts, request);
  const frame = frames.of(request, null);
  try {
    attempts.check(login, request.ip, now());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const page = renderSignInPage({ frame, login, error: `${error.message}.`, to });
    reply.code(renderingOf(error.kind).status).header('Retry-After', pauseSeconds);
    return frames.send(reply, page);
  }
  // Counted before the slow part, so that guesses sent at once are no more than guesses sent in turn.
  attempts.failed(login, request.ip, now());
  const known = await data.owners.findUserForSignIn(login);
  if (!(await passwordMatches(known?.passwordHash ?? null, password)) || !known) {
    return frames.send(reply.code(401), renderSignInPage({ frame, login, error: wrong, to }));
  }
  attempts.succeeded(login, request.ip);
  const token = newSessionToken();
  const time = now();
  await data.access.deleteExpiredSessions(time);
  await data.access.insertSession({
    userId: known.user.id,
    tokenHash: hashSessionToken(token),
    createdAt: time,
    expiresAt: time + sessionLifetimeMs,
  });
  await parts.onSignedIn();
  return reply
    .setCookie(sessionCookie, token, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: frame.origin.startsWith('https:'),
      maxAge: sessionLifetimeMs / 1000,
    })
    .redirect(to ?? '/', 303);
}

/** Browsers name the site that a form comes from; one of another site may not sign anybody in. */
function refuseForeignForm(parts: SignInRouteParts, request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const named = origin !== undefined && origin !== 'null';
  if ((named && origin !== parts.originOf(request)) || site === 'cross-site') {
    throw forbidden('the form comes from another site');
  }
}
