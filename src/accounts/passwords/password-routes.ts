import * as v from 'valibot';
import { conflict, FormInvalid, refuseFields } from '../../core/errors.ts';
import type { Connection } from '../../db/data.ts';
import { html } from '../../http/routes/answer.ts';
import { lenient, lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { User } from '../../owners/owner.ts';
import { localPath } from '../../web/components/safe-address.ts';
import type { AccountDeps } from '../account-deps-http.ts';
import { accountTexts } from '../account-texts.ts';
import type { Person } from '../authorization/identify-http.ts';
import { passwordPath } from '../profile/account-paths.ts';
import { accountQueries } from '../profile/account-queries.ts';
import { emailErrors } from '../profile/email-address.ts';
import { hasSession } from '../sessions/require-session.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { verifyOwnPassword } from './current-password.ts';
import { checkNewPassword, newPasswordErrors, newPasswordFields } from './new-password.ts';
import { passwordMatches } from './password.ts';
import { type PasswordPageProps, renderPasswordPage, renderWelcomePage } from './password-page.tsx';
import { ifPasswordsEnabled } from './passwords-disabled-http.ts';

const t = accountTexts.password;

/** Changes a password voluntarily, or replaces a temporary one. */
export function passwordRoutes(deps: AccountDeps): Route[] {
  const { access, accountAccess, data, setPassword, startSession } = deps;
  const signedIn = ifPasswordsEnabled(deps.passwords, access.signedIn);
  const isSignedIn = (person: Person) => async (tx: Connection) =>
    hasSession(tx, hashSessionToken(person.sessionToken), deps.now());
  const mustChange = {
    access: ifPasswordsEnabled(deps.passwords, accountAccess.mustChangePassword),
  } as const;
  return [
    defineRoute({
      method: 'GET',
      path: '/settings/password',
      summary: 'Show the form that changes your password',
      access: signedIn,
      query: { done: lenient(v.literal('changed')) },
      handle: async (context) =>
        html(await renderPassword(deps, context, { done: context.query.done ? t.changed : null })),
    }),
    defineRoute({
      method: 'POST',
      path: '/settings/password',
      page: '/settings/password',
      summary: 'Change your password',
      access: signedIn,
      // The form itself asks for the current password, which is stricter than a recent proof.
      reauthentication: false,
      form: { current: v.string(), ...newPasswordFields },
      handle: async ({ caller, subject: user, form, client }) => {
        checkNewPassword(form, [user.name, user.email]);
        const replaces = await verifyOwnPassword(
          deps,
          { user, sessionToken: caller.sessionToken },
          form.current,
        );
        if (replaces === null) throw new FormInvalid({ current: [t.wrong] });
        if (form.password === form.current) throw new FormInvalid({ password: [t.unchanged] });
        const change = { user, password: form.password, mustChange: false, by: caller.actor, replaces };
        const passwordHash = await setPassword({ ...change, first: isSignedIn(caller) });
        if (passwordHash === null) throw new FormInvalid({ current: [t.wrong] });
        const proof = { kind: 'new password', passwordHash } as const;
        return startSession(client, {
          userId: user.id,
          to: `${passwordPath}?done=changed`,
          way: null,
          proof,
        });
      },
      renderErrors: ({ errors }, context) => renderPassword(deps, context, { errors }),
    }),
    defineRoute({
      method: 'GET',
      path: '/welcome',
      summary: 'Show the form that replaces a temporary password',
      ...mustChange,
      query: { to: lenientText() },
      handle: async (context) => html(renderWelcome(deps, context, { errors: {}, email: '' })),
    }),
    defineRoute({
      method: 'POST',
      path: '/welcome',
      page: '/welcome',
      summary: 'Replace a temporary password',
      ...mustChange,
      // The temporary password was just entered and permits nothing else.
      reauthentication: false,
      query: { to: lenientText() },
      form: { ...newPasswordFields, email: v.optional(v.pipe(v.string(), v.trim()), '') },
      handle: async ({ caller, subject: user, form, query, client }) => {
        const email = needsEmail(user) ? form.email : '';
        refuseFields({ ...emailErrors(email), ...newPasswordErrors(form, [user.name, email || user.email]) });
        const account = await accountQueries(data).findAccount(user.id);
        const replaces = account?.passwordHash ?? null;
        if (await passwordMatches(replaces, form.password))
          throw new FormInvalid({ password: [t.unchanged] });
        const passwordHash = await data.refuseDuplicate(
          () =>
            setPassword({
              user,
              password: form.password,
              mustChange: false,
              by: caller.actor,
              expected: true,
              replaces,
              first: async (tx) =>
                (await isSignedIn(caller)(tx)) &&
                (email === '' || accountQueries(tx).setEmail(user.id, email, null, false)),
            }),
          () => new FormInvalid({ email: [accountTexts.profile.unusable] }),
        );
        if (passwordHash === null) throw conflict(accountTexts.signIn.changed);
        const proof = { kind: 'new password', passwordHash } as const;
        return startSession(client, { userId: user.id, to: localPath(query.to ?? null), way: null, proof });
      },
      renderErrors: async ({ errors, submitted }, context) =>
        renderWelcome(deps, context, { errors, email: submitted.email }),
    }),
  ];
}

async function renderPassword(
  { data }: AccountDeps,
  { frame, subject: user }: RouteContext<Person, User>,
  shown: Partial<Pick<PasswordPageProps, 'errors' | 'done'>>,
): Promise<string> {
  const account = await accountQueries(data).findAccount(user.id);
  return renderPasswordPage({
    frame,
    hasPassword: account?.passwordHash != null,
    errors: {},
    done: null,
    ...shown,
  });
}

function renderWelcome(
  { publicUrl }: AccountDeps,
  { frame, subject: user, query }: RouteContext<Person, User> & { query: { to?: string | undefined } },
  { errors, email }: { errors: FormInvalid['errors']; email: string },
): string {
  return renderWelcomePage({
    frame,
    to: localPath(query.to ?? null),
    email: needsEmail(user) ? email : null,
    suggestsPublicUrl: user.administrator && publicUrl === null,
    errors,
  });
}

/** Only the administrator created from the settings has no address: everyone else was given one or is asked for it by email. */
const needsEmail = (user: User) => user.administrator && user.email === null;
