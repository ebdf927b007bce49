import * as v from 'valibot';
import { NotFound } from '../../core/errors.ts';
import { nameField } from '../../core/name-text.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Person } from '../authorization/identify-http.ts';
import { secondFactorQueries } from '../second-factor/second-factor-queries.ts';
import type { SecurityDeps } from '../second-factor/security-deps-http.ts';
import { renderSecurity, securityDonePath, targetOf } from '../second-factor/security-routes.ts';
import { securityTexts } from '../second-factor/security-texts.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { renderAddPasskeyPage } from './add-passkey-page.tsx';
import { maxPasskeyNameLength, relyingPartyOf } from './passkey.ts';
import type { CeremonyContext } from './passkey-ceremony.ts';

const t = securityTexts.passkeys;
const name = nameField(maxPasskeyNameLength);

/** Adds, renames and removes a user's passkeys. */
export function passkeyRoutes(deps: SecurityDeps): Route[] {
  const { data, changes, ceremonies } = deps;
  const form = {
    method: 'POST',
    access: deps.accountAccess.enrolling,
    page: '/settings/security',
    query: { to: lenientText() },
    renderedErrorKinds: ['invalid', 'conflict', 'forbidden'],
  } as const;
  return [
    defineRoute({
      ...form,
      path: '/settings/security/passkeys/create',
      summary: 'Start adding a passkey',
      reauthentication: true,
      form: { name },
      handle: async ({ caller, subject: user, client, form, query, frame }) => {
        const known = await secondFactorQueries(data).listPasskeys(user.id);
        const asked = ceremonies.createRegistrationOptions(ceremonyContextOf(client, caller), user, known);
        return html(renderAddPasskeyPage({ frame, name: form.name, asked, to: targetOf(query) }));
      },
      renderErrors: async ({ error, errors }, context) =>
        renderSecurity(deps, context, {
          error: { form: 'add-passkey', passkey: null, sentence: errors.name?.[0] ?? error.sentence },
        }),
    }),
    defineRoute({
      ...form,
      path: '/settings/security/passkeys/add',
      summary: 'Add a passkey',
      reauthentication: true,
      form: { name, ticket: v.string(), credential: v.string() },
      handle: async (context) => {
        const { caller, subject: user, client, form } = context;
        const passkey = await ceremonies.verifyRegistration(ceremonyContextOf(client, caller), user.id, form);
        const change = { user, keep: hashSessionToken(caller.sessionToken), passkey, name: form.name };
        const { codes } = await changes.addPasskey(change);
        if (!codes) return redirect(securityDonePath(context, 'passkey-added'));
        return html(await renderSecurity(deps, context, { done: t.added, codes }));
      },
      renderErrors: async ({ error }, context) =>
        renderSecurity(deps, context, {
          error: { form: 'add-passkey', passkey: null, sentence: error.sentence },
        }),
    }),
    defineRoute({
      ...form,
      path: '/settings/security/passkeys/:passkey/rename',
      summary: 'Rename a passkey',
      reauthentication: false,
      form: { name },
      handle: async (context) => {
        await changes.renamePasskey(context.subject, context.params.passkey, context.form.name);
        return redirect(securityDonePath(context, 'passkey-renamed'));
      },
      renderErrors: async ({ error, errors }, context) =>
        renderSecurity(deps, context, {
          error: {
            form: 'rename-passkey',
            passkey: context.params.passkey,
            sentence: errors.name?.[0] ?? error.sentence,
          },
        }),
    }),
    defineRoute({
      ...form,
      path: '/settings/security/passkeys/:passkey/remove',
      summary: 'Remove a passkey',
      reauthentication: true,
      form: {},
      handle: async (context) => {
        const { caller, subject: user, params } = context;
        await changes.removePasskey({
          user,
          keep: hashSessionToken(caller.sessionToken),
          id: params.passkey,
        });
        return redirect(securityDonePath(context, 'passkey-removed'));
      },
    }),
  ];
}

/** Throws `NotFound` if browsers do not support passkeys at the server's address. */
export function ceremonyContextOf({ origin }: Client, { sessionToken }: Person): CeremonyContext {
  const relyingParty = relyingPartyOf(origin);
  if (relyingParty === null) throw new NotFound();
  return { origin, relyingParty, boundTo: sessionToken };
}
