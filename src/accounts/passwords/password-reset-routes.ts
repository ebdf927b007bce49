import * as v from 'valibot';
import { NotFound, TooManyRequests } from '../../core/errors.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { installation } from '../../jobs/outbox.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { networkOf } from '../../limits/client-network.ts';
import { emailKey, maxLoginLength } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import type { AccountDeps } from '../account-deps-http.ts';
import { accountTexts } from '../account-texts.ts';
import { keyQueries } from '../keys/key-queries.ts';
import { hashResetToken, passwordResetLifetimeMs } from '../profile/account-email.ts';
import { ownKeysPath } from '../profile/account-paths.ts';
import { accountQueries } from '../profile/account-queries.ts';
import { trustedPublisherQueries } from '../trusted-publishing/trusted-publisher-queries.ts';
import { checkNewPassword, type NewPasswordErrors, newPasswordFields } from './new-password.ts';
import { renderForgotPage, renderResetPage } from './password-reset-page.tsx';
import { ifPasswordsEnabled } from './passwords-disabled-http.ts';

const hourMs = 60 * 60_000;
/** Per network, so that nobody can use up the account owner's requests. */
const requestsPerLogin = {
  limit: 5,
  windowMs: hourMs,
  refusal: 'passwordResets',
} as const;

/** Across all networks, so that nobody can flood a mailbox. */
const emailsPerLogin = {
  limit: 20,
  windowMs: hourMs,
  refusal: 'passwordResets',
} as const;

/** Password reset by email. */
export function passwordResetRoutes(deps: AccountDeps): Route[] {
  const { access, data } = deps;
  const everyone = {
    access: ifPasswordsEnabled(deps.passwords, access.anyone),
    reauthentication: false,
  } as const;
  const find = (token: string) => accountQueries(data).findReset(hashResetToken(token), deps.now());
  const withLink = {
    ...access.anyone,
    roles: ['link holder'],
    credentials: ['link'],
    // Only the link counts, not who is signed in.
    identify: async () => null,
  } as const;
  const forgot = ({ frame }: RouteContext, state: 'ask' | 'sent') =>
    renderForgotPage({ frame, state: deps.canSendMail ? state : 'no-mail' });
  return [
    defineRoute({
      method: 'GET',
      path: '/forgot-password',
      summary: 'Show the form that requests a password reset link',
      access: everyone.access,
      handle: async (context) => html(forgot(context, 'ask')),
    }),
    defineRoute({
      method: 'POST',
      path: '/forgot-password',
      page: '/forgot-password',
      summary: 'Request a password reset link by email',
      ...everyone,
      rateLimit: {
        name: 'forgotten password',
        limit: 20,
        windowMs: hourMs,
        per: 'network',
        refusal: 'passwordResets',
      },
      form: {
        login: v.pipe(
          v.string(),
          v.trim(),
          v.nonEmpty(() => accountTexts.forgot.loginError),
          v.maxLength(maxLoginLength, () => accountTexts.forgot.loginLong({ limit: maxLoginLength })),
        ),
      },
      handle: async (context) => {
        await requestEmail(deps, context.form.login, networkOf(context.client.address));
        return html(forgot(context, 'sent'));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/reset-password/:token',
      summary: 'Show the form that sets a new password',
      access: ifPasswordsEnabled(deps.passwords, {
        ...withLink,
        authorize: async (_caller: unknown, { token }: { token: string }) => find(token),
      }),
      handle: async ({ subject: reset, params, frame }) =>
        html(renderReset(frame, params.token, reset, {}), { status: reset ? 200 : 404 }),
    }),
    defineRoute({
      method: 'POST',
      path: '/reset-password/:token',
      page: '/reset-password/:token',
      summary: 'Set a new password',
      access: ifPasswordsEnabled(deps.passwords, {
        ...withLink,
        authorize: async (_caller: unknown, { token }: { token: string }) => {
          const reset = await find(token);
          const user = reset && (await ownerQueries(data).findOwnerById(reset.userId));
          if (user?.kind !== 'user') throw gone();
          return user;
        },
      }),
      // The link itself is the proof; the person signs in afterwards.
      reauthentication: false,
      form: newPasswordFields,
      handle: async ({ subject: user, params, form }) => {
        checkNewPassword(form, [user.name, user.email]);
        const tokenHash = hashResetToken(params.token);
        const done = await deps.setPassword({
          user,
          password: form.password,
          mustChange: false,
          by: { kind: 'user', user },
          first: (tx) => accountQueries(tx).useReset(tokenHash, deps.now()),
        });
        if (!done) throw gone();
        const keys = await keyQueries(data).countUsableKeys(user.id, deps.now());
        const publishers = await trustedPublisherQueries(data).list(user.id);
        // Anyone who knew the old password may have created some, so the person reviews them after signing in.
        const onward =
          keys + publishers.length > 0 ? `&to=${encodeURIComponent(`${ownKeysPath}?review=reset`)}` : '';
        return redirect(`${sitePaths.signIn}?done=password${onward}`);
      },
      renderErrors: async ({ errors }, { subject: user, params, frame }) =>
        renderReset(frame, params.token, { userName: user.name }, errors),
    }),
  ];
}

/** Does the same work for every login: the email job finds out later whether an account exists. */
async function requestEmail(deps: AccountDeps, login: string, network: string): Promise<void> {
  if (!deps.canSendMail) return;
  const subject = ['forgotten password', 'for', emailKey(login)];
  await deps.attempts.count([...subject, network], requestsPerLogin);
  try {
    await deps.attempts.count(subject, emailsPerLogin);
  } catch (error) {
    // After that many emails within an hour, the mailbox already contains a valid link.
    if (error instanceof TooManyRequests) return;
    throw error;
  }
  const now = deps.now();
  const accountEmail = { about: 'password-reset', login } as const;
  await outboxQueries(deps.data).add(
    installation,
    { kind: 'send-account-email', accountEmail, until: now + passwordResetLifetimeMs },
    now,
  );
  deps.wakeOutbox();
}

const gone = () => new NotFound(accountTexts.reset.goneTitle);

/** A null `reset` means that the link has expired or was used. */
function renderReset(
  frame: PageFrame,
  token: string,
  reset: { userName: string } | null,
  errors: NewPasswordErrors,
): string {
  return renderResetPage({ frame, reset: reset && { token, userName: reset.userName }, errors });
}
