import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Attempts } from '../access/attempts.ts';
import { networkOf } from '../access/client-network.ts';
import { passwordMatches } from '../access/password.ts';
import { distributionPath } from '../apps/addresses.ts';
import { AppError } from '../errors.ts';
import { renderingOf } from '../http/error-reply.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { setPartCookie } from '../http/secure-cookies.ts';
import { maxPasscodeLength } from './distribution-page.ts';
import type { PageAccess } from './page-access-http.ts';
import { type PasscodePasses, passcodeCookie } from './passcode-pass.ts';

export interface PasscodeRouteParts {
  pageAccess: PageAccess;
  passes: PasscodePasses;
  attempts: Attempts;
  originOf: OriginOf;
  now: () => number;
}

interface PasscodeForm {
  Params: { accessKey: string };
  Body: { passcode?: unknown } | undefined;
}

const pauseSeconds = 15 * 60;
/** From one address; and for the page from all addresses together, against guesses from many. */
const guessesByAddress = {
  most: 10,
  windowMs: pauseSeconds * 1000,
  refusal: 'too many wrong passcodes: try again in a quarter of an hour',
};
const guessesByPage = { ...guessesByAddress, most: 200 };
/** Four digits would last three weeks. */
const guessesByPageAndDay = { ...guessesByAddress, most: 500, windowMs: 24 * 60 * 60_000 };

/** Takes the passcode of a page, and leads back to it with a cookie that opens this page alone. */
export function passcodeRoutes(parts: PasscodeRouteParts): RouteModule {
  return (server) => {
    server.post<PasscodeForm>('/distributions/:accessKey/passcode', (request, reply) =>
      answerPasscode(parts, request, reply),
    );
  };
}

async function answerPasscode(
  parts: PasscodeRouteParts,
  request: FastifyRequest<PasscodeForm>,
  reply: FastifyReply,
) {
  const { pageAccess, attempts } = parts;
  const { accessKey } = request.params;
  const path = distributionPath(accessKey);
  const { visit, standing } = await pageAccess.standing(request, accessKey);
  if (standing.kind === 'admitted') return reply.redirect(path, 303);
  if (standing.kind !== 'passcode') {
    await pageAccess.refuse(request, reply, visit, standing);
    return reply;
  }
  const subject = ['passcode', visit.page.id, networkOf(request.ip)];
  const ofPage = ['passcode', visit.page.id];
  const ofPageToday = ['passcode', visit.page.id, 'today'];
  try {
    await attempts.count(subject, guessesByAddress);
    await attempts.count(ofPage, guessesByPage);
    await attempts.count(ofPageToday, guessesByPageAndDay);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'too_many') throw error;
    reply.header('Retry-After', pauseSeconds);
    await pageAccess.refuse(request, reply, visit, standing, {
      status: renderingOf(error.kind).status,
      sentence: 'Too many wrong passcodes. Try again in a quarter of an hour.',
    });
    return reply;
  }
  const given = typeof request.body?.passcode === 'string' ? request.body.passcode.trim() : '';
  const known = given.length <= maxPasscodeLength && (await passwordMatches(visit.page.passcodeHash, given));
  if (!known) {
    await pageAccess.refuse(request, reply, visit, standing, {
      status: 403,
      sentence: 'That is not the passcode of this page.',
    });
    return reply;
  }
  // The page's counts are those of everybody: a right passcode takes its own try back, and no more.
  await attempts.forgive(subject);
  await attempts.giveBack(ofPage);
  await attempts.giveBack(ofPageToday);
  const value = parts.passes.issue(visit.page, parts.now());
  const cookie = { ...passcodeCookie, path, value };
  return setPartCookie(parts.originOf, request, reply, cookie).redirect(path, 303);
}
