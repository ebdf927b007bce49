import * as v from 'valibot';
import { type FieldErrors, NotFound, refusalOf, refuseFields } from '../../core/errors.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import type { Values } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { networkOf } from '../../limits/client-network.ts';
import { checkName } from '../../owners/owner.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import type { AccountDeps } from '../account-deps-http.ts';
import type { Invitation } from '../invitations/invitation.ts';
import { newPasswordErrors, newPasswordFields } from '../passwords/new-password.ts';
import { ifPasswordsEnabled } from '../passwords/passwords-disabled-http.ts';
import type { SessionStart } from '../sessions/start-session-http.ts';
import { emailErrors } from './email-address.ts';
import { type NewAccountFormProps, renderSignUpPage } from './sign-up-page.tsx';

const hourMs = 60 * 60_000;
/** Per network, because names and emails affect other people. */
const signUpsPerNetwork = {
  limit: 20,
  windowMs: hourMs,
  refusal: 'newAccounts',
} as const;
/** Per invited person: they may need several attempts to find an available name. */
const attemptsPerInvitation = {
  limit: 30,
  windowMs: hourMs,
  refusal: 'newAccounts',
} as const;

export const newAccountFields = {
  name: v.pipe(v.string(), v.trim()),
  email: v.optional(v.pipe(v.string(), v.trim()), ''),
  ...newPasswordFields,
};

/** Sign-up, if the settings open it to everyone. */
export function signUpRoutes(deps: AccountDeps): Route[] {
  const { access } = deps;
  // If sign-up is closed, the address does not exist.
  const open = ifPasswordsEnabled(deps.passwords, {
    ...access.anyone,
    authorize: async () => {
      if (!deps.signUpOpen) throw new NotFound();
      return null;
    },
  });
  const render = ({ frame }: RouteContext, shown: Pick<NewAccountFormProps, 'submitted' | 'errors'>) =>
    renderSignUpPage({
      frame,
      address: sitePaths.signUp,
      ...shown,
      email: deps.canSendMail ? 'confirmation' : 'none',
    });
  return [
    defineRoute({
      method: 'GET',
      path: '/sign-up',
      summary: 'Show the form that creates an account',
      access: open,
      handle: async (context) =>
        context.caller?.sessionToken
          ? redirect('/')
          : html(render(context, { submitted: { name: '', email: '' }, errors: {} })),
    }),
    defineRoute({
      method: 'POST',
      path: '/sign-up',
      page: '/sign-up',
      summary: 'Create an account',
      access: open,
      reauthentication: false,
      form: newAccountFields,
      handle: async ({ form, client }) => {
        const created = await createAccount(deps, client, form, null);
        return deps.startSession(client, { ...created, to: '/', way: 'new account' });
      },
      renderErrors: async (refusal, context) => render(context, refusal),
    }),
  ];
}

function nameErrors(name: string): FieldErrors {
  const refusal = refusalOf((text) => checkName('user', text), name);
  return refusal === undefined ? {} : { name: [refusal] };
}

/**
 * Creates the account and returns it with the proof for signing in to it. Throws `FormInvalid` for invalid fields and `NotFound`
 * for a used invitation.
 */
export async function createAccount(
  deps: AccountDeps,
  client: Client,
  form: Values<typeof newAccountFields>,
  invitation: Invitation | null,
): Promise<Pick<SessionStart, 'userId' | 'proof'>> {
  const { name, email, password } = form;
  refuseFields({
    ...nameErrors(name),
    ...emailErrors(email),
    ...newPasswordErrors(form, [name, email]),
  });
  const people = invitation?.link?.maxPeople ?? 1;
  if (invitation)
    await deps.attempts.count(['sign up', 'by', invitation.id], {
      ...attemptsPerInvitation,
      limit: attemptsPerInvitation.limit * people,
    });
  else await deps.attempts.countFrom(networkOf(client.address), ['sign up', 'from'], signUpsPerNetwork);
  const { user, passwordHash } = await deps.createAccount({
    name,
    password,
    email: email === '' ? null : email,
    invitation,
  });
  return { userId: user.id, proof: { kind: 'new password', passwordHash } };
}
