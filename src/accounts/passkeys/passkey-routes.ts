import * as v from 'valibot';
import { NotFound } from '../../core/errors.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { secondFactorQueries } from '../second-factor/second-factor-queries.ts';
import type { SecurityParts } from '../second-factor/security-parts-http.ts';
import { renderSecurity, securityDonePath, targetOf } from '../second-factor/security-routes.ts';
import { securityTexts } from '../second-factor/security-texts.ts';
import { hashSessionToken } from '../sessions/session.ts';
import type { Person } from '../sign-in/identify-http.ts';
import { renderAddPasskeyPage } from './add-passkey-page.tsx';
import { maxPasskeyNameLength, relyingPartyOf } from './passkey.ts';
import type { CeremonyPlace } from './passkey-ceremony.ts';

const words = securityTexts.passkeys;
const nameFault = words.nameFault(maxPasskeyNameLength);
const name = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1, nameFault),
  v.maxLength(maxPasskeyNameLength, nameFault),
);

/** Adds, renames and removes a user's passkeys. */
export function passkeyRoutes(parts: SecurityParts): Route[] {
  const { data, changes, ceremonies } = parts;
  const form = {
    method: 'POST',
    access: parts.accountAccess.enrolling,
    page: '/settings/security',
    query: { to: lenientText() },
    refusedKinds: ['invalid', 'conflict', 'forbidden'],
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
        const asked = ceremonies.askForNew(passkeyPlaceOf(client, caller), user, known);
        return html(renderAddPasskeyPage({ frame, name: form.name, asked, to: targetOf(query) }));
      },
      refused: async ({ error, faults }, visit) =>
        renderSecurity(parts, visit, {
          fault: { form: 'add-passkey', passkey: null, sentence: faults.name?.[0] ?? error.message },
        }),
    }),
    defineRoute({
      ...form,
      path: '/settings/security/passkeys/add',
      summary: 'Add a passkey',
      reauthentication: true,
      form: { name, ticket: v.string(), credential: v.string() },
      handle: async (visit) => {
        const { caller, subject: user, client, form } = visit;
        const passkey = await ceremonies.readNew(passkeyPlaceOf(client, caller), user.id, form);
        const change = { user, keep: hashSessionToken(caller.sessionToken), passkey, name: form.name };
        const { codes } = await changes.addPasskey(change);
        if (!codes) return redirect(securityDonePath(visit, 'passkey-added'));
        return html(await renderSecurity(parts, visit, { done: words.added, codes }));
      },
      refused: async ({ error }, visit) =>
        renderSecurity(parts, visit, {
          fault: { form: 'add-passkey', passkey: null, sentence: error.message },
        }),
    }),
    defineRoute({
      ...form,
      path: '/settings/security/passkeys/:passkey/rename',
      summary: 'Rename a passkey',
      reauthentication: false,
      form: { name },
      handle: async (visit) => {
        await changes.renamePasskey(visit.subject, visit.params.passkey, visit.form.name);
        return redirect(securityDonePath(visit, 'passkey-renamed'));
      },
      refused: async ({ error, faults }, visit) =>
        renderSecurity(parts, visit, {
          fault: {
            form: 'rename-passkey',
            passkey: visit.params.passkey,
            sentence: faults.name?.[0] ?? error.message,
          },
        }),
    }),
    defineRoute({
      ...form,
      path: '/settings/security/passkeys/:passkey/remove',
      summary: 'Remove a passkey',
      reauthentication: true,
      form: {},
      handle: async (visit) => {
        const { caller, subject: user, params } = visit;
        await changes.removePasskey({
          user,
          keep: hashSessionToken(caller.sessionToken),
          id: params.passkey,
        });
        return redirect(securityDonePath(visit, 'passkey-removed'));
      },
    }),
  ];
}

/** Throws `NotFound` if browsers do not support passkeys at the server's address. */
export function passkeyPlaceOf({ origin }: Client, { sessionToken }: Person): CeremonyPlace {
  const relyingParty = relyingPartyOf(origin);
  if (relyingParty === null) throw new NotFound();
  return { origin, relyingParty, boundTo: sessionToken };
}
