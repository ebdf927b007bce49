import { maxNameLength } from '../../owners/owner.ts';
import { FormHead } from '../../web/components/form-field.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { texts } from '../../web/shell/texts.ts';
import { accountTexts } from '../account-texts.ts';
import type { NewPasswordErrors } from '../passwords/new-password.ts';
import { maxEmailLength, NewPasswordFields } from '../passwords/password-fields.tsx';

const t = accountTexts.signUp;

export interface NewAccountFormProps {
  frame: PageFrame;
  /** Path that the form posts to. */
  address: string;
  submitted: { name: string; email: string };
  /**
   * `letter`: the address must be confirmed by email; `invited`: the invitation confirmed it; `none`: no address field.
   */
  email: 'letter' | 'invited' | 'none';
  errors: NewPasswordErrors & { name?: readonly string[]; email?: readonly string[] };
}

/** A form that posts `name`, `email`, `password` and `again`, without a session. */
export function NewAccountForm({ frame, address, submitted, email, errors }: NewAccountFormProps) {
  return (
    <form class="form" method="post" action={address}>
      <FormHead frame={frame} />
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
          hint={email === 'invited' ? t.emailInvited : t.emailHint}
          value={submitted.email}
          errors={errors.email}
          type="email"
          autocomplete="email"
          maxLength={maxEmailLength}
        />
      )}
      <NewPasswordFields errors={errors} labels={t} />
      <p class="actions">
        <button class="button button-primary" type="submit">
          {t.make}
        </button>
      </p>
    </form>
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
