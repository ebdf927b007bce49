import * as v from 'valibot';
import { html } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { lenientText, type Values } from '../../http/routes/form.ts';
import { defineRoute, type RejectedForm, type Route, type RouteContext } from '../../http/routes/route.ts';
import { localPath } from '../../web/components/safe-address.ts';
import type { Caller } from '../authorization/identify-http.ts';
import { relyingPartyOf } from '../passkeys/passkey.ts';
import { secondStepPath, useCodePath, useRecoveryCodePath } from '../profile/account-paths.ts';
import type { SignInMethod } from '../sign-in/sign-in-log-http.ts';
import { renderSecondFactorPage, type SecondFactorPageProps } from './second-factor-page.tsx';
import { createSecondStepAccess, type PendingSignIn } from './second-step-http.ts';
import type { SecurityDeps } from './security-deps-http.ts';
import { securityTexts } from './security-texts.ts';

const t = securityTexts.step;
const query = { to: lenientText() };
const formFields = { code: v.string() };

type StepContext = RouteContext<Caller | null, PendingSignIn> & { query: Values<typeof query> };

interface Factor {
  form: 'code' | 'recovery';
  way: SignInMethod;
  proves(pending: PendingSignIn, submitted: string, client: Client): Promise<boolean>;
}

/** The second step of signing in, after the password. */
export function secondFactorRoutes(deps: SecurityDeps): Route[] {
  const { secondFactors, secondStep, signIns } = deps;
  const access = createSecondStepAccess(deps);
  const page = secondStepPath(null);
  const use = ({ form: kind, way, proves }: Factor) =>
    ({
      method: 'POST',
      access,
      page,
      reauthentication: false,
      query,
      form: formFields,
      handle: async (context: StepContext & { form: Values<typeof formFields> }) => {
        const { client, subject: pending } = context;
        const { user, proof } = pending;
        const to = localPath(context.query.to);
        if (await proves(pending, context.form.code, client))
          return secondStep.finish(client, { userId: user.id, to, way, proof });
        signIns.refused(client, { way, why: 'wrong', claimed: { userId: user.id } });
        const error = { form: kind, sentence: t.wrong };
        return html(await renderStep(deps, context, error), { status: 401 });
      },
      renderErrors: async ({ error }: Pick<RejectedForm, 'error'>, context: StepContext) => {
        signIns.refused(context.client, { way, why: 'paused', claimed: { userId: context.subject.user.id } });
        return renderStep(deps, context, { form: kind, sentence: error.sentence });
      },
      renderedErrorKinds: ['too_many'],
    }) as const;
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show the form that asks for the second factor',
      access,
      query,
      handle: async (context) => html(await renderStep(deps, context, null)),
    }),
    defineRoute({
      ...use({
        form: 'code',
        way: 'password and code',
        proves: (pending, submitted, client) =>
          secondFactors.takeCode(pending.user, submitted, secondStep.placeOf(client, pending)),
      }),
      path: useCodePath(null),
      summary: 'Use a code from the authenticator app',
    }),
    defineRoute({
      ...use({
        form: 'recovery',
        way: 'password and recovery code',
        proves: (pending, submitted, client) =>
          secondFactors.takeRecoveryCode(pending.user, submitted, secondStep.placeOf(client, pending)),
      }),
      path: useRecoveryCodePath(null),
      summary: 'Use a recovery code',
    }),
  ];
}

async function renderStep(
  { secondFactors }: SecurityDeps,
  { frame, subject: { user }, query }: StepContext,
  error: SecondFactorPageProps['error'],
): Promise<string> {
  const { app, passkeys } = await secondFactors.of(user.id);
  const passkey = passkeys > 0 && relyingPartyOf(frame.origin) !== null;
  return renderSecondFactorPage({ frame, name: user.name, to: localPath(query.to), app, passkey, error });
}
