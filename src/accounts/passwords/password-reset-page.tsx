import { maxLoginLength } from '../../owners/owner.ts';
import { CodeBlock } from '../../web/components/code-block.tsx';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { accountTexts } from '../account-texts.ts';
import { passwordResetPath } from '../profile/account-paths.ts';
import type { NewPasswordErrors } from './new-password.ts';
import { NewPasswordFields } from './password-fields.tsx';

const t = accountTexts.forgot;
const reset = accountTexts.reset;

/** `sent` looks the same whether or not the account exists. */
export function renderForgotPage({
  frame,
  state,
}: {
  frame: PageFrame;
  state: 'ask' | 'sent' | 'no-mail';
}): string {
  const title = state === 'sent' ? t.sentTitle : t.title;
  return renderPage({
    frame,
    title,
    width: 'narrow',
    forms: true,
    children: (
      <>
        <div class="page-head">
          <h1>{title}</h1>
          <p class="secondary page-line" role={state === 'sent' ? 'status' : undefined}>
            {state === 'ask' ? t.line : state === 'sent' ? t.sent : t.noMail}
          </p>
        </div>
        {state === 'ask' && <ForgotForm frame={frame} />}
        {state === 'no-mail' && <CodeBlock text="slipway user password NAME" label={t.command} />}
        <p class="fine after-list">
          <a href={sitePaths.signIn}>{t.back}</a>
        </p>
      </>
    ),
  });
}

function ForgotForm({ frame }: { frame: PageFrame }) {
  return (
    <PostForm frame={frame} class="form" action={sitePaths.forgotPassword}>
      <TextField
        id="login"
        label={t.login}
        value=""
        autocomplete="username"
        maxLength={maxLoginLength}
        required
      />
      <p class="actions">
        <SubmitButton label={t.send} tone="primary" />
      </p>
    </PostForm>
  );
}

export function renderResetPage(props: {
  frame: PageFrame;
  /** Null if the link is not valid. */
  reset: { token: string; userName: string } | null;
  errors: NewPasswordErrors;
}): string {
  const { frame, reset: known, errors } = props;
  const title = known ? reset.title : reset.goneTitle;
  return renderPage({
    frame,
    title,
    width: 'narrow',
    forms: true,
    children: (
      <>
        <div class="page-head">
          <h1>{title}</h1>
          <p class="secondary page-line">
            <bdi>{known ? reset.line({ name: known.userName }) : reset.goneLine}</bdi>
          </p>
        </div>
        {known ? (
          <PostForm frame={frame} class="form" action={passwordResetPath(known.token)}>
            <NewPasswordFields errors={errors} />
            <p class="actions">
              <SubmitButton label={reset.save} tone="primary" />
            </p>
          </PostForm>
        ) : (
          <p class="actions">
            <a class="button button-primary" href={sitePaths.forgotPassword}>
              {reset.again}
            </a>
          </p>
        )}
      </>
    ),
  });
}
