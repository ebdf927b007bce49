/** Forms that `passkeys.js` sends: it shows them where the browser knows passkeys, and fills in what the authenticator says. */
import type { ComponentChildren } from 'preact';
import { FormHead } from '../../web/components/form-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { passkeyOptionsPath, passkeySignInPath } from '../profile/account-addresses.ts';
import { securityTexts } from '../second-factor/security-texts.ts';

const words = securityTexts.passkeys;

export interface PasskeyFormProps {
  /** What the authenticator is to do. */
  ceremony: 'create' | 'get';
  action: string;
  /** Where the script gets what it is to ask the authenticator for; it posts the fields of the form there. */
  options?: string;
  /** The same, where the page knows it. */
  asked?: { publicKey: object; ticket: string };
  /** Id of the form that the script sends once the server has accepted this one; absent: this one is sent as a page. */
  submits?: string;
  /** Offers passkeys in the field for the name, too. */
  inField?: boolean;
  class?: string;
  children: ComponentChildren;
}

export function PasskeyForm(props: PasskeyFormProps) {
  return (
    <form
      class={props.class}
      method="post"
      action={props.action}
      hidden
      data-passkey={props.ceremony}
      data-options={props.options}
      data-asked={props.asked && JSON.stringify(props.asked)}
      data-submits={props.submits}
      data-in-field={props.inField ? '' : undefined}
      data-dismissed={words.dismissed}
      data-failed={words.failed}
      data-known={words.onThisDevice}
    >
      <input type="hidden" name="ticket" value="" />
      <input type="hidden" name="credential" value="" />
      {props.children}
      <p class="passkey-fault" role="alert" />
    </form>
  );
}

/** Signs in with a passkey alone, or as the second step after the password. */
export function PasskeySignIn(props: {
  frame: PageFrame;
  to: string | null;
  secondStep?: boolean;
  /** Beside another button that stands out more. */
  plain: boolean;
}) {
  const { frame, to, secondStep = false, plain } = props;
  return (
    <PasskeyForm
      ceremony="get"
      action={passkeySignInPath}
      options={passkeyOptionsPath}
      inField={!secondStep}
      class="passkey-sign-in"
    >
      <FormHead frame={frame} />
      {to !== null && <input type="hidden" name="to" value={to} />}
      {secondStep && <input type="hidden" name="second-step" value="on" />}
      <button class={plain ? 'button button-plain' : 'button'} type="submit">
        {secondStep ? securityTexts.step.passkey : words.signIn}
      </button>
    </PasskeyForm>
  );
}
