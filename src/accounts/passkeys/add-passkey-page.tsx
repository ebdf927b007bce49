/** The second step of adding a passkey: the browser asks its authenticator to create one. */
import { SubmitButton } from '../../web/components/form-field.tsx';
import { strong } from '../../web/components/message-tags.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { securityActionPath, securityPath } from '../profile/account-paths.ts';
import { securityTexts } from '../second-factor/security-texts.ts';
import { PasskeyForm } from './passkey-form.tsx';

const t = securityTexts.passkeys;

export function renderAddPasskeyPage(props: {
  frame: PageFrame;
  name: string;
  /** Options to pass to the authenticator. */
  asked: { publicKey: object; ticket: string };
  to: string | null;
}): string {
  const { frame, name, asked, to } = props;
  return renderPage({
    frame,
    title: t.add,
    width: 'narrow',
    forms: true,
    scripts: ['passkeyScript'],
    children: (
      <>
        <div class="page-head">
          <h1>{t.add}</h1>
          <p class="secondary page-line">{t.createLine({ name, strong })}</p>
        </div>
        <PasskeyForm
          frame={frame}
          ceremony="create"
          action={securityActionPath('passkeys/add', to)}
          asked={asked}
          class="form add-passkey"
        >
          <input type="hidden" name="name" value={name} />
          <p class="actions">
            <SubmitButton label={t.createButton} tone="primary" />
            <a class="button" href={securityPath(to)}>
              {t.cancel}
            </a>
          </p>
        </PasskeyForm>
      </>
    ),
  });
}
