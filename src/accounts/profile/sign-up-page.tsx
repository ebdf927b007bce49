import { maxNameLength } from '../../owners/owner.ts';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { texts } from '../../web/shell/texts.ts';
import { accountTexts } from '../account-texts.ts';
import type { NewPasswordErrors } from '../passwords/new-password.ts';
import { maxEmailLength, NewPasswordFields } from '../passwords/password-fields.tsx';

const t = accountTexts.signUp;
const emailHints = { confirmation: 'emailHint', invited: 'emailInvited', plain: 'emailPlain' } as const;

/**
 * The valid password of a form that was refused because of another field. It does not protect anything yet, and the response goes
 * only to the browser that sent it and is not stored.
 */
function keptPassword(
  { password = '', again = '' }: NewAccountFormProps['submitted'],
  errors: NewPasswordErrors,
) {
  const isRefused = errors.password !== undefined || errors.again !== undefined;
  return isRefused || password !== again ? '' : password;
}

export interface NewAccountFormProps {
  frame: PageFrame;
  /** Path that the form posts to. */
  address: string;
  submitted: { name: string; email: string; password?: string; again?: string };
  /**
   * `confirmation`: the address must be confirmed by email; `invited`: the invitation confirmed it; `plain`: nobody confirms it;
   * `none`: no address field.
   */
  email: keyof typeof emailHints | 'none';
  errors: NewPasswordErrors & { name?: readonly string[]; email?: readonly string[] };
}

/** A form that posts `name`, `email`, `password` and `again`, without a session. */
export function NewAccountForm({ frame, address, submitted, email, errors }: NewAccountFormProps) {
  return (
    <PostForm frame={frame} class="form" action={address}>
      <TextField
        id="name"
        label={t.name}
        hint={t.nameHint}
        value={submitted.name}
        errors={errors.name}
        autocomplete="username"
        maxLength={maxNameLength}
        required
      />
      {email !== 'none' && (
        <TextField
          id="email"
          label={t.email}
          hint={t[emailHints[email]]}
          value={submitted.email}
          errors={errors.email}
          type="email"
          autocomplete="email"
          maxLength={maxEmailLength}
        />
      )}
      <NewPasswordFields errors={errors} labels={t} kept={keptPassword(submitted, errors)} />
      <p class="actions">
        <SubmitButton label={t.make} tone="primary" />
      </p>
    </PostForm>
  );
}

export function renderSignUpPage(form: NewAccountFormProps): string {
  const { frame } = form;
  return renderPage({
    frame,
    title: t.title,
    width: 'narrow',
    forms: true,
    children: (
      <>
        <div class="page-head">
          <h1>{t.title}</h1>
          <p class="secondary page-line">
            {t.known} <a href={sitePaths.signIn}>{texts.signIn}</a>
          </p>
        </div>
        <NewAccountForm {...form} />
      </>
    ),
  });
}
