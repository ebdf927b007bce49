import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Data } from '../data.ts';
import { AppError } from '../errors.ts';
import { renderingOf } from '../http/error-reply.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { clientOf } from '../http/routes/client.ts';
import { setCookies } from '../http/secure-cookies.ts';
import { accountTexts } from '../web/account-texts.ts';
import { localPath } from '../web/safe-address.ts';
import { securityPath, welcomePath } from './account-addresses.ts';
import type { Attempts } from './attempts.ts';
import { networkOf } from './client-network.ts';
import type { Identify } from './identify-http.ts';
import type { PageFrames } from './page-frames-http.ts';
import { passwordMatches } from './password.ts';
import { checkFormOrigin } from './route-guards-http.ts';
import { clearSessionCookie, readSessionCookie } from './session-cookie-http.ts';
import type { SignInLog } from './sign-in-log-http.ts';
import { renderSignInPage } from './sign-in-page.tsx';
import type { AnswerWithSession } from './start-session-http.ts';

export interface SignInRouteParts {
  data: Data;
  attempts: Attempts;
  frames: PageFrames;
  identify: Identify;
  originOf: OriginOf;
  signIns: SignInLog;
  /** Gives the session, or asks for the second factor first. */
  afterPassword: AnswerWithSession;
  signUpOpen: boolean;
  /** Whether people sign in with a password of this server. */
  passwords: boolean;
  /** What the provider of single sign-on is called; null when none is set. */
  provider: string | null;
}

interface SignInForm {
  Body: { login?: unknown; password?: unknown; to?: unknown } | undefined;
}

/** A field that comes twice is a list; one with a zero in it is nobody's. */
function textOf(field: unknown): string {
  return typeof field === 'string' && !field.includes('\0') ? field : '';
}

const wrong = 'The name or the password is wrong.';
const pauseSeconds = 15 * 60;
const guesses = {
  most: 10,
  windowMs: pauseSeconds * 1000,
  refusal: 'too many failed sign-ins: try again in a quarter of an hour',
};
/** Against guesses of one password for many names, and of many for one name from many places. */
const guessesFromNetwork = { ...guesses, most: 300 };
const guessesForAccount = { ...guesses, most: 100 };

export function signInRoutes(parts: SignInRouteParts): RouteModule {
  const { frames, signUpOpen, passwords, provider } = parts;
  return (server) => {
    server.get<{ Querystring: { to?: unknown; done?: unknown } }>('/sign-in', async (request, reply) => {
      const caller = await frames.callerOrNobody(request);
      const to = localPath(textOf(request.query.to));
      if (caller?.sessionToken) return reply.redirect(to ?? '/', 303);
      if (await parts.identify.newcomer(request)) return reply.redirect(welcomePath(to), 303);
      if (await parts.identify.unprotected(request)) return reply.redirect(securityPath(to), 303);
      const done = request.query.done === 'password' ? accountTexts.reset.done : null;
      const frame = frames.of(request, null);
      return frames.send(reply, renderSignInPage({ frame, to, signUpOpen, passwords, provider, done }));
    });
    server.post<SignInForm>('/sign-in', (request, reply) => answerSignIn(parts, request, reply));
    server.post<{ Body: { csrf?: string } | undefined }>('/sign-out', async (request, reply) => {
      const token = readSessionCookie(request.cookies, () => parts.originOf(request));
      if (token) {
        await parts.signIns.signOut(clientOf(request, parts.originOf), token);
      }
      return setCookies(reply, [clearSessionCookie(parts.originOf(request))]).redirect('/', 303);
    });
  };
}

async function answerSignIn(
  parts: SignInRouteParts,
  request: FastifyRequest<SignInForm>,
  reply: FastifyReply,
) {
  const login = textOf(request.body?.login);
  const to = localPath(textOf(request.body?.to));
  checkFormOrigin(parts.originOf, request);
  const refuse = (error: string) => {
    const frame = parts.frames.of(request, null);
    const { signUpOpen, provider } = parts;
    const page = renderSignInPage({ frame, login, error, to, signUpOpen, provider });
    return parts.frames.send(reply, page);
  };
  try {
    const userId = await provePassword(parts, request, login, textOf(request.body?.password));
    if (userId === null) {
      parts.signIns.refused(clientOf(request, parts.originOf), {
        way: 'password',
        why: 'wrong',
        meant: { login },
      });
      reply.code(401);
      return refuse(wrong);
    }
    const answer = await parts.afterPassword(clientOf(request, parts.originOf), {
      userId,
      to,
      way: 'password',
    });
    return setCookies(reply, answer.cookies ?? []).redirect(answer.location, 303);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'too_many') throw error;
    parts.signIns.refused(clientOf(request, parts.originOf), {
      way: 'password',
      why: 'paused',
      meant: { login },
    });
    reply.code(renderingOf(error.kind).status).header('Retry-After', pauseSeconds);
    return refuse(`${error.message}.`);
  }
}

/** Id of who has that login and that password; takes as long to answer null for a login that nobody has. Throws `too_many`. */
async function provePassword(
  { data, attempts }: SignInRouteParts,
  request: FastifyRequest,
  login: string,
  password: string,
): Promise<string | null> {
  const network = networkOf(request.ip);
  const subject = ['sign-in', network, login.toLowerCase()];
  await attempts.count(['sign-in', 'from', network], guessesFromNetwork);
  await attempts.count(subject, guesses);
  const known = await data.owners.findUserForSignIn(login);
  // A name that nobody has is counted all the same, so that the answers stay alike.
  const account = ['sign-in', 'for', known?.user.id ?? login.toLowerCase()];
  await attempts.count(account, guessesForAccount);
  if (!(await passwordMatches(known?.passwordHash ?? null, password)) || !known) return null;
  await attempts.forgive(subject);
  await attempts.forgive(account);
  return known.user.id;
}
