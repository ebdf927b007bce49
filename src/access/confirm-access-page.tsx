/** Shown in place of an action that requires a recent proof of identity; sends the same form again, with the proof. */
import { Field, FormHead } from '../web/form-field.tsx';
import { renderPage } from '../web/layout.tsx';
import type { PageFrame } from '../web/page-frame.ts';
import { securityTexts } from '../web/security-texts.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import { confirmPasskeyOptionsPath, confirmPasskeyPath } from './account-addresses.ts';
import { PasskeyForm } from './passkey-form.tsx';
import { maxPasswordLength } from './password.ts';
import type { ProofWays } from './reauthentication.ts';

const words = securityTexts.confirm;
const formId = 'confirm-access';

export interface ConfirmAccessProps {
  frame: PageFrame;
  userName: string;
  /** Where the form goes: the address that asked for the proof. */
  action: string;
  /** Of the form. */
  fields: readonly (readonly [name: string, value: string])[];
  ways: ProofWays;
  /** Where to sign in again at the provider of single sign-on; null where the account is not linked to it. */
  provider: { name: string; path: string } | null;
  /** The page that the form is on. */
  back: string;
  wrong: boolean;
}

export function renderConfirmAccess(props: ConfirmAccessProps): string {
  const { frame, userName, ways, provider, back } = props;
  const isTyped = ways.password || ways.code;
  return renderPage({
    frame,
    title: words.title,
    width: 'narrow',
    forms: true,
    ...(ways.passkey ? { scripts: ['passkeyScript'] } : {}),
    children: (
      <div class="sign-in confirm-access">
        <h1>{words.title}</h1>
        <p class="secondary page-line">
          {words.signedInAs} <bdi class="version">{userName}</bdi>
        </p>
        <TypedProof {...props} />
        {ways.passkey && (
          <PasskeyForm
            deed="get"
            action={confirmPasskeyPath}
            options={confirmPasskeyOptionsPath}
            submits={formId}
            class="passkey-sign-in"
          >
            <FormHead frame={frame} />
            <button class={isTyped ? 'button button-plain' : 'button'} type="submit">
              {words.passkey}
            </button>
          </PasskeyForm>
        )}
        {provider && (
          <>
            <p class="passkey-sign-in">
              <a
                class={isTyped || ways.passkey ? 'button button-plain' : 'button'}
                href={provider.path}
                aria-describedby="provider-line"
              >
                <bdi>{words.provider(provider.name)}</bdi>
              </a>
            </p>
            <p class="hint" id="provider-line">
              {words.providerLine}
            </p>
          </>
        )}
        {!isTyped && !ways.passkey && !provider && (
          <p>
            {words.none}{' '}
            {frame.hasPasswords !== false && <a href={siteAddresses.forgotPassword}>{words.setPassword}</a>}
          </p>
        )}
        <p class="hint confirm-access-note">{words.line}</p>
        <p class="fine sign-in-ways">
          <a href={back}>{words.cancel}</a>
        </p>
      </div>
    ),
  });
}

/** Without a password or an app, it only keeps the fields for the passkey. */
function TypedProof({ frame, action, fields, ways, wrong }: ConfirmAccessProps) {
  const { password, code } = ways;
  const kind = password ? (code ? 'either' : 'password') : 'code';
  return (
    <form method="post" id={formId} action={action}>
      <FormHead frame={frame} />
      {fields.map(([name, value], index) => (
        <input key={`${index} ${name}`} type="hidden" name={name} value={value} />
      ))}
      {(password || code) && (
        <>
          <Field
            id="proof"
            label={password ? words.password : words.code}
            {...(code ? { hint: password ? words.orCode : words.codeHint } : {})}
            faults={wrong ? [words.wrong[kind]] : undefined}
            control={(marks) => {
              const field = { ...marks, name: 'proof', maxLength: maxPasswordLength, required: true };
              if (password)
                return <input {...field} type="password" autocomplete="current-password" data-begin="" />;
              return (
                <input
                  {...field}
                  type="text"
                  inputMode="numeric"
                  autocomplete="one-time-code"
                  data-begin=""
                />
              );
            }}
          />
          <button class="button" type="submit">
            {words.submit}
          </button>
        </>
      )}
    </form>
  );
}
