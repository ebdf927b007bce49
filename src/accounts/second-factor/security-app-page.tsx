/** The page that sets up an authenticator app. */
import { CodeBlock } from '../../web/components/code-block.tsx';
import { Field, FormHead } from '../../web/components/form-field.tsx';
import { QrCode } from '../../web/components/qr-code.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { securityActionPath, securityPath } from '../profile/account-addresses.ts';
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
  faults: { code?: readonly string[] };
}

const words = securityTexts.app;

export function renderSecurityAppPage(props: SecurityAppPageProps): string {
  const { frame } = props;
  const children = <SetUp {...props} />;
  if (!props.required) {
    const head = { title: words.setUpTitle, line: words.setUpLine };
    return renderSettings({ frame, part: 'security', ...head, children });
  }
  return renderPage({
    frame,
    title: words.setUpTitle,
    width: 'narrow',
    forms: true,
    children: (
      <>
        <div class="page-head">
          <h1>{words.setUpTitle}</h1>
          <p class="secondary page-line">{words.setUpLine}</p>
        </div>
        {children}
      </>
    ),
  });
}

function SetUp({ frame, secret, pending, account, required, to, faults }: SecurityAppPageProps) {
  const address = totpAddress(secret, { issuer: securityTexts.issuer, account });
  const target = required ? to : null;
  return (
    <>
      <section class="app-secret" aria-labelledby="scan">
        <h2 id="scan">{words.scanTitle}</h2>
        <QrCode address={address} label={words.qr} />
        <p>
          <a href={address}>{words.openHere}</a>
        </p>
        <h3>{words.byHand}</h3>
        <CodeBlock text={base32(secret).replace(/(.{4})(?=.)/g, '$1 ')} label={words.secret} />
      </section>
      <section class="confirm-code" aria-labelledby="confirm">
        <h2 id="confirm">{words.confirmTitle}</h2>
        <form class="form" method="post" action={securityActionPath('app/enable', target)}>
          <FormHead frame={frame} />
          <input type="hidden" name="pending" value={pending} />
          <Field
            id="code"
            label={words.code}
            hint={words.codeHint}
            faults={faults.code}
            control={(marks) => (
              <input
                {...marks}
                class="short"
                name="code"
                type="text"
                inputMode="numeric"
                autocomplete="one-time-code"
                maxLength={16}
                required
              />
            )}
          />
          <p class="actions">
            <button class="button" type="submit">
              {words.confirm}
            </button>
            <a class="button button-plain" href={securityPath(target)}>
              {words.cancel}
            </a>
          </p>
        </form>
      </section>
    </>
  );
}
