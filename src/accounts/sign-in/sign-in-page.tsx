import { FormHead } from '../../web/components/form-field.tsx';
import { localPath } from '../../web/components/safe-address.ts';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { siteAddresses } from '../../web/shell/site-addresses.ts';
import { texts } from '../../web/shell/texts.ts';
import { accountTexts } from '../account-texts.ts';
import { relyingPartyOf } from '../passkeys/passkey.ts';
import { PasskeySignIn } from '../passkeys/passkey-form.tsx';
import { SingleSignOnButton } from '../single-sign-on/single-sign-on-button.tsx';

export interface SignInPageProps {
  frame: PageFrame;
  /** What was typed before, when a sign-in failed. Never the password. */
  login?: string;
  /** Why the sign-in failed, ready to read; null at the first visit. */
  error?: string | null;
  /** Where to go afterwards: a path on this origin; anything else is left out. */
  to?: string | null;
  /** Whether everybody may make an account. */
  signUpOpen?: boolean;
  /** Whether people sign in with a password of this server, which they do unless it is said. */
  passwords?: boolean;
  /** What the provider of single sign-on is called; null when none is set. */
  provider?: string | null;
  /** What was just done; a full sentence. */
  done?: string | null;
}

const words = texts.signInPage;

/** A form that posts `login`, `password` and perhaps `to`. */
export function renderSignInPage(props: SignInPageProps): string {
  const canHavePasskeys = relyingPartyOf(props.frame.origin) !== null;
  return renderPage({
    frame: props.frame,
    title: words.title,
    width: 'narrow',
    ...(canHavePasskeys ? { scripts: ['passkeyScript'] } : {}),
    children: (
      <div class="sign-in">
        <h1>{words.title}</h1>
        {props.done && (
          <p class="callout callout-warning" role="status">
            {props.done}
          </p>
        )}
        {props.error && (
          <p class="callout callout-danger" id="sign-in-error" role="alert">
            <strong class="callout-title">{words.failed}</strong> {props.error}
          </p>
        )}
        {props.provider && (
          <SingleSignOnButton
            provider={props.provider}
            to={localPath(props.to)}
            alone={props.passwords === false}
          />
        )}
        {props.passwords !== false && (
          <>
            <SignInForm {...props} />
            {canHavePasskeys && <PasskeySignIn frame={props.frame} to={localPath(props.to)} plain />}
            <p class="fine sign-in-ways">
              <a href={siteAddresses.forgotPassword}>{accountTexts.forgot.link}</a>
              {props.signUpOpen && <a href={siteAddresses.signUp}>{accountTexts.signUp.link}</a>}
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
    <form method="post" action={siteAddresses.signIn}>
      <FormHead frame={frame} />
      {target && <input type="hidden" name="to" value={target} />}
      <label for="login">{words.login}</label>
      <input
        id="login"
        name="login"
        type="text"
        value={login}
        autocomplete="username webauthn"
        autocapitalize="none"
        spellcheck={false}
        required
        data-begin={error ? undefined : ''}
        aria-describedby={error ? 'sign-in-error' : undefined}
      />
      <label for="password">{words.password}</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        data-begin={error ? '' : undefined}
      />
      <button class="button" type="submit">
        {words.submit}
      </button>
    </form>
  );
}
