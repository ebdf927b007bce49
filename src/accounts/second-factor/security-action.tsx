/** A change of second factors behind a line to open. */
import type { ComponentChildren } from 'preact';
import { Callout } from '../../web/components/callout.tsx';
import { FormHead } from '../../web/components/form-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { securityActionPath } from '../profile/account-addresses.ts';
import { securityTexts } from './security-texts.ts';

const words = securityTexts;

export function Refused({ sentence }: { sentence: string }) {
  return <Callout tone="danger" title={words.refused} sentences={[fullSentence(sentence)]} />;
}

/** What the server refuses with has neither capital nor full stop. */
export function fullSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}

export function SecurityAction(props: {
  frame: PageFrame;
  /** Beneath the page's own path. */
  action: string;
  to: string | null;
  title: string;
  /** The title for those who do not see where it is. */
  label?: string;
  line: string;
  danger?: boolean;
  children: ComponentChildren;
}) {
  return (
    <details class="quiet-fold">
      <summary aria-label={props.label}>{props.title}</summary>
      <p class="hint">{props.line}</p>
      <form class="form" method="post" action={securityActionPath(props.action, props.to)}>
        <FormHead frame={props.frame} />
        <p class="actions">
          <button class={props.danger ? 'button button-danger' : 'button'} type="submit">
            {props.children}
          </button>
        </p>
      </form>
    </details>
  );
}
