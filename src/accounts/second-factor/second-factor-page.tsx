import { PostForm, SubmitButton, typedFirst } from '../../web/components/form-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { accountTexts } from '../account-texts.ts';
import { PasskeySignIn } from '../passkeys/passkey-form.tsx';
import { signInPath, useCodePath, useRecoveryCodePath } from '../profile/account-paths.ts';
import { securityTexts } from './security-texts.ts';

export interface SecondFactorPageProps {
  frame: PageFrame;
  /** The user who entered the correct password. */
  name: string;
  /** A path on this server. */
  to: string | null;
  /** The person's factors that work at this address. */
  app: boolean;
  passkey: boolean;
  error: { form: 'code' | 'recovery'; sentence: string } | null;
}

const t = securityTexts.step;

/** The page that asks for the second factor. */
export function renderSecondFactorPage(props: SecondFactorPageProps): string {
  const { frame, name, to, app, passkey, error } = props;
  return renderPage({
    frame,
    title: t.title,
    width: 'narrow',
    forms: true,
    ...(passkey ? { scripts: ['passkeyScript'] } : {}),
    children: (
      <div class="sign-in second-step">
        <h1>{t.title}</h1>
        <p class="secondary page-line">
          <bdi>{t.line({ name })}</bdi>
        </p>
        {error && (
          <p class="callout callout-danger" id="step-error" role="alert">
            <strong class="callout-title">{t.failed}</strong> {error.sentence}
          </p>
        )}
        {app && <CodeForm {...props} />}
        {passkey && (
          <>
            <PasskeySignIn frame={frame} to={to} secondStep plain={app} />
            {!app && <p class="hint">{t.passkeyLine}</p>}
          </>
        )}
        <details class="quiet-fold" open={error?.form === 'recovery' || (!app && !passkey)}>
          <summary>{t.recovery}</summary>
          <RecoveryForm {...props} />
          <p class="hint">{t.lost}</p>
        </details>
        <p class="fine sign-in-ways">
          <a href={sitePaths.signIn}>{t.back}</a>
        </p>
      </div>
    ),
  });
}

function CodeForm({ frame, to, error }: SecondFactorPageProps) {
  return (
    <PostForm frame={frame} action={useCodePath(to)}>
      <label for="code">{t.code}</label>
      <p class="hint" id="code-hint">
        {t.codeHint}
      </p>
      <input
        id="code"
        name="code"
        type="text"
        inputMode="numeric"
        autocomplete="one-time-code"
        maxLength={16}
        required
        {...(error?.form === 'recovery' ? {} : typedFirst)}
        aria-describedby={error?.form === 'code' ? 'code-hint step-error' : 'code-hint'}
      />
      <SubmitButton label={t.submit} tone="primary" />
    </PostForm>
  );
}

function RecoveryForm({ frame, to, error, app, passkey }: SecondFactorPageProps) {
  const alone = !app && !passkey;
  return (
    <PostForm frame={frame} action={useRecoveryCodePath(to)}>
      <label for="recovery">{t.recoveryCode}</label>
      <p class="hint" id="recovery-hint">
        {t.recoveryHint}
      </p>
      <input
        id="recovery"
        name="code"
        type="text"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        maxLength={64}
        required
        {...(error?.form === 'recovery' || alone ? typedFirst : {})}
        aria-describedby={error?.form === 'recovery' ? 'recovery-hint step-error' : 'recovery-hint'}
      />
      <SubmitButton label={t.recoverySubmit} />
    </PostForm>
  );
}

/** Reports a refused passkey. */
export function renderPasskeyRefusedPage(props: {
  frame: PageFrame;
  to: string | null;
  why: string;
}): string {
  const { frame, to, why } = props;
  return renderPage({
    frame,
    title: accountTexts.signInPage.title,
    width: 'narrow',
    children: (
      <div class="sign-in">
        <h1>{accountTexts.signInPage.title}</h1>
        <p class="callout callout-danger" role="alert">
          <strong class="callout-title">{t.failed}</strong> {why}
        </p>
        <p class="actions after-list">
          <a class="button button-primary" href={to === null ? sitePaths.signIn : signInPath(to)}>
            {t.again}
          </a>
        </p>
      </div>
    ),
  });
}
