import * as v from 'valibot';
import { html, redirect } from '../http/routes/answer.ts';
import type { Client } from '../http/routes/client.ts';
import { lenientText, type Values } from '../http/routes/form.ts';
import { defineRoute, type Refusal, type Route, type Visit } from '../http/routes/route.ts';
import type { User } from '../owners/owner.ts';
import { localPath } from '../web/safe-address.ts';
import { securityTexts } from '../web/security-texts.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import { secondStepPath, signInPath, useCodePath, useRecoveryCodePath } from './account-addresses.ts';
import type { Caller } from './identify-http.ts';
import { relyingPartyOf } from './passkey.ts';
import { renderSecondFactorPage, type SecondFactorPageProps } from './second-factor-page.tsx';
import type { SecurityParts } from './security-area-routes.ts';
import type { SignInWay } from './sign-in-log-http.ts';

const words = securityTexts.step;
const formFields = { code: v.string(), to: v.optional(v.string(), '') };

type StepVisit = Visit<Caller | null, null>;

interface Factor {
  act: 'code' | 'recovery';
  way: SignInWay;
  proves(user: User, typed: string, client: Client): Promise<boolean>;
}

/** What comes after the password, for people who have a second factor. */
export function secondFactorRoutes(parts: SecurityParts): Route[] {
  const { access, secondFactors, secondStep, signIns } = parts;
  const page = secondStepPath(null);
  const use = ({ act, way, proves }: Factor) =>
    ({
      method: 'POST',
      access: access.anyone,
      page,
      reauthentication: false,
      form: formFields,
      handle: async (visit: StepVisit & { form: Values<typeof formFields> }) => {
        const { client, form } = visit;
        const to = localPath(form.to);
        const user = await secondStep.whoIs(client);
        if (!user) return backToSignIn(to);
        if (await proves(user, form.code, client))
          return secondStep.finish(client, { userId: user.id, to, way });
        signIns.refused(client, { way, why: 'wrong', meant: { userId: user.id } });
        const fault = { act, sentence: words.wrong };
        return html(await renderStep(parts, visit, { user, to, fault }), { status: 401 });
      },
      refused: async ({ error, typed }: Refusal<typeof formFields>, visit: StepVisit) => {
        const user = await secondStep.whoIs(visit.client);
        if (!user) throw error;
        signIns.refused(visit.client, { way, why: 'paused', meant: { userId: user.id } });
        const fault = { act, sentence: `${error.message}.` };
        return renderStep(parts, visit, { user, to: localPath(typed.to), fault });
      },
      refusedKinds: ['too_many'],
    }) as const;
  return [
    defineRoute({
      method: 'GET',
      path: '/sign-in/second-factor',
      summary: 'Show the form that asks for the second factor',
      access: access.anyone,
      query: { to: lenientText() },
      handle: async (visit) => {
        const to = localPath(visit.query.to);
        const user = await secondStep.whoIs(visit.client);
        return user ? html(await renderStep(parts, visit, { user, to, fault: null })) : backToSignIn(to);
      },
    }),
    defineRoute({
      ...use({
        act: 'code',
        way: 'password and code',
        proves: async (user, typed, client) =>
          secondFactors.takeCode(user, typed, await secondStep.placeOf(client, user)),
      }),
      path: useCodePath,
      summary: 'Use a code from the authenticator app',
    }),
    defineRoute({
      ...use({
        act: 'recovery',
        way: 'password and recovery code',
        proves: async (user, typed, client) =>
          secondFactors.takeRecoveryCode(user, typed, await secondStep.placeOf(client, user)),
      }),
      path: useRecoveryCodePath,
      summary: 'Use a recovery code',
    }),
  ];
}

/** Nobody has given the right password in this browser, or not lately. */
const backToSignIn = (to: string | null) => redirect(to === null ? siteAddresses.signIn : signInPath(to));

async function renderStep(
  { secondFactors }: SecurityParts,
  { frame }: StepVisit,
  { user, to, fault }: { user: User } & Pick<SecondFactorPageProps, 'to' | 'fault'>,
): Promise<string> {
  const { app, passkeys } = await secondFactors.of(user.id);
  const passkey = passkeys > 0 && relyingPartyOf(frame.origin) !== null;
  return renderSecondFactorPage({ frame, name: user.name, to, app, passkey, fault });
}
