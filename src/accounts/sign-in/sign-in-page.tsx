import { PostForm, SubmitButton, typedFirst } from '../../web/components/form-field.tsx';
import { localPath } from '../../web/components/safe-address.ts';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { accountTexts } from '../account-texts.ts';
import { relyingPartyOf } from '../passkeys/passkey.ts';
import { PasskeySignIn } from '../passkeys/passkey-form.tsx';
import { type SignOnChoice, SingleSignOnButtons } from '../single-sign-on/single-sign-on-button.tsx';

export interface SignInPageProps {
  frame: PageFrame;
  /** The name entered in a failed attempt; never the password. */
  login?: string;
  /** Error message; null on the first visit. */
  error?: string | null;
  /** Where to continue: a path on this origin; anything else is ignored. */
  to?: string | null;
  /** Whether anyone may create an account. */
  signUpOpen?: boolean;
  /** Whether people sign in with a password of this server; true by default. */
  passwords?: boolean;
  /** The single sign-on providers. */
  providers?: readonly SignOnChoice[];
  /** Confirmation of the last action; a full sentence. */
  done?: string | null;
}

const t = accountTexts.signInPage;

/** Members sign in to open these pages, including those with a passcode. */
const isDistributionPage = (to: string | null | undefined) => /^\/distributions\//.test(localPath(to) ?? '');

/** The sign-in page; its form posts `login`, `password` and an optional `to`. */
export function renderSignInPage(props: SignInPageProps): string {
  const supportsPasskeys = relyingPartyOf(props.frame.origin) !== null;
  return renderPage({
    frame: props.frame,
    title: t.title,
    width: 'narrow',
    ...(supportsPasskeys ? { scripts: ['passkeyScript'] } : {}),
    children: (
      <div class="sign-in">
        <h1>{t.title}</h1>
        {props.done && (
          <p class="callout callout-warning" role="status">
            {props.done}
          </p>
        )}
        {isDistributionPage(props.to) && !props.error && (
          <p class="secondary page-line">
            <strong>{accountTexts.signIn.membersTitle}</strong> {accountTexts.signIn.members}
          </p>
        )}
        {props.error && (
          <p class="callout callout-danger" id="sign-in-error" role="alert">
            <strong class="callout-title">{t.failed}</strong> {props.error}
          </p>
        )}
        <SingleSignOnButtons
          choices={props.providers ?? []}
          to={localPath(props.to)}
          alone={props.passwords === false}
        />
        {props.passwords !== false && (
          <>
            <SignInForm {...props} />
            {supportsPasskeys && <PasskeySignIn frame={props.frame} to={localPath(props.to)} plain />}
            <p class="fine sign-in-ways">
              <a href={sitePaths.forgotPassword}>{accountTexts.forgot.link}</a>
              {props.signUpOpen && <a href={sitePaths.signUp}>{accountTexts.signUp.link}</a>}
            </p>
          </>
        )}
      </div>
    ),
  });
}

function SignInForm({ frame, login = '', error, to }: SignInPageProps) {
  const target = localPath(to);
  return (
    <PostForm frame={frame} action={sitePaths.signIn}>
      {target && <input type="hidden" name="to" value={target} />}
      <label for="login">{t.login}</label>
      <input
        id="login"
        name="login"
        type="text"
        value={login}
        autocomplete="username webauthn"
        autocapitalize="none"
        spellcheck={false}
        required
        {...(error ? {} : typedFirst)}
        aria-describedby={error ? 'sign-in-error' : undefined}
      />
      <label for="password">{t.password}</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        {...(error ? typedFirst : {})}
      />
      <SubmitButton label={t.submit} tone="primary" />
    </PostForm>
  );
}
