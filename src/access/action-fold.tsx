/** An action that a person opens before it can be pressed by mistake. */
import type { ComponentChildren } from 'preact';
import { Callout } from '../web/callout.tsx';
import { FormHead } from '../web/form-field.tsx';
import { securityTexts } from '../web/security-texts.ts';
import type { SecurityPageProps } from './security-page.tsx';

const words = securityTexts;

export function Refused({ sentence }: { sentence: string }) {
  return <Callout tone="danger" title={words.refused} sentences={[fullSentence(sentence)]} />;
}

/** What the server refuses with has neither capital nor full stop. */
export function fullSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}

/** Why that action was refused; null when it was not. */
export function faultOf(
  { fault }: Pick<SecurityPageProps, 'fault'>,
  action: string,
  passkey: string | null = null,
): string | null {
  return fault?.action === action && fault.passkey === passkey ? fault.sentence : null;
}

/** A form without fields behind a summary to open. Open when it was refused. */
export function ActionFold(
  props: Pick<SecurityPageProps, 'frame'> & {
    /** Where the form goes. */
    action: string;
    title: string;
    /** The title for those who do not see where it stands. */
    label?: string;
    line: string;
    /** Why it was refused; null when it was not. */
    refused: string | null;
    danger?: boolean;
    children: ComponentChildren;
  },
) {
  return (
    <details class="quiet-fold" open={props.refused !== null}>
      <summary aria-label={props.label}>{props.title}</summary>
      <p class="hint">{props.line}</p>
      <form class="form" method="post" action={props.action}>
        <FormHead frame={props.frame} />
        {props.refused !== null && <Refused sentence={props.refused} />}
        <p class="actions">
          <button class={props.danger ? 'button button-danger' : 'button'} type="submit">
            {props.children}
          </button>
        </p>
      </form>
    </details>
  );
}
