/** Forms handled by `passkeys.js`, which shows them if the browser supports passkeys and fills in the authenticator's response. */
import type { ComponentChildren } from 'preact';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { passkeyOptionsPath, passkeySignInPath } from '../profile/account-paths.ts';
import { securityTexts } from '../second-factor/security-texts.ts';

const t = securityTexts.passkeys;

export interface PasskeyFormProps {
  frame: PageFrame;
  /** The ceremony that the authenticator performs. */
  ceremony: 'create' | 'get';
  action: string;
  /** Where the script posts the form fields to get the options. */
  options?: string;
  /** The options, if the page already contains them. */
  asked?: { publicKey: object; ticket: string };
  /** Id of the form that the script submits after the server has accepted this one; absent if this form is submitted as a page. */
  submits?: string;
  /** Also offers passkeys in the autofill of the login field. */
  inField?: boolean;
  class?: string;
  children: ComponentChildren;
}

export function PasskeyForm(props: PasskeyFormProps) {
  return (
    <PostForm
      frame={props.frame}
      class={props.class}
      action={props.action}
      hidden
      data-passkey={props.ceremony}
      data-options={props.options}
      data-asked={props.asked && JSON.stringify(props.asked)}
      data-submits={props.submits}
      data-in-field={props.inField ? '' : undefined}
      data-dismissed={t.dismissed}
      data-failed={t.failed}
      data-known={t.onThisDevice}
    >
      <input type="hidden" name="ticket" value="" />
      <input type="hidden" name="credential" value="" />
      {props.children}
      <p class="passkey-error" role="alert" />
    </PostForm>
  );
}

/** Signs in with a passkey alone, or as the second step after the password. */
export function PasskeySignIn(props: {
  frame: PageFrame;
  to: string | null;
  secondStep?: boolean;
  /** Renders a secondary button. */
  plain: boolean;
}) {
  const { frame, to, secondStep = false, plain } = props;
  return (
    <PasskeyForm
      frame={frame}
      ceremony="get"
      action={passkeySignInPath}
      options={passkeyOptionsPath}
      inField={!secondStep}
      class="passkey-sign-in"
    >
      {to !== null && <input type="hidden" name="to" value={to} />}
      {secondStep && <input type="hidden" name="second-step" value="on" />}
      <SubmitButton
        label={secondStep ? securityTexts.step.passkey : t.signIn}
        tone={plain ? undefined : 'primary'}
      />
    </PasskeyForm>
  );
}
