/** The page that sets up an authenticator app. */
import { CodeBlock } from '../../web/components/code-block.tsx';
import { Field, PostForm, SubmitButton, typedFirst } from '../../web/components/form-field.tsx';
import { QrCode } from '../../web/components/qr-code.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { securityActionPath, securityPath } from '../profile/account-paths.ts';
import { renderSettings } from '../profile/settings-frame.tsx';
import { securityTexts } from './security-texts.ts';
import { base32, totpAddress } from './totp.ts';

export interface SecurityAppPageProps {
  frame: PageFrame;
  secret: Uint8Array;
  /** The secret, encrypted for the form. */
  pending: string;
  /** The account name that the app shows. */
  account: string;
  required: boolean;
  to: string | null;
  errors: { code?: readonly string[] };
}

const t = securityTexts.app;

export function renderSecurityAppPage(props: SecurityAppPageProps): string {
  const { frame } = props;
  const children = <SetUp {...props} />;
  if (!props.required) {
    const head = { title: t.setUpTitle, line: t.setUpLine };
    return renderSettings({ frame, part: 'security', ...head, children });
  }
  return renderPage({
    frame,
    title: t.setUpTitle,
    width: 'narrow',
    forms: true,
    children: (
      <>
        <div class="page-head">
          <h1>{t.setUpTitle}</h1>
          <p class="secondary page-line">{t.setUpLine}</p>
        </div>
        {children}
      </>
    ),
  });
}

function SetUp({ frame, secret, pending, account, required, to, errors }: SecurityAppPageProps) {
  const address = totpAddress(secret, { issuer: securityTexts.issuer, account });
  const target = required ? to : null;
  return (
    <>
      <section class="app-secret" aria-labelledby="scan">
        <h2 id="scan">{t.scanTitle}</h2>
        <QrCode address={address} label={t.qr} />
        <p>
          <a href={address}>{t.openHere}</a>
        </p>
        <h3>{t.byHand}</h3>
        <CodeBlock text={base32(secret).replace(/(.{4})(?=.)/g, '$1 ')} label={t.secret} />
      </section>
      <section class="confirm-code" aria-labelledby="confirm">
        <h2 id="confirm">{t.confirmTitle}</h2>
        <PostForm frame={frame} class="form" action={securityActionPath('app/enable', target)}>
          <input type="hidden" name="pending" value={pending} />
          <Field
            id="code"
            label={t.code}
            hint={t.codeHint}
            errors={errors.code}
            control={(attributes) => (
              <input
                {...attributes}
                class="short"
                name="code"
                type="text"
                inputMode="numeric"
                autocomplete="one-time-code"
                maxLength={16}
                required
                {...typedFirst}
              />
            )}
          />
          <p class="actions">
            <SubmitButton label={t.confirm} tone="primary" />
            <a class="button" href={securityPath(target)}>
              {t.cancel}
            </a>
          </p>
        </PostForm>
      </section>
    </>
  );
}
