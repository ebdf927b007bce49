import { Callout } from '../../web/components/callout.tsx';
import { PostForm, SubmitButton, SuccessMessage } from '../../web/components/form-field.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { accountTexts } from '../account-texts.ts';
import { passwordPath, welcomePath } from '../profile/account-paths.ts';
import { renderSettings } from '../profile/settings-frame.tsx';
import type { NewPasswordErrors } from './new-password.ts';
import { maxEmailLength, NewPasswordFields, NoPassword, PasswordField } from './password-fields.tsx';

export interface PasswordPageProps {
  frame: PageFrame;
  hasPassword: boolean;
  errors: NewPasswordErrors & { current?: readonly string[] };
  done: string | null;
}

const t = accountTexts.password;
const welcome = accountTexts.welcome;

export function renderPasswordPage({ frame, hasPassword, errors, done }: PasswordPageProps): string {
  return renderSettings({
    frame,
    part: 'password',
    children: (
      <>
        <SuccessMessage sentence={done} />
        {hasPassword ? (
          <PostForm frame={frame} class="form" action={passwordPath}>
            <PasswordField
              id="current"
              label={t.current}
              errors={errors.current}
              autocomplete="current-password"
            />
            <NewPasswordFields errors={errors} />
            <p class="secondary fine">{t.sessionsEnd}</p>
            <p class="actions">
              <SubmitButton label={t.save} tone="primary" />
            </p>
          </PostForm>
        ) : (
          <NoPassword />
        )}
      </>
    ),
  });
}

export interface WelcomePageProps {
  frame: PageFrame;
  to: string | null;
  /** Null if the form does not ask for it. */
  email: string | null;
  /** The public address is not configured, and the reader can configure it. */
  suggestsPublicUrl: boolean;
  errors: NewPasswordErrors & { email?: readonly string[] };
}

/** Shown to a user who must change their password, before anything else. */
export function renderWelcomePage({ frame, to, email, suggestsPublicUrl, errors }: WelcomePageProps): string {
  return renderPage({
    frame,
    title: welcome.title,
    width: 'narrow',
    forms: true,
    children: (
      <>
        <div class="page-head">
          <h1>{welcome.title}</h1>
          <p class="secondary page-line">{welcome.line}</p>
        </div>
        <PostForm frame={frame} class="form" action={welcomePath(to)}>
          <NewPasswordFields errors={errors} />
          {email !== null && (
            <TextField
              id="email"
              label={welcome.email}
              hint={welcome.emailHint}
              value={email}
              errors={errors.email}
              type="email"
              autocomplete="email"
              maxLength={maxEmailLength}
            />
          )}
          {suggestsPublicUrl && (
            <Callout
              tone="warning"
              title={welcome.addressTitle}
              sentences={[welcome.address({ origin: frame.origin })]}
            />
          )}
          <p class="actions">
            <SubmitButton label={welcome.save} tone="primary" />
          </p>
        </PostForm>
      </>
    ),
  });
}
