import * as v from 'valibot';
import { AppError, FormInvalid, NotFound } from '../../core/errors.ts';
import { languageCodes } from '../../core/language/languages.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { doneSentence } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import type { User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { AccountDeps } from '../account-deps-http.ts';
import { accountTexts } from '../account-texts.ts';
import type { Person } from '../authorization/identify-http.ts';
import { ifPasswordsEnabled } from '../passwords/passwords-disabled-http.ts';
import { identityQueries } from '../single-sign-on/identity-queries.ts';
import { ldapIssuer } from '../single-sign-on/provider-identity.ts';
import type { SignOn } from '../single-sign-on/single-sign-on-deps-http.ts';
import { findUnlinkBlockedReason } from '../single-sign-on/single-sign-on-link-routes.ts';
import { singleSignOnTexts } from '../single-sign-on/single-sign-on-texts.ts';
import { emailChangeLifetimeMs } from './account-email.ts';
import { profilePath } from './account-paths.ts';
import { accountQueries } from './account-queries.ts';
import { changeEmail } from './change-email.ts';
import { isMailAddress } from './email-address.ts';
import { type ProfilePageProps, renderEmailChangePage, renderProfilePage } from './profile-page.tsx';

const t = accountTexts.profile;
const successMessages = () => ({
  changed: t.changed,
  language: t.languageSaved,
  linked: singleSignOnTexts.section.linked,
  unlinked: singleSignOnTexts.section.unlinked,
});

/** The profile page: name and email address. */
export function profileRoutes(deps: AccountDeps): Route[] {
  const { access } = deps;
  const page = { method: 'GET', access: access.signedIn } as const;
  const form = { method: 'POST', reauthentication: true } as const;
  return [
    defineRoute({
      ...page,
      path: '/settings',
      summary: 'Show your profile',
      query: { done: doneSentence(successMessages) },
      handle: async (context) => html(await renderProfile(deps, context, context.query)),
    }),
    defineRoute({
      ...form,
      path: '/settings/email/change',
      page: '/settings',
      summary: 'Change your email address',
      access: ifPasswordsEnabled(deps.passwords, access.signedIn),
      // Limits emails to people without an account or, on servers without email, probing for accounts.
      rateLimit: {
        name: 'e-mail change',
        limit: 5,
        windowMs: 24 * 60 * 60_000,
        per: 'caller',
        refusal: 'emailChanges',
      },
      form: {
        email: v.pipe(
          v.string(),
          v.trim(),
          v.check(isMailAddress, () => accountTexts.signUp.emailError),
        ),
      },
      handle: async (context) => {
        const { caller, subject: user, form } = context;
        if (form.email === user.email && (user.emailConfirmed || !deps.canSendMail))
          throw new FormInvalid({ email: [t.same] });
        if (deps.canSendMail) {
          await requestConfirmation(deps, user, form.email);
          return html(await renderProfile(deps, context, { done: t.asked({ email: form.email }) }));
        }
        const { actor: by, sessionToken } = caller;
        const change = { email: form.email, confirmed: false, by, sessionToken };
        await changeEmail(deps, user, change).catch((error: unknown) => {
          if (error instanceof AppError && error.kind === 'conflict')
            throw new FormInvalid({ email: [t.unusable] });
          throw error;
        });
        return redirect(`${profilePath}?done=changed`);
      },
      renderErrors: ({ errors, submitted }, context) =>
        renderProfile(deps, context, { errors, email: submitted.email }),
    }),
    defineRoute({
      method: 'POST',
      path: '/settings/language/change',
      page: '/settings',
      summary: 'Choose your language',
      access: access.signedIn,
      reauthentication: false,
      form: { language: v.picklist(['', ...languageCodes]) },
      handle: async ({ subject: user, form }) => {
        await accountQueries(deps.data).setLanguage(user.id, form.language === '' ? null : form.language);
        return redirect(`${profilePath}?done=language`);
      },
    }),
    defineRoute({
      ...page,
      path: '/settings/email/:token',
      summary: 'Show the confirmation of a new email address',
      handle: async ({ subject: user, params, frame }) => {
        const email = readConfirmation(deps, user, params.token);
        const change = email === null ? null : { token: params.token, email };
        const page = renderEmailChangePage({ frame, name: user.name, change });
        return html(page, { status: change ? 200 : 404 });
      },
    }),
    defineRoute({
      ...form,
      path: '/settings/email/:token/confirm',
      page: '/settings/email/:token',
      summary: 'Confirm a new email address',
      access: access.signedIn,
      form: {},
      handle: async ({ caller, subject: user, params }) => {
        const email = readConfirmation(deps, user, params.token);
        if (email === null) throw new NotFound(t.goneTitle);
        const { actor: by, sessionToken } = caller;
        await changeEmail(deps, user, { email, confirmed: true, by, sessionToken });
        return redirect(`${profilePath}?done=changed`);
      },
    }),
  ];
}

async function renderProfile(
  deps: AccountDeps,
  { frame, subject: user }: RouteContext<Person, User>,
  shown: Partial<Pick<ProfilePageProps, 'email' | 'errors' | 'done'>>,
): Promise<string> {
  return renderProfilePage({
    frame,
    name: user.name,
    email: user.email ?? '',
    language: await ownerQueries(deps.data).findLanguage(user.id),
    byEmail: deps.canSendMail,
    passwords: deps.passwords,
    singleSignOn: await singleSignOnOf(deps, frame, user.id),
    errors: {},
    done: null,
    ...shown,
  });
}

/** Null if no provider is configured and no identity is linked. */
async function singleSignOnOf(
  deps: AccountDeps,
  frame: PageFrame,
  userId: string,
): Promise<ProfilePageProps['singleSignOn']> {
  const { signOns, ldap } = deps;
  const identities = await identityQueries(deps.data).listIdentities(userId);
  if (signOns.length === 0 && identities.length === 0) return null;
  const providerOf = (issuer: string) =>
    signOns.find(({ isIssuer }) => isIssuer(issuer))?.name ??
    (issuer === ldapIssuer ? ldap?.name : null) ??
    issuer;
  const isLinked = ({ isIssuer }: SignOn) => identities.some(({ issuer }) => isIssuer(issuer));
  return {
    frame,
    identities: identities.map((identity) => ({ ...identity, provider: providerOf(identity.issuer) })),
    linkable: signOns.filter((one) => !isLinked(one)).map(({ name, paths }) => ({ name, path: paths.link })),
    unlinkBlockedReason: await findUnlinkBlockedReason(deps, userId),
  };
}

async function requestConfirmation(deps: AccountDeps, user: User, email: string): Promise<void> {
  const now = deps.now();
  const accountEmail = { about: 'email-change', userId: user.id, email } as const;
  await outboxQueries(deps.data).add(
    user.id,
    { kind: 'send-account-email', accountEmail, until: now + emailChangeLifetimeMs },
    now,
  );
  deps.wakeOutbox();
}

/** Returns the address to confirm; null if the link is not valid (anymore) for this account. */
function readConfirmation(deps: AccountDeps, user: User, token: string): string | null {
  const change = deps.emailChanges.read(token, deps.now());
  return change && change.userId === user.id && change.from === user.email ? change.to : null;
}
