import * as v from 'valibot';
import { passwordMatches } from '../../accounts/passwords/password.ts';
import { distributionPath } from '../../apps/app-paths.ts';
import { Forbidden, TooManyRequests } from '../../core/errors.ts';
import { redirect } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { pathCookie, readPathCookie } from '../../http/secure-cookies.ts';
import type { AttemptLimit, Attempts } from '../../limits/attempts.ts';
import { networkOf } from '../../limits/client-network.ts';
import { type DistributionPage, maxPasscodeLength } from '../distribution-page.ts';
import { gateTexts } from './gate-texts.ts';
import { admitted, type PageAccess, renderGate } from './page-access-http.ts';
import { type PasscodeTokens, passcodeCookie, passcodeTokenLifetimeMs } from './passcode-token.ts';

export interface PasscodeRouteDeps {
  pageAccess: PageAccess;
  passcodeTokens: PasscodeTokens;
  attempts: Attempts;
  now: () => number;
}

/** A limit, and what it counts. */
interface GuessLimit {
  subject: readonly string[];
  limit: AttemptLimit;
}

const dayMs = 24 * 60 * 60_000;
const t = gateTexts.passcode;
const perQuarter: AttemptLimit = {
  limit: 10,
  windowMs: 15 * 60_000,
  refusal: 'passcodes',
};
const perDay: AttemptLimit = {
  limit: 30,
  windowMs: dayMs,
  refusal: 'passcodesToday',
};
const unknownVisitorLimit: AttemptLimit = {
  limit: 500,
  windowMs: dayMs,
  refusal: 'passcodesOnPage',
};

/** Checks the passcode of a page and redirects to it with a cookie that opens this page only. */
export function passcodeRoutes(deps: PasscodeRouteDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/distributions/:accessKey/passcode',
      summary: 'Enter the passcode of a distribution page',
      access: deps.pageAccess,
      keyScope: 'read',
      reauthentication: false,
      page: '/distributions/:accessKey',
      form: {
        passcode: v.pipe(
          v.string(),
          v.trim(),
          v.maxLength(maxPasscodeLength, () => t.wrong),
        ),
      },
      handle: async (visit) => {
        const { subject, client, params, form } = visit;
        const path = distributionPath(params.accessKey);
        if (subject.gate === null || subject.gate.kind !== 'passcode')
          return admitted(async () => redirect(path))(visit);
        const { gatedPage: page } = subject;
        const token = await takePasscode(deps, client, page, form.passcode);
        return redirect(path, {
          cookies: [pathCookie(client.origin, { ...passcodeCookie, path, value: token })],
        });
      },
      renderedErrorKinds: ['forbidden', 'too_many'],
      renderErrors: async ({ error, errors }, { subject, frame }) => {
        // The passcode is only checked if the page asks for it.
        if (subject.gate === null) throw error;
        return renderGate({ frame, subject }, errors.passcode?.[0] ?? error.sentence);
      },
    }),
  ];
}

/** Returns a token. Throws `Forbidden` for a wrong passcode, and `TooManyRequests`. */
async function takePasscode(
  { attempts, passcodeTokens, now }: PasscodeRouteDeps,
  client: Client,
  page: DistributionPage,
  given: string,
): Promise<string> {
  const limits = guessLimits(passcodeTokens, client, page);
  const logRefusal = (why: 'wrong' | 'paused') =>
    client.log.warn({ event: 'passcode.refused', network: networkOf(client.address), why }, 'wrong passcode');
  try {
    await countAll(attempts, limits);
  } catch (error) {
    if (error instanceof TooManyRequests) logRefusal('paused');
    throw error;
  }
  if (!(await passwordMatches(page.passcodeHash, given))) {
    logRefusal('wrong');
    throw new Forbidden(t.wrong);
  }
  for (const { subject, limit } of limits) {
    // For a shared limit, refunds only this attempt.
    await (limit === unknownVisitorLimit ? attempts.refund(subject) : attempts.reset(subject));
  }
  return passcodeTokens.issue({ expiresAt: now() + passcodeTokenLifetimeMs }, page);
}

/**
 * A browser that has entered this passcode before has its own attempts, which nobody else can use up; with a valid token it needs
 * none. All others count per network and in total, because a few hundred networks could otherwise guess a four-digit passcode.
 * The downside: an attacker with that many networks can lock out new browsers for a day. A new link or passcode resets the count
 * of the page.
 */
function guessLimits(
  passcodeTokens: PasscodeTokens,
  { origin, cookies, address }: Client,
  page: DistributionPage,
) {
  const ownToken = readPathCookie(origin, cookies, passcodeCookie);
  const isKnown = ownToken !== undefined && passcodeTokens.readExpired(ownToken, page) !== null;
  const guesser = isKnown ? ['browser', ownToken] : ['network', networkOf(address)];
  const own = ['passcode', page.id, ...guesser];
  const limits: GuessLimit[] = [
    { subject: own, limit: perQuarter },
    { subject: [...own, 'day'], limit: perDay },
  ];
  const asShared = ['passcode', page.id, page.accessKey, page.passcodeHash ?? ''];
  return isKnown ? limits : [...limits, { subject: asShared, limit: unknownVisitorLimit }];
}

/** Counts one attempt for every limit, or for none if any limit is exhausted. */
async function countAll(attempts: Attempts, limits: readonly GuessLimit[]): Promise<void> {
  const counted: GuessLimit[] = [];
  try {
    for (const one of limits) {
      await attempts.count(one.subject, one.limit);
      counted.push(one);
    }
  } catch (error) {
    for (const { subject } of counted) await attempts.refund(subject);
    throw error;
  }
}
