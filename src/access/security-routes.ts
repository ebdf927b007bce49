import * as v from 'valibot';
import { NotFound } from '../errors.ts';
import { html, json, redirect } from '../http/routes/answer.ts';
import type { Client } from '../http/routes/client.ts';
import { lenient, lenientText } from '../http/routes/form.ts';
import { defineRoute, type Refusal, type Route, type Visit } from '../http/routes/route.ts';
import type { User } from '../owners/owner.ts';
import { localPath } from '../web/safe-address.ts';
import { securityTexts } from '../web/security-texts.ts';
import type { EnrollingPerson } from './account-access-http.ts';
import { securityPath } from './account-addresses.ts';
import type { Person } from './identify-http.ts';
import { relyingPartyOf } from './passkey.ts';
import type { CeremonyPlace } from './passkey-ceremony.ts';
import { checkPasskeyName, type NewCodes } from './second-factor-changes.ts';
import type { SecurityParts } from './security-area-routes.ts';
import { renderSecurityPage, type SecurityPageProps } from './security-page.tsx';
import { hashSessionToken } from './session.ts';
import { readBrowserWords } from './user-agent-words.ts';

const words = securityTexts;
const doneSentences = {
  'app-off': words.app.off,
  'passkey-added': words.passkeys.added,
  'passkey-renamed': words.passkeys.renamed,
  'passkey-removed': words.passkeys.removed,
};

/** `to`: where somebody goes afterwards who must set up a second factor first; goes along with every form. */
type Refused = Pick<Refusal, 'error' | 'faults'>;
export const securityQuery = { to: lenientText() };
export type SecurityVisit = Visit<EnrollingPerson, User> & {
  query: { to?: string | undefined };
};

/** A person's second factors. */
export function securityRoutes(parts: SecurityParts): Route[] {
  const { changes, ceremonies, data, accountAccess } = parts;
  const page = '/settings/security';
  const form = {
    method: 'POST',
    page,
    access: accountAccess.enrolling,
    query: securityQuery,
    refusedKinds: ['invalid', 'conflict', 'not_found'],
  } as const;
  const refusedFor =
    (action: string) => (refusal: Refused, visit: SecurityVisit & { params: { passkey?: string } }) =>
      renderSecurity(parts, visit, {
        fault: { action, passkey: visit.params.passkey ?? null, sentence: sentenceOf(refusal) },
      });
  const changeOf = ({ caller, subject: user }: SecurityVisit) => ({
    ...{ user, keep: hashSessionToken(caller.sessionToken) },
  });
  const done = ({ query }: SecurityVisit, what: keyof typeof doneSentences) => {
    const path = securityPath(localPath(query.to ?? null));
    return redirect(`${path}${path.includes('?') ? '&' : '?'}done=${what}`);
  };
  const passkeyName = { name: v.string() };
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show your second factors',
      access: accountAccess.enrolling,
      query: {
        ...securityQuery,
        done: lenient(v.picklist(Object.keys(doneSentences) as (keyof typeof doneSentences)[])),
        'passkey-name': lenientText(),
      },
      handle: async (visit) => {
        const { done: what, 'passkey-name': suggestedName } = visit.query;
        return html(
          await renderSecurity(parts, visit, {
            done: what ? doneSentences[what] : null,
            ...(suggestedName === undefined ? {} : { suggestedName }),
          }),
        );
      },
    }),
    defineRoute({
      ...form,
      path: '/settings/security/app/turn-off',
      summary: 'Turn off your authenticator app',
      reauthentication: true,
      form: {},
      handle: async (visit) => {
        await changes.switchOffApp(changeOf(visit));
        return done(visit, 'app-off');
      },
      refused: refusedFor('app-off'),
    }),
    defineRoute({
      ...form,
      path: '/settings/security/recovery-codes/create',
      summary: 'Create new recovery codes',
      reauthentication: true,
      form: {},
      handle: async (visit) => {
        const codes = await changes.makeRecoveryCodes(visit.subject);
        return html(await renderSecurity(parts, visit, { done: words.codes.made, codes }));
      },
      refused: refusedFor('make-codes'),
    }),
    defineRoute({
      ...form,
      path: '/settings/security/passkeys/:passkey/rename',
      summary: 'Rename a passkey',
      reauthentication: false,
      form: passkeyName,
      handle: async (visit) => {
        await changes.renamePasskey(visit.subject, visit.params.passkey, visit.form.name);
        return done(visit, 'passkey-renamed');
      },
      refused: refusedFor('rename-passkey'),
    }),
    defineRoute({
      ...form,
      path: '/settings/security/passkeys/:passkey/remove',
      summary: 'Remove a passkey',
      reauthentication: true,
      form: {},
      handle: async (visit) => {
        await changes.removePasskey({ ...changeOf(visit), id: visit.params.passkey });
        return done(visit, 'passkey-removed');
      },
      refused: refusedFor('remove-passkey'),
    }),
    // A browser that must prove who is there sends the form here, and comes back to the page with its name filled in.
    defineRoute({
      ...form,
      path: '/settings/security/passkeys/start',
      summary: 'Confirm access before adding a passkey',
      reauthentication: true,
      form: passkeyName,
      handle: async ({ form: { name }, query }) => {
        const path = securityPath(localPath(query.to ?? null));
        const separator = path.includes('?') ? '&' : '?';
        return redirect(`${path}${separator}passkey-name=${encodeURIComponent(name)}#passkeys`);
      },
    }),
    defineRoute({
      ...form,
      path: '/settings/security/passkeys/options',
      summary: 'Get the options for a new passkey',
      reauthentication: true,
      form: passkeyName,
      handle: async ({ caller, subject: user, form: { name }, client }) => {
        checkPasskeyName(name);
        const known = await data.secondFactors.listPasskeys(user.id);
        const asked = ceremonies.askForNew(placeOf(client, caller), user, known);
        return json(asked, { headers: { 'Cache-Control': 'no-store' } });
      },
    }),
    defineRoute({
      ...form,
      path: '/settings/security/passkeys/add',
      summary: 'Add a passkey',
      reauthentication: true,
      form: { ...passkeyName, ticket: v.string(), credential: v.string() },
      handle: async (visit) => {
        const { caller, subject: user, form: answer, client } = visit;
        const passkey = await ceremonies.readNew(placeOf(client, caller), user.id, answer);
        const { codes } = await changes.addPasskey({ ...changeOf(visit), passkey, name: answer.name });
        if (!codes) return done(visit, 'passkey-added');
        return html(await renderSecurity(parts, visit, { done: words.passkeys.added, codes }));
      },
      refused: refusedFor('add-passkey'),
    }),
  ];
}

/** What the server refuses with may be without capital and full stop; the page completes it. */
const sentenceOf = ({ error, faults }: Refused) => Object.values(faults).flat().join(' ') || error.message;

export async function renderSecurity(
  parts: SecurityParts,
  { caller, subject: user, query, frame, client }: SecurityVisit,
  shown: Partial<Pick<SecurityPageProps, 'done' | 'fault' | 'suggestedName'>> & { codes?: NewCodes },
): Promise<string> {
  const required = caller.mustEnrollFactor;
  const to = localPath(query.to ?? null);
  const factors = await parts.secondFactors.of(user.id);
  const { browser, system } = readBrowserWords(client.userAgent);
  return renderSecurityPage({
    frame,
    factors,
    passkeys: await parts.data.secondFactors.listPasskeys(user.id),
    canHavePasskeys: relyingPartyOf(frame.origin) !== null,
    suggestedName: [browser, system].filter((word) => word !== null).join(', '),
    // What was asked for may have been done just now.
    required: required && !factors.any,
    to: required ? to : null,
    goOn: required && factors.any ? (to ?? '/') : null,
    done: null,
    codes: null,
    fault: null,
    ...shown,
  });
}

/** Throws `NotFound` where browsers create no passkeys: without https, and at an IP address. */
export function placeOf(client: Client, { sessionToken }: Person): CeremonyPlace {
  const relyingParty = relyingPartyOf(client.origin);
  if (relyingParty === null) throw new NotFound();
  return { origin: client.origin, relyingParty, boundTo: sessionToken };
}
