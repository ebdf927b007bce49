import * as v from 'valibot';
import type { Data } from '../../db/data.ts';
import { type Answer, html, redirect } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { lenient, lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { clearSessionCookie } from '../../http/session-cookie.ts';
import type { AttemptLimit, Attempts } from '../../limits/attempts.ts';
import { emailKey } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { localPath } from '../../web/components/safe-address.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { stampOf } from '../access/account-state.ts';
import { accountStateQueries } from '../access/account-state-queries.ts';
import { accountTexts } from '../account-texts.ts';
import { passwordMatches } from '../passwords/password.ts';
import { ifPasswordsEnabled } from '../passwords/passwords-disabled-http.ts';
import type { AfterPassword } from '../second-factor/second-step-http.ts';
import type { SignOnChoice } from '../single-sign-on/single-sign-on-button.tsx';
import { singleSignOnTexts } from '../single-sign-on/single-sign-on-texts.ts';
import type { CountGuess, GuessLimits } from './attempt-limits.ts';
import type { DirectorySignIn, Entered } from './directory-sign-in-http.ts';
import type { KnownBrowsers } from './known-browser-http.ts';
import type { SignInAccess } from './sign-in-access-http.ts';
import type { SignInLog } from './sign-in-log-http.ts';
import { renderSignInPage, type SignInPageProps } from './sign-in-page.tsx';

export interface SignInRouteDeps {
  data: Data;
  attempts: Attempts;
  countGuess: CountGuess;
  knownBrowsers: KnownBrowsers;
  access: SignInAccess;
  signIns: SignInLog;
  /** Starts the session, or asks for the second factor first. */
  afterPassword: AfterPassword;
  /** Null without a directory. */
  directory: DirectorySignIn | null;
  signUpOpen: boolean;
  /** Returns where the browser continues if the session also ends elsewhere. */
  continueSignOut(client: Client, sessionToken: string): Promise<Answer | null>;
  /** Whether people sign in with a password of this server. */
  passwords: boolean;
  /** The single sign-on providers. */
  providers: readonly SignOnChoice[];
}

const windowMs = 15 * 60_000;
const limitOf = (limit: number): AttemptLimit => ({ limit, windowMs, refusal: 'signIns' });
/** Limits trying one password with many names. */
const guessesPerNetwork = limitOf(300);
const fromNetwork = ['sign-in', 'from'];
export const passwordGuesses: GuessLimits = {
  name: 'password',
  known: [limitOf(20)],
  network: [limitOf(10)],
  elsewhere: limitOf(100),
  account: null,
};

/** Sign-in with a password, and sign-out. */
export function signInRoutes(deps: SignInRouteDeps): Route[] {
  const { access, signIns, signUpOpen, passwords, providers } = deps;
  const render = (frame: PageFrame, shown: Partial<SignInPageProps>) =>
    renderSignInPage({ frame, signUpOpen, passwords, providers, ...shown });
  const path = sitePaths.signIn;
  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'Show the sign-in page',
      access: access.signIn,
      query: { to: lenientText(), done: lenient(v.literal('password')) },
      handle: async ({ subject: onward, query, frame }) => {
        const to = localPath(query.to);
        if (onward) return redirect(onward(to));
        return html(render(frame, { to, done: query.done ? accountTexts.reset.done : null }));
      },
    }),
    defineRoute({
      method: 'POST',
      path,
      summary: 'Sign in with a password',
      access: ifPasswordsEnabled(passwords, access.signIn),
      reauthentication: false,
      form: {
        login: v.optional(v.string(), ''),
        password: v.optional(v.string(), ''),
        to: v.optional(v.string(), ''),
      },
      handle: async ({ client, form: { login, password, to: submittedTo }, frame }) => {
        const to = localPath(submittedTo);
        const found = await verifySignInPassword(deps, client, { login, password, to });
        if (found.kind === 'known') return deps.afterPassword(client, { to, ...found, way: 'password' });
        const { kind: why } = found;
        signIns.refused(client, { way: 'password', why, claimed: { login } });
        const status = { wrong: 401, unreachable: 503, denied: 403, refused: 403 }[why];
        return html(render(frame, { login, error: errorOf(found), to }), { status });
      },
      renderErrors: async ({ error, submitted: { login, to } }, { client, frame }) => {
        signIns.refused(client, { way: 'password', why: 'paused', claimed: { login } });
        return render(frame, { login, error: error.sentence, to: localPath(to) });
      },
      renderedErrorKinds: ['too_many'],
    }),
    defineRoute({
      method: 'POST',
      path: '/sign-out',
      page: '/',
      summary: 'Sign out',
      access: access.signOut,
      reauthentication: false,
      form: {},
      handle: async ({ caller, client }) => {
        const token = caller?.sessionToken;
        const onward = (token && (await deps.continueSignOut(client, token))) || redirect('/');
        if (token) await signIns.signOut(client, token);
        return { ...onward, cookies: [clearSessionCookie(client.origin), ...(onward.cookies ?? [])] };
      },
    }),
  ];
}

type SignInAttempt = { login: string; password: string; to: string | null };

function errorOf(found: Exclude<Entered, { kind: 'known' }>): string {
  if (found.kind === 'wrong') return accountTexts.signIn.wrong;
  const { provider } = found;
  if (found.kind === 'unreachable') return accountTexts.signIn.directoryDown({ provider });
  if (found.kind === 'denied') return accountTexts.signIn.denied[found.why]({ provider });
  const { line } = singleSignOnTexts.errors[found.why];
  return typeof line === 'string' ? line : line({ provider });
}

/**
 * Checks the password of this server first, so that administrators can sign in while the directory is down. Takes equally long for
 * an unknown login. Throws `TooManyRequests`.
 */
async function verifySignInPassword(
  { data, attempts, countGuess, knownBrowsers, directory }: SignInRouteDeps,
  client: Client,
  attempt: SignInAttempt,
): Promise<Entered> {
  const { login, password } = attempt;
  const userId = (await ownerQueries(data).findUserForSignIn(login))?.user.id ?? null;
  const state = await accountStateQueries(data).find(userId ?? '');
  const account = userId !== null && state !== null ? { id: userId, stamp: stampOf(state) } : null;
  const place = knownBrowsers.placeOf(client, account);
  // Attempts from a known browser don't count against its network.
  if (place.known === null) await attempts.countFrom(place.network, fromNetwork, guessesPerNetwork);
  // Unknown names are counted too, so that the responses do not differ.
  const right = await countGuess(passwordGuesses, { name: userId ?? emailKey(login), userId }, place);
  const matches = await passwordMatches(state?.passwordHash ?? null, password);
  const entered: Entered =
    matches && account !== null
      ? { kind: 'known', userId: account.id, proof: { kind: 'password', stamp: account.stamp } }
      : ((await directory?.enter(client, attempt)) ?? { kind: 'wrong' });
  if (entered.kind === 'wrong' || entered.kind === 'unreachable') return entered;
  await right();
  // People in one network sign in without using up its guesses.
  if (place.known === null) await attempts.refundFrom(place.network, fromNetwork);
  return entered;
}
