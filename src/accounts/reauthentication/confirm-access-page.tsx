/** Asks for a proof of identity before a protected action, and resubmits its form with the proof. */
import { messageAt } from '../../core/language/catalog.ts';
import { Field, PostForm, SubmitButton, typedFirst } from '../../web/components/form-field.tsx';
import { strong } from '../../web/components/message-tags.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { PasskeyForm } from '../passkeys/passkey-form.tsx';
import { maxPasswordLength } from '../passwords/password.ts';
import { confirmPasskeyOptionsPath, confirmPasskeyPath } from '../profile/account-paths.ts';
import { securityTexts } from '../second-factor/security-texts.ts';
import type { SignOnChoice } from '../single-sign-on/single-sign-on-button.tsx';
import type { ProofMethods } from './reauthentication.ts';

const t = securityTexts.confirm;
const formId = 'confirm-access';

export interface ConfirmAccessProps {
  frame: PageFrame;
  userName: string;
  /** Path that the form posts to: that of the protected action. */
  action: string;
  /** Fields of the form. */
  fields: readonly (readonly [name: string, value: string])[];
  ways: ProofMethods;
  /** The providers to sign in at again, which the account is linked to. */
  providers: readonly SignOnChoice[];
  /** The page that contains the form. */
  back: string;
  wrong: boolean;
  /** Declared path of the form. */
  path: string;
}

/** Returns the text that names the action. */
function actionOf(path: string): string | undefined {
  const ofApp = path.replace(
    '/platforms/:platform/apps/:package',
    path.endsWith('/:package/delete') ? '/app' : '',
  );
  return messageAt(t.actions, ofApp.replace(/^\/(?:users|organizations)\/:owner|^\/settings(?=\/keys)/, ''));
}

export function renderConfirmAccess(props: ConfirmAccessProps): string {
  const { frame, userName, ways, providers, back } = props;
  const isTyped = ways.password || ways.code;
  return renderPage({
    frame,
    title: t.title,
    width: 'narrow',
    forms: true,
    ...(ways.passkey ? { scripts: ['passkeyScript'] } : {}),
    children: (
      <div class="confirm-access">
        <div class="confirm-head">
          <h1>{t.title}</h1>
          <p class="lead confirm-action">{actionOf(props.path)}</p>
          <p class="secondary">{t.signedInAs({ user: userName, strong })}</p>
        </div>
        <div class="confirm-ways">
          {(isTyped || ways.passkey) && <ProofForm {...props} />}
          {ways.passkey && (
            <PasskeyForm
              frame={frame}
              ceremony="get"
              action={confirmPasskeyPath}
              options={confirmPasskeyOptionsPath}
              submits={formId}
              class="confirm-way"
            >
              {isTyped && <p class="or-line">{t.or}</p>}
              <SubmitButton label={t.passkey} tone={isTyped ? undefined : 'primary'} />
            </PasskeyForm>
          )}
          {providers.map((provider, index) => (
            <ProviderLink
              key={provider.path}
              provider={provider}
              line={`provider-line-${index}`}
              alone={!isTyped && !ways.passkey}
            />
          ))}
          {!isTyped && !ways.passkey && providers.length === 0 && (
            <p>
              {t.none}{' '}
              {frame.hasPasswords !== false && <a href={sitePaths.forgotPassword}>{t.setPassword}</a>}
            </p>
          )}
        </div>
        <p class="hint">{t.line}</p>
        <p class="fine">
          <a class="confirm-cancel" href={back}>
            {t.cancel}
          </a>
        </p>
      </div>
    ),
  });
}

/** A link, not a form: the content security policy allows forms to this origin only. */
function ProviderLink(props: { provider: SignOnChoice; line: string; alone: boolean }) {
  const { provider, line, alone } = props;
  return (
    <div class="confirm-way">
      {!alone && <p class="or-line">{t.or}</p>}
      <a class={alone ? 'button button-primary' : 'button'} href={provider.path} aria-describedby={line}>
        <bdi>{t.provider({ name: provider.name })}</bdi>
      </a>
      <p class="hint" id={line}>
        {t.providerLine}
      </p>
    </div>
  );
}

/** If the person has neither password nor app, it only carries the fields for the passkey. */
function ProofForm({ frame, action, fields, ways, wrong }: ConfirmAccessProps) {
  const { password, code } = ways;
  const kind = password ? (code ? 'either' : 'password') : 'code';
  return (
    <PostForm frame={frame} class="form" id={formId} action={action} hidden={!password && !code}>
      {fields.map(([name, value], index) => (
        <input key={`${index} ${name}`} type="hidden" name={name} value={value} />
      ))}
      {(password || code) && (
        <>
          <Field
            id="proof"
            label={password ? t.password : t.code}
            {...(code ? { hint: password ? t.orCode : t.codeHint } : {})}
            errors={wrong ? [t.wrong[kind]] : undefined}
            control={(attributes) => {
              const field = { ...attributes, name: 'proof', maxLength: maxPasswordLength, required: true };
              if (password)
                return <input {...field} {...typedFirst} type="password" autocomplete="current-password" />;
              return (
                <input
                  {...field}
                  type="text"
                  inputMode="numeric"
                  autocomplete="one-time-code"
                  {...typedFirst}
                />
              );
            }}
          />
          <SubmitButton label={t.submit} tone="primary" />
        </>
      )}
    </PostForm>
  );
}
